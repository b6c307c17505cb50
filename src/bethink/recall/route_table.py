"""The built-in routes, and how routes are read from a file.

The table of questions → file → scope is that of a notebook: preferences, instructions and entities
belong to the user (`global`); tasks, decisions and patterns to a project. A memory belongs to a
route by its kind, or because it comes from that file.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

from bethink.checks import shown
from bethink.errors import InvalidInput, SettingsError
from bethink.filters import parse_filter
from bethink.recall.route import RouteRule, Scope

_MAX_PATTERN_CHARS = 2_000
_MAX_KEYWORD_CHARS = 64
_MOST_REPEATS = 8  # of a group with a choice inside; more could take for ever

# The frame of an English question for a list: [ask] [whose] NOUN [rest]. Bounded throughout.
_ASK = (
    r"(?:what(?:'s| is| are| were| was)?|which(?: are)?|show(?: me)?|list|give me|display|read|get|"
    r"open|print|see|recall|summari[sz]e|review|remember|know|do (?:i|we|you) have|are there|"
    r"i have|you have|how many)"
)
_WHOSE = (
    r"(?:all|any|every|of|the|my|our|your|user|user's|users|project|project's|this|known|current|"
    r"saved|stored|existing|remembered|list|file|me|kinds? of)"
)
_REST = (
    r"(?:are|is|were|do (?:i|we|you) have|have (?:i|we|you)|(?:i|we|you) have|"
    r"(?:have )?i(?:'ve)? (?:gave|given|told) you|you know(?: of)?|do you know(?: of)?|there|"
    r"are there|so far|now|"
    r"right now|currently|list|file|again|please|of mine|(?:for|in|of|on) (?:this|the|our) project)"
)
# And of a Chinese one. 有, 都, 的, 是 may stand anywhere.
_ASK_ZH = (
    r"(?:列出来?|列一下|列举|显示|展示|看一看|看一下|看看|查看|查询|读取|读一下|给我|总结一下|总结|打开|"
    r"回顾一下|回顾|汇总一下|汇总|说出|知道|记得|记录|整理一下|整理)"
)
_WHOSE_ZH = (
    r"(?:我们|咱们|我|用户|你|您|本项目|这个项目|该项目|项目|当前|目前|现在|所有|全部|已有|已知|"
    r"已经|一共|总共|还|都|有|哪些|什么|哪几个|几个|多少|的|里|中|一下|过|给)"
)
_REST_ZH = (
    r"(?:都|是|有|包括|什么|哪些|啥|哪几个|哪几条|几个|多少|呢|的|列表|清单|文件|内容|目前|现在|我|们|"
    r"你|出来|一下|来着|吗|里|还|了|没有|全部|所有)"
)


def _english(noun: str) -> str:
    return rf"(?:{_ASK} )?(?:{_WHOSE} ){{0,4}}(?:{noun})(?: {_REST}){{0,3}}"


def _chinese(noun: str) -> str:
    return rf"{_ASK_ZH}?{_WHOSE_ZH}{{0,5}}(?:{noun}){_REST_ZH}{{0,5}}"


_BUILT_IN: tuple[tuple[str, Scope, str, str, tuple[str, ...]], ...] = (
    (
        "preferences",
        "global",
        "preference",
        "user/preferences.md",
        (
            _english(r"preferences?|likes and dislikes|(?:user/)?preferences md"),
            r"what (?:do|did) i (?:like|prefer)(?: and dislike)?",
            r"what (?:does the user|do users) (?:like|prefer)",
            _chinese(r"偏好设[置定]|个人偏好|使用偏好|偏好|喜好|(?:user/)?preferences md"),
            r"(?:我|用户)(?:都|平时|一般)?(?:喜欢|偏好)(?:些)?(?:什么|哪些|啥)(?:东西)?",
        ),
    ),
    (
        "instructions",
        "all",  # the user's, and what was said in a project for the project
        "instruction",
        "user/instructions.md",
        (
            _english(
                r"(?:standing |custom )?instructions?|(?:house |ground )?rules?|"
                r"(?:user/)?instructions md"
            ),
            r"what (?:rules|instructions) (?:should|must|do|shall) (?:you|i|we) follow",
            r"which (?:rules|instructions) (?:should|must|do|shall) (?:you|i|we) follow",
            r"what (?:have i|did i) (?:told|tell|asked|ask|instructed|instruct) you to do",
            _chinese(r"指令|指示|规则|规矩|要求|(?:user/)?instructions md"),
            r"(?:你|我们|我)?(?:需要|应该|必须|要|得)?(?:遵守|遵循)(?:的)?(?:什么|哪些|啥)?"
            r"(?:规则|规矩|指令|要求)(?:有|是)?(?:哪些|什么)?",
        ),
    ),
    (
        "open tasks",
        "project",
        "task",
        "TASKS.md",
        (
            _english(
                r"(?:open|pending|remaining|outstanding|unfinished|undone|incomplete) "
                r"(?:tasks?|to-?dos?|to-?do items)|to-?dos?|to-?do list|to-?do items"
            ),
            r"(?:what|which)(?: of (?:my|our|the))? (?:tasks?|to-?dos?) (?:are|is) "
            r"(?:still |yet )?(?:open|left|pending|unfinished|undone|not (?:yet )?done|to be done)",
            r"what(?:'s| is) (?:on (?:my|our|the) (?:to-?do|task) list|left to do|still to do)",
            r"what do (?:i|we) (?:still )?(?:have|need) to do(?: next| now)?",
            _chinese(
                r"(?:还?(?:未|没|没有)(?:完成|做完|做|办)|剩下|剩余|待处理|进行中)(?:的)?"
                r"(?:任务|事项|事情|事)|待办事项|待办"
            ),
            rf"{_WHOSE_ZH}{{0,5}}(?:任务|事项|事情|事)(?:都|还|是){{0,2}}"
            r"(?:没有|没|未)(?:完成|做完|做|办)(?:的|呢|吗)?",
            r"(?:我|我们)?(?:还|目前|现在)?(?:有|剩)(?:下)?(?:什么|哪些|啥)(?:事|事情|活)?"
            r"(?:要做|没做|没做完|没完成|待办)(?:的)?(?:事|事情|任务|活)?",
            r"(?:我|我们)?还(?:有|剩)(?:下)?(?:什么|哪些|啥)任务",
        ),
    ),
    (
        "tasks",
        "project",
        "task",
        "TASKS.md",
        (_english(r"tasks?|task list|tasks md"), _chinese(r"任务|tasks md")),
    ),
    (
        "entities",
        "global",
        "entity",
        "user/entities.md",
        (
            _english(r"entities|entity|people|persons|contacts|(?:user/)?entities md"),
            r"who(?: all)? do (?:you|i|we) know(?: about| of)?",
            r"(?:what|which) (?:people|entities|contacts) do (?:you|i|we) (?:know|have)",
            _chinese(r"实体|人物|联系人|人脉|(?:user/)?entities md"),
            r"(?:你|我|我们)(?:都)?(?:认识|认得)(?:谁|哪些人|什么人|些谁)",
        ),
    ),
    (
        "decisions",
        "project",
        "decision",
        "agent/decisions.md",
        (
            _english(r"(?:past |previous |key )?decisions?(?: log)?|(?:agent/)?decisions md"),
            r"(?:what|which) decisions (?:did|have) (?:we|i|you) (?:made|make|taken|take)"
            r"(?: so far)?",
            r"what (?:did|have) (?:we|i) (?:already )?decided?(?: on)?(?: so far)?",
            r"(?:what|which) decisions (?:were|have been) (?:made|taken)(?: so far)?",
            _chinese(
                r"(?:做过|做出|作出|做了|定下|已做)?(?:的)?(?:决策|决定)|(?:agent/)?decisions md"
            ),
            r"(?:我们|我|咱们)(?:都|已经|一共)?(?:做|作|下)(?:过|了|出过|出了)(?:什么|哪些|啥)"
            r"(?:决策|决定)",
            r"(?:我们|我|咱们)(?:都|已经)?决定(?:了)?(?:些)?(?:什么|哪些|啥)",
        ),
    ),
    (
        "patterns",
        "project",
        "pattern",
        "agent/patterns.md",
        (
            _english(r"(?:code |coding |learned |project )?patterns?|(?:agent/)?patterns md"),
            r"(?:what|which) patterns (?:do|did|have|should) (?:we|i|you) "
            r"(?:use|used|follow|learned|found|noticed)",
            _chinese(r"(?:代码|编码|工作|开发)?(?:模式|惯例)|(?:agent/)?patterns md"),
        ),
    ),
)


_DONE: dict[str, Literal["last", "out"]] = {"open tasks": "out", "tasks": "last"}


@cache
def built_in_routes() -> tuple[RouteRule, ...]:
    routes: list[RouteRule] = []
    for name, scope, kind, file, patterns in _BUILT_IN:
        where = parse_filter({"or": [{"kind": kind}, {"source": file}]})
        assert where is not None
        routes.append(RouteRule(name, patterns, where, scope, _DONE.get(name, ""), built_in=True))
    return tuple(routes)


# Routes of the user's own


def read_routes(path: Path) -> tuple[RouteRule, ...]:
    """The routes of a TOML file: `[[route]]` tables, before the built-in ones (or, with
    `built_in = false`, instead of them)."""
    import tomllib

    try:
        told = tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise SettingsError(
            f"there is no file {path}; write your routes there (docs/how-to/routes.md), or unset "
            "'routes'"
        ) from None
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as e:
        raise SettingsError(f"{path} cannot be read: {e}. Mend it, or unset 'routes'") from None
    try:
        unknown = told.keys() - {"route", "built_in"}
        if unknown:
            raise InvalidInput(f"there is no {min(unknown)!r}; known: [[route]], built_in")
        keep = told.get("built_in", True)
        if not isinstance(keep, bool):
            raise InvalidInput(f"built_in is true or false, got {shown(keep)}")
        own = parse_routes(told.get("route", []))
    except InvalidInput as e:
        raise SettingsError(f"{path}: {e}") from None
    return own + (built_in_routes() if keep else ())


def parse_routes(data: Any) -> tuple[RouteRule, ...]:
    """Routes from data: a list of mappings with name, patterns, where and (optional) spaces."""
    if not isinstance(data, list | tuple):
        raise InvalidInput(f"routes are a list, got {shown(data)}")
    routes = tuple(_parse_route(at, one) for at, one in enumerate(data, 1))
    names = [route.name for route in routes]
    for name in names:
        if names.count(name) > 1:
            raise InvalidInput(f"two routes are called {name!r}; give each its own name")
    return routes


def _parse_route(at: int, data: Any) -> RouteRule:
    if not isinstance(data, Mapping):
        raise InvalidInput(f"route {at}: expected an object, got {shown(data)}")
    name = data.get("name")
    if not isinstance(name, str) or not name.strip():
        raise InvalidInput(f"route {at}: give it a name, got {shown(name)}")
    unknown = data.keys() - {"name", "patterns", "keywords", "where", "spaces"}
    if unknown:
        raise InvalidInput(
            f"route {name!r}: there is no field {shown(sorted(map(str, unknown))[0])}; "
            "known: name, patterns, keywords, where, spaces"
        )
    keywords = _words(name, data.get("keywords", ()))
    patterns = data.get("patterns", () if keywords else None)
    if isinstance(patterns, str):
        patterns = [patterns]
    if not isinstance(patterns, list | tuple) or not (patterns or keywords):
        raise InvalidInput(f"route {name!r}: patterns are a list of texts, got {shown(patterns)}")
    scope = data.get("spaces", "all")
    if scope not in get_args(Scope):
        raise InvalidInput(
            f"route {name!r}: spaces is one of {', '.join(get_args(Scope))}, got {shown(scope)}"
        )
    try:
        where = parse_filter(data.get("where"))
    except InvalidInput as e:
        raise InvalidInput(f"route {name!r}: where: {e}") from None
    if where is None:
        raise InvalidInput(f'route {name!r}: say what it fetches, e.g. where = {{ kind = "task" }}')
    checked = tuple(check_pattern(name, p) for p in patterns)
    return RouteRule(name, checked, where, scope, keywords=keywords)


def _words(name: str, told: Any) -> tuple[str, ...]:
    """Return plain words that lead to a route wherever they stand in a question."""
    words = [told] if isinstance(told, str) else told
    if not isinstance(words, list | tuple) or not all(
        isinstance(word, str) and 0 < len(word.strip()) <= _MAX_KEYWORD_CHARS for word in words
    ):
        raise InvalidInput(
            f"route {name!r}: keywords are a list of words of up to {_MAX_KEYWORD_CHARS} "
            f"characters, got {shown(told)}"
        )
    return tuple(word.strip() for word in words)


def check_pattern(name: str, pattern: Any) -> str:
    """A pattern that compiles and cannot run for ever."""
    if not isinstance(pattern, str) or not pattern or len(pattern) > _MAX_PATTERN_CHARS:
        raise InvalidInput(
            f"route {name!r}: a pattern is text of 1 to {_MAX_PATTERN_CHARS:,} characters, "
            f"got {shown(pattern)}"
        )
    try:
        re.compile(pattern)
    except (re.error, RecursionError, OverflowError) as e:
        raise InvalidInput(f"route {name!r}: {shown(pattern)} is no pattern: {e}") from None
    if _may_run_for_ever(pattern):
        raise InvalidInput(
            f"route {name!r}: {shown(pattern)} repeats a group that itself has a choice or a "
            f"repetition, which may take for ever; repeat it at most {_MOST_REPEATS} times: "
            f"{{0,{_MOST_REPEATS}}}"
        )
    return pattern


def _may_run_for_ever(pattern: str) -> bool:
    """Is there a group with a choice or a repetition inside that is itself repeated freely?

    Only such nesting takes exponential time; a question of 160 characters makes the rest harmless.
    """
    pieces = r"\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?(?:P?<\w+>|[a-zA-Z-]+:|[:=!>]|<[=!])|[()|]|"
    pieces += r"[*+]|\{\d*,?\d*\}|\?|."
    inside: list[bool] = [False]  # for each open group: does it hold a choice or a repetition?
    closed = False  # does the group that has just been closed?
    for piece in re.findall(pieces, pattern, re.DOTALL):
        if piece.startswith("("):
            inside.append(False)
            closed = False
        elif piece == ")":
            held = inside.pop() if len(inside) > 1 else False
            inside[-1] = inside[-1] or held
            closed = held
        elif piece in ("*", "+", "?") or (piece.startswith("{") and len(piece) > 2):
            if closed and _most(piece) > _MOST_REPEATS:
                return True
            inside[-1] = True
            closed = closed and piece == "?"
        else:
            inside[-1] = inside[-1] or piece == "|"
            closed = False
    return False


def _most(quantifier: str) -> float:
    if quantifier == "?":
        return 1
    numbers = quantifier.strip("{}").split(",")
    return int(numbers[-1]) if numbers[-1].isdigit() else float("inf")
