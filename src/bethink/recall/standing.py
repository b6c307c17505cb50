"""Standing instructions that apply to what somebody is about to do.

"From now on always use pnpm" shares no word with "add lodash to the project", and little meaning.
Both are about one activity: dependencies. An instruction or preference belongs to an activity if it
names it ("release", 提交信息); a prompt belongs to it if it asks to do it ("prepare the release",
把改动提交一下). Where both agree, the instruction is handed out, whatever its relevance is.

A note that lays down a rule ("feature branches are named user/ticket", 表名用单数) counts like an
instruction if it names the activity.

Activities are those of software development, in Chinese and English. A prompt that asks for none
of them costs one regular expression.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from typing import ClassVar, NamedTuple

from bethink.filters import All, Condition, Filter
from bethink.recall.draft import Draft, Kit
from bethink.text.both_ends import both_ends
from bethink.text.fold import fold
from bethink.vocabulary import Candidate, Memory, Passage, Place, Query

CHANNEL = "standing"
KINDS = ("instruction", "preference")
_LOOKED_AT = 200  # instructions, the newest; somebody with more has a notebook to read
_NOTES = 20  # notes that hold a word of the activity, the best by words
_LONGEST = 300  # characters of a note that is a rule and not a report
_RULE = (
    r"\b(?:must|always|never|should|only|do not|don't|avoid|are named|is named|named|"
    r"backwards? compatible)\b|必须|统一|禁止|不要|一律|命名|不能|不得|都要|只能|要向后兼容|用单数"
)


class _Activity(NamedTuple):
    named: str  # in an instruction
    asked: str  # in a prompt
    words: tuple[str, ...] = ()  # that notes about it hold


_PROJECT = (
    r"(?:the|our|this|my) (?:project|repo|repository|app|package\.json|workspace|dependencies)"
)
_MAKE = r"(?:add|write|create|make|extend|update|improve|generate|fix|start|prepare)"
_MAKE_ZH = r"(?:写|加|补|新建|建|做|改|更新|生成)"

_ACTIVITIES: dict[str, _Activity] = {
    "dependencies": _Activity(
        r"\b(?:p?npm|yarn|bun|pip|uv|poetry|conda|cargo|composer|bundler|package managers?|"
        r"dependenc(?:y|ies)|third-party packages?|lockfiles?)\b|依赖|包管理|第三方库|第三方包",
        rf"\b(?:add|install|include|pull in|bring in|upgrade|bump|remove|drop)\s+@?[\w./-]+\s+"
        rf"(?:to|into|in|from|for) {_PROJECT}|\b(?:install|upgrade|bump)\s+@?[\w./-]+\s*$|"
        rf"\b{_MAKE}\b.{{0,24}}\b(?:dependency|dependencies|package)\b|"
        r"(?:安装|引入|装上|装一下|升级)\s?(?:一下|个)?\s?@?[a-z][\w./-]+|"
        r"(?:项目|工程)(?:里|中)?(?:加|装|引入|添加|用)(?:一下|上|个|入)?\s?@?[a-z][\w./-]+|"
        r"(?:加|装|添加|升级).{0,12}(?:依赖|第三方库)",
        ("dependencies", "packages", "依赖"),
    ),
    "release": _Activity(
        r"\b(?:releases?|releasing|shipping|changelog)\b|发布|发版|上线",
        r"\b(?:prepare|cut|make|do|create|ship|publish|tag|start|plan|begin|finish|draft)\b"
        r".{0,24}\breleases?\b|\brelease (?:v?\d|this|it|the|today|now)|\bship (?:it|v?\d)|"
        r"(?:准备|开始|安排|走|做|打|可以|今天|明天|马上).{0,12}(?:发布|发版|上线)|"
        r"(?:发布|发版|上线)(?:一下|新版|版本|\s?v?\d|吧|了)|发个版|发一版",
        ("release", "发布", "发版", "上线"),
    ),
    "commit": _Activity(
        r"\bcommits?\b|\bcommit messages?\b|提交",
        r"^(?:please |now |and |ok,? |then )*commit\b(?! (?:message|history|log))|"
        r"\bcommit (?:this|these|it|all|the|my|what|everything)\b|"
        r"提交(?:一下|代码|改动|上去|了吧|吧)|把.{0,16}提交(?!记录|历史)",
        ("commit", "提交"),
    ),
    "push": _Activity(
        r"\b(?:push(?:es|ing)?|force-push)\b|推送|直接推|推到",
        r"\bpush (?:this|it|these|to|the|my|everything|now)\b|^push\b|推(?:到|上去|送|一下)",
        ("push", "推送"),
    ),
    "branch": _Activity(
        r"\bbranch(?:es)?\b|分支",
        r"\b(?:create|make|start|open|cut|new|switch to a)\b.{0,16}\bbranch\b|"
        r"(?:拉|建|开|切|新建|创建).{0,12}分支",
        ("branches", "分支"),
    ),
    "pull request": _Activity(
        r"\b(?:pull requests?|merge requests?|prs?|mrs?)\b|合并请求",
        r"\b(?:open|create|make|prepare|send|write|raise)\b.{0,16}"
        r"\b(?:pr|mr|pull request|merge request)\b|(?:提|开|建|发).{0,6}(?:pr|mr|合并请求)",
        ("pull", "request", "合并请求"),
    ),
    "tests": _Activity(
        r"\b(?:unit |integration |table-driven )?tests?\b|测试|单测|用例",
        rf"\b{_MAKE}\b.{{0,24}}\btests?\b|{_MAKE_ZH}.{{0,12}}(?:测试|单测|用例)",
        ("tests", "测试"),
    ),
    "documentation": _Activity(
        r"\b(?:docs|documentation|readme|docstrings?)\b|文档|说明书",
        rf"\b{_MAKE}\b.{{0,24}}\b(?:docs|documentation|readme|guide|manual)\b|"
        rf"{_MAKE_ZH}.{{0,16}}(?:文档|使用说明|readme)",
        ("documentation", "docs", "文档"),
    ),
    "migration": _Activity(
        r"\b(?:migrations?|schema changes?)\b|迁移|表结构|数据库变更|建表|表名",
        rf"\b{_MAKE}\b.{{0,24}}\bmigration\b|\b(?:rename|add|drop) .{{0,16}}\bcolumn\b|"
        r"(?:写|加|跑|建).{0,8}迁移|建.{0,3}(?:张|个)\S{1,12}表|改表|加.{0,6}列",
        ("migrations", "schema", "迁移", "表名", "数据库变更"),
    ),
    "deploy": _Activity(
        r"\bdeploy(?:s|ing|ments?)?\b|部署",
        r"^(?:please |now |and |ok,? |then )*deploy\b|\bdeploy (?:this|it|to|the|now|v?\d)|"
        r"部署(?:一下|到|上去|吧)|(?:把|帮).{0,12}部署",
        ("deploy", "deployment", "部署"),
    ),
    "other services": _Activity(
        r"\b(?:third[- ]party|external) (?:apis?|services?|calls?|requests?)\b|第三方(?:接口|服务)|"
        r"外部(?:接口|服务)",
        r"\b(?:integrate|call|connect to|hook up)\b.{0,32}\b(?:api|service|webhook|sdk)\b|"
        r"(?:接一下|接入|对接|调用|接个)\S{0,16}(?:接口|服务|api|sdk)",
        ("third-party", "external", "第三方"),
    ),
}


def activities_of(text: str, *, prompt: bool) -> frozenset[str]:
    """Return the activities that a prompt asks for, or that an instruction is about."""
    folded = fold(both_ends(text))
    return frozenset(
        name
        for name, (named, asked) in _compiled().items()
        if (asked if prompt else named).search(folded)
    )


@cache
def _compiled() -> dict[str, tuple[re.Pattern[str], re.Pattern[str]]]:
    return {
        name: (re.compile(one.named), re.compile(one.asked)) for name, one in _ACTIVITIES.items()
    }


@dataclass(frozen=True, slots=True)
class StandingInstructions:
    """Put instructions for the activity of a prompt before the other candidates."""

    name: ClassVar[str] = "standing"
    most: int = 2

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled or not draft.query.words:
            return draft
        wanted = activities_of(draft.query.text, prompt=True)
        if not wanted:
            return draft
        rules = (*_instructions(draft.query, kit), *_rules_in_notes(wanted, draft.query, kit))
        named = {
            memory.id: memory
            for memory in rules
            if memory.verified and wanted & activities_of(memory.text, prompt=False)
        }
        found = list(named.values())[: self.most]
        if not found:
            return draft
        before = {candidate.memory_id: candidate for candidate in draft.candidates}
        standing = tuple(
            _candidate(memory, rank, before.pop(memory.id, None))
            for rank, memory in enumerate(found)
        )
        shown = ", ".join(sorted(wanted))
        return draft._replace(candidates=(*standing, *before.values())).note(
            f"standing: {len(found)} instructions for {shown}"
        )


def _instructions(query: Query, kit: Kit) -> tuple[Memory, ...]:
    """The newest instructions and preferences of the question's spaces."""
    kinds: Filter = Condition("kind", None, "in", KINDS)
    where = kinds if query.where is None else All((query.where, kinds))
    page = kit.store.scan(spaces=query.spaces, where=where, newest_first=True, limit=_LOOKED_AT)
    return tuple(page.memories)


def _rules_in_notes(wanted: frozenset[str], query: Query, kit: Kit) -> list[Memory]:
    """Short notes that name the activity and lay down a rule."""
    from bethink.text.tokenise import telling_terms

    words = " ".join(word for name in sorted(wanted) for word in _ACTIVITIES[name].words)
    found = kit.store.search_words(
        telling_terms(words), spaces=query.spaces, where=query.where, limit=_NOTES
    )
    ids = list(dict.fromkeys(one.memory_id for one in found))
    return [
        memory
        for memory in kit.store.get(ids, spaces=query.spaces)
        if memory is not None
        and memory.kind not in KINDS
        and len(memory.text) <= _LONGEST
        and re.search(_RULE, fold(memory.text))
    ]


def _candidate(memory: Memory, rank: int, found: Candidate | None) -> Candidate:
    place = {CHANNEL: Place(rank, 1.0)}
    if found is not None:
        return found._replace(channels={**found.channels, **place})
    return Candidate(memory.id, 0, 1.0, place, memory, Passage(0, 0, len(memory.text)))
