"""What in the user's own words is worth keeping: sentences that say of themselves that they are
meant to last. The rules stand in `lasting_english.py` and `lasting_chinese.py`.

A sentence is kept as it was written. Left out are orders for now, complaints, questions, what is
quoted, pasted or to be translated, code, logs, what is asked not to be kept, and secrets. What is
kept by mistake contradicts the user later; what is missed can be told again. So in doubt, nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from types import ModuleType
from typing import NamedTuple

_LEAST, _MOST = 6, 500  # characters of a sentence; shorter says nothing, longer is no rule
_LEAST_CHINESE = 4
_MOST_READ = 50_000  # of a message; what is longer was pasted
_MANY_LINES = 20  # a message with more holds something pasted: only its ends are the user's
_ENDS = 3

# Blocks that agents and we ourselves put into messages; none of it is what the user wrote. One that
# is not closed reaches to the end.
_OTHERS = (
    r"bethink-memory|bethink-primer|system-reminder|system_reminder|environment_context|"
    r"user_instructions|"
    r"INSTRUCTIONS|permissions[ _]instructions|command-[a-z-]+|local-command-[a-z-]+|"
    r"bash-(?:input|stdout|stderr)|task-notification|attached_files|open_and_recently_viewed_files|"
    r"git_status|rules|available_skills|skills_instructions|hook_context|turn_aborted"
)


# What these lines introduce is somebody's text to work on, not a wish.
_INTRODUCES = (
    r"(?:^|[.!?。！？\n])[^.!?。！？\n]{0,60}?(?:\b(?:translate|rewrite|rephrase|review|polish|"
    r"summari[sz]e|proofread|improve|explain|convert|paraphrase|correct the|"
    r"fix the (?:text|sentence|wording)|wrote|says?|said|told|reads|reply to|e-?mail|message|"
    r"error|log|output|docs?|document|guide|spec|changelog|readme|title|text|sentence|string|label|"
    r"example|for instance|todo|quote|tell (?:him|her|them))\b|"
    r"翻译|改写|润色|总结|检查|审阅|审一下|解释|看看|校对|改一下|写着|写道|说|提示|报错|错误信息|"
    r"日志|输出|文档|文案|原文|标题|内容|例如|比如|邮件|回复|告诉(?:他|她|他们))"
    r"[^.!?。！？:：\n]{0,40}[:：]\s*"
)
_OURS = r"\b(?:remember|keep in mind|from now on)\b|记|以后"
_LOG_LINE = (
    r"\s*(?:\[?(?:ERROR|WARN(?:ING)?|INFO|DEBUG|FATAL|TRACE|CRITICAL)\b|\d{4}-\d\d-\d\d[T ]\d\d:|"
    r"Traceback |\$ |>>> |File \"|at [\w.$<>]+\(|npm (?:ERR|warn)|[\w./-]+:\d+:\d+|[-+]{3} |@@ |"
    r"(?:警告|错误|严重|调试)[:：]|- \[[0-9a-z]{8,}[ -])"
)
_QUOTES = (
    r"\"[^\"\n]{1,300}\"|“[^”\n]{1,300}”|「[^」\n]{1,300}」|『[^』\n]{1,300}』|"
    r"`[^`\n]{1,300}`|(?<!\w)'[^'\n]{2,300}'(?!\w)"
)
# The marks of the rules as they are written in traditional Chinese.
_TRADITIONAL = str.maketrans(
    "記後總別須從現開請們決務絕對項倉庫統歡習慣應該這個裡時麼嗎給幫來還沒錯寫約規範標準則傾於說煩",
    "记后总别须从现开请们决务绝对项仓库统欢习惯应该这个里时么吗给帮来还没错写约规范标准则倾于说烦",
)
_EXPLICIT = frozenset({"remember", "from now on", "记住", "以后"})


# What the rules keep: orders that are to be followed, and tastes. All else is the journal's.
_ORDERS = frozenset(
    {"remember to", "from now on", "always", "here", "记得", "以后", "总是", "这里"}
)
_TASTES = frozenset({"prefer", "偏好"})
# "Remember: we squash before we merge" is an order too; "remember, the demo is on Friday" a fact.
_ORDER_MARKS = (
    r"\b(?:always|never|don't|do not|must|should|only|avoid|"
    r"(?:we|you) (?:use|write|run|name|put|keep|follow|prefer|sign|squash|commit|test|never|do))\b|"
    r"(?:不要|别|必须|一律|统一|务必|禁止|只能|不能|不许|不准|都要|要先|都用|用\S{1,12}写|前面带)"
)


class Learned(NamedTuple):
    text: str
    rule: str

    @property
    def kind(self) -> str:
        """What it is remembered as: an instruction, a preference, or an entry of the journal."""
        if self.rule in _TASTES:
            return "preference"
        told = self.rule in ("remember", "记住") and _compiled(_ORDER_MARKS).search(self.text)
        return "instruction" if told or self.rule in _ORDERS else "journal"


@cache
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern, re.IGNORECASE)


def own_words(text: str) -> str:
    """What the user wrote: without blocks of the agent or ours, code, quotes, logs."""
    text = re.sub(
        rf"(?:<|&lt;)({_OTHERS})\b[^>]{{0,500}}>.*?(?:(?:<|&lt;)/\1\s*>|\Z)",
        "\n",
        text,
        flags=re.DOTALL | re.IGNORECASE,
    )
    text = re.sub(
        r"^([ \t]*)(```|~~~).*?(?:^[ \t]*\2|\Z)", "\n", text, flags=re.DOTALL | re.MULTILINE
    )
    return "\n".join(line for line in text.splitlines() if not _is_others(line))


def _is_others(line: str) -> bool:
    """Quoted, a table, indented as code is, or a line of a log."""
    bare = line.lstrip()
    if bare.startswith((">", "|")) or re.match(_LOG_LINE, line):
        return True
    return line.startswith(("    ", "\t")) and not re.match(r"[-*+•]\s|\d+[.)、]", bare)


def lessons(text: str) -> Iterator[Learned]:
    """The sentences of a message that are worth keeping, in their order."""
    own = own_words(text[:_MOST_READ])
    introduced = _compiled(_INTRODUCES).search(own) if re.search("[:：]", own) else None
    if introduced and not _compiled(_OURS).search(introduced[0]):
        own = own[: introduced.start()]
    lines = [line for line in own.splitlines() if line.strip()]
    pasted = len(lines) > _MANY_LINES
    if pasted:
        lines = [*lines[:_ENDS], *lines[-_ENDS:]]
    for line in lines:
        for sentence in _sentences(line):
            rule = _rule_of(sentence)
            if rule and not (pasted and rule not in _EXPLICIT) and not _is_secret(sentence):
                yield Learned(sentence, rule)


def _is_secret(sentence: str) -> bool:
    """Refused, not only redacted: what is left of it would be no wish any more."""
    from bethink.text.secret_doubts import may_hold_secret

    return may_hold_secret(sentence)


def _rule_of(sentence: str) -> str:
    """Which rule it is kept by, or none."""
    chinese = any("\u3400" <= character <= "\u9fff" for character in sentence)
    if not (_LEAST_CHINESE if chinese else _LEAST) <= len(sentence) <= _MOST:
        return ""
    marks = re.sub(_QUOTES, " “” ", sentence).translate(_TRADITIONAL).replace("’", "'")
    from bethink.doors.hooks import lasting_chinese, lasting_english

    return _by(lasting_english, marks) or (chinese and _by(lasting_chinese, marks)) or ""


def _by(language: ModuleType, marks: str) -> str:
    def has(pattern: str) -> bool:
        return _compiled(pattern).search(marks) is not None

    low = marks.casefold()
    hinted = (name for name, words in language.HINTS.items() if any(word in low for word in words))
    rule = next((name for name in hinted if has(language.RULES[name])), "")
    if not rule or has(language.REFUSED):
        return ""
    if has(r"[?？]\s*$|[吗呢]\s*[。.!！]?$") and not has(language.REQUEST):
        return ""
    explicit = rule in _EXPLICIT
    if (not explicit and has(language.FOR_NOW)) or (
        has(language.TROUBLE)
        and not (explicit and has(rf"(?:{language.RULES[rule]})(?<=[:,：，t])"))
    ):
        return ""
    left = _compiled(language.EMPTY).sub("", marks)
    return rule if re.search(r"\w", left.replace("“”", "x")) else ""


def _sentences(line: str) -> Iterator[str]:
    bare = re.sub(r"^\s*(?:[-*+•]|\d+[.)、]|#+)\s+", "", line)
    for part in re.split(r"(?<=[。！？!?；])\s*|(?<=[.;])\s+(?=\S)", bare):
        sentence = part.strip().strip("；;").strip()
        if sentence:
            yield sentence
