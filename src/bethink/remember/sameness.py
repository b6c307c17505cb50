"""Is what is told known already (SAME), does it replace what is known (CORRECTION), or is it NEW?

Two different facts taken for one are a fact lost, so the rules are strict and nearness in meaning
never decides alone: "prefers dark mode" and "no longer prefers dark mode" are nearer to each other
than most sentences are to their own paraphrase. Numbers, dates, identifiers, names, negations and
the order of who does what must agree before two sentences are the same. A correction needs the same
subject and one changed value or polarity. In doubt it is NEW, and the near one is named.

docs/reference/sameness.md tells the rules with examples and what was measured.
"""

from __future__ import annotations

from collections import Counter
from datetime import datetime, tzinfo
from difflib import SequenceMatcher
from enum import StrEnum
from functools import cache, lru_cache
from typing import NamedTuple

from bethink.remember.alignment import align, another_subject
from bethink.remember.changes import Replaces, changed, comes_beside, compare
from bethink.remember.statements import says_nothing
from bethink.text.facts import NOT, Reading, read, stem

_SURENESS = (Replaces.NOT, Replaces.PERHAPS, Replaces.SURELY)


class Verdict(StrEnum):
    SAME = "same"
    CORRECTION = "correction"
    NEW = "new"


class Judgement(NamedTuple):
    verdict: Verdict
    why: str
    beside: bool = False  # new, and about the same: worth naming
    doubt: bool = False  # new, and perhaps the older one holds no more


class Bounds(NamedTuple):
    """Cosines of one embedder, from benchmarks/calibrate_sameness.py."""

    same: float  # in other words: not one of the pairs that differ came so near
    near: float  # below it nothing is a correction
    note: float  # from here on a memory is worth naming beside what is new
    chinese: bool = True  # False: it finds all Chinese alike; there, words alone judge


WORDS_ALONE = Bounds(same=2.0, near=-1.0, note=2.0)
ANY_EMBEDDER = Bounds(same=2.0, near=0.0, note=0.9)  # nobody knows what its cosines mean
# By the beginning of the fingerprint: another version of a model is measured anew.
MEASURED = {
    "use-multilingual-v3/": Bounds(same=0.86, near=0.41, note=0.82),
    "arctic-s/": Bounds(same=0.97, near=0.87, note=0.95, chinese=False),
    "hashing/": Bounds(same=2.0, near=-1.0, note=0.55),
    "use-m+arctic-s/": Bounds(same=0.92, near=0.37, note=0.84),
}


def bounds_of(fingerprint: str | None) -> Bounds:
    if fingerprint is None:
        return WORDS_ALONE
    for beginning, bounds in MEASURED.items():
        if fingerprint.startswith(beginning):
            return bounds
    return ANY_EMBEDDER


@lru_cache(maxsize=256)
def _read(text: str, year: int | None) -> Reading:
    return read(text, year=year)


class Told(NamedTuple):
    """A text and when it was told: a date without a year is one of that year."""

    text: str
    at: datetime | None = None

    def reading(self, zone: tzinfo | None) -> Reading:
        return _read(self.text, None if self.at is None else self.at.astimezone(zone).year)


_ONE_VALUE = 2  # words that can be one value ("dark blue")
_LONGEST = 1_000  # characters: reading a text clause by clause takes the square of its length


def judge(
    old: Told,
    new: Told,
    *,
    cosine: float | None = None,
    bounds: Bounds = WORDS_ALONE,
    zone: tzinfo | None = None,
    strictly: bool = False,
    reading: Reading | None = None,
    unmarked: bool = True,
) -> Judgement:
    """Judge one pair. `strictly`: a changed value is a correction only if the new text says so
    itself (of two tasks on two days both are to be done). Without `unmarked` that holds too, unless
    it is what a thing has one of ("the port is 8080"). `reading` is the new text's, for whoever
    judges it against many."""
    if not bounds.chinese and not (old.text + new.text).isascii():
        cosine = None
    a, b = old.reading(zone), reading or new.reading(zone)
    if a.relative or b.relative:
        days = [t.at.astimezone(zone).date() for t in (old, new) if t.at is not None]
        if len(days) == 2 and days[0] != days[1]:
            return Judgement(Verdict.NEW, "it speaks of days that depend on when it was told")
    if _same(a, b):
        return Judgement(Verdict.SAME, "the same in the same words")
    if cosine is not None and cosine >= bounds.same and _may_be_other_words(a, b):
        return Judgement(Verdict.SAME, f"the same in other words (cosine {cosine:.2f})")
    if cosine is not None and cosine < bounds.near:
        return Judgement(Verdict.NEW, "about something else")
    if max(len(old.text), len(new.text)) > _LONGEST:
        return Judgement(Verdict.NEW, "it says several things, and replaces none as a whole")
    if says_nothing(new.text):
        return Judgement(Verdict.NEW, "it says nothing of how it is now")
    if another_subject(old.text, new.text):
        return Judgement(Verdict.NEW, "about something else")
    replaces = _reported(a, new.text)
    if replaces is Replaces.SURELY:
        return Judgement(Verdict.CORRECTION, "it says that this has changed")
    why = _correction(a, b, strictly=strictly, unmarked=unmarked)
    if why == _BOTH or (why and comes_beside(new.text) and not b.replaces):
        return Judgement(Verdict.NEW, _BOTH, beside=True)
    if not why and (b.corrects or not strictly):
        replaces = max(replaces, align(old.text, new.text), key=_SURENESS.index)
        if replaces is Replaces.SURELY:
            return Judgement(Verdict.CORRECTION, "the same thing has another value now")
    if why == _DOUBT or (not why and replaces is Replaces.PERHAPS):
        return Judgement(Verdict.NEW, _DOUBT, beside=True, doubt=True)
    if why:
        return Judgement(Verdict.CORRECTION, why)
    return Judgement(Verdict.NEW, "not surely the same and not surely a correction")


def one_fact(text: str, other: str) -> bool:
    """Do two lines say the same, if one of them leaves out that it is about the user?"""
    a, b = read(text), read(other)
    return _same(a, b) or (bool(_of_the_user(a)) and _of_the_user(a) == _of_the_user(b))


def _of_the_user(reading: Reading) -> tuple[str, ...]:
    tokens = reading.tokens
    for subject in (("I",), ("user",), ("我",), ("用", "户")):
        if tokens[: len(subject)] == subject:
            return tokens[len(subject) :]
    return tokens


def opposite(a: Reading, b: Reading) -> bool:
    """The same statement with the other polarity, word for word."""
    return a.negative != b.negative and _positive(a) == _positive(b)


# Which of these stands there hangs on the words around them; in other words it may be another.
_PLAIN_RELATIONS = frozenset("have in on at to for with about as 有 在".split())


def _same(a: Reading, b: Reading) -> bool:
    """All that tells is the same and in the same order, or moved as a whole from one end to the
    other ("on Fridays Mei works" and "Mei works on Fridays")."""
    if a.tokens == b.tokens:
        return bool(a.tokens)
    size = len(a.tokens)
    if size < 3 or Counter(a.tokens) != Counter(b.tokens):
        return False
    return any(a.tokens[at:] + a.tokens[:at] == b.tokens for at in range(1, size))


def _may_be_other_words(a: Reading, b: Reading) -> bool:
    """May these be the same in other words, if they are near enough? Not if anything exact, any
    name, negation or relation differs, and not if one short piece stands for another: in "dark
    mode" and "light mode" that piece is the fact."""
    if a.exact != b.exact or a.negations != b.negations:
        return False
    if _relations(a) != _relations(b) or not _same_names(a, b):
        return False
    kept = Counter(a.tokens) & Counter(b.tokens)
    if kept in (Counter(a.tokens), Counter(b.tokens)):
        return False  # one says more than the other, or says it in another order
    change = _change(a, b)
    return change is None or len(change.before) + len(change.after) < max(
        len(change.old), len(change.new)
    )


def _relations(reading: Reading) -> list[str]:
    return sorted(set(reading.relations) - _PLAIN_RELATIONS)


def _same_names(a: Reading, b: Reading) -> bool:
    return set(a.names) <= set(b.tokens) and set(b.names) <= set(a.tokens)


# Corrections


# What a thing has one of: another value replaces the former.
_ATTRIBUTES = frozenset(
    "port host url address email phone number password key name nickname title deadline owner "
    "maintainer lead manager boss version branch default limit timeout size budget price cost rate "
    "salary color theme mode font language timezone zone currency birthday age height weight "
    "status state editor shell browser os framework database favorite hometown capital location "
    "country city employer role position goal priority format encoding licence license region "
    "provider codename hours retention maximum minimum capacity threshold ttl extension headcount "
    "provider model quota interval frequency duration".split()
)
_ATTRIBUTES_CHINESE = """
端口 主机 地址 邮箱 电话 手机号 号码 密码 密钥 名字 名称 昵称 标题 截止 期限
负责人 组长 经理 老板 版本 分支 默认 上限 下限 超时 大小 预算 价格 费用 工资
颜色 主题 模式 字体 语言 时区 货币 生日 年龄 身高 体重 状态 编辑器 浏览器 框架
数据库 最喜欢 故乡 首都 位置 国家 城市 公司 职位 目标 优先级 格式 编码 许可证
频率 间隔 时长 时间 日期 地点
""".split()
# What one has, likes or does several of: another one comes beside the former.
_MANIFOLD = frozenset(
    "like allerg invit know own speak learn studi eat drink watch read listen collect follow "
    "attend visit interest subscrib join want have play sponsor recommend mention thank".split()
)
_MANIFOLD_CHINESE = """
喜欢 过敏 邀请 认识 知道 拥有 养 会说 学 吃 喝 看 听 读 收藏 关注 参加 去过 感兴趣 订阅 加入 想 擅长
有 玩 推荐 感谢
""".split()
_TYPED = frozenset({"number", "date", "identifier"})
_PER = frozenset({"month", "year", "week", "day", "hour", "person", "daili", "weekli", "monthli"})
_FILLERS = frozenset(
    {"was", "can", "need", "you", "I", "要", "能", "会", "可", "已", "经", "will", "we"}
)
_BOTH = "both may hold"
_DOUBT = "it may correct this one"
# What one does or is alone: "Ben leads payments now" ends that Anna does.
_ALONE = frozenset(
    "lead manag head own maintain run chair respons charg manager boss lead owner maintain "
    "coordin handl supervis direct captain contact assign respons repres".split()
)
_ALONE_CHINESE = "负责 带 管 主管 领导 组长 经理 主持 牵头 维护 对接 联系 接手 值班 担任".split()
_MOST_CHANGED = 3  # words of one value; six characters in Chinese


class _Change(NamedTuple):
    """The one place where two texts differ."""

    before: tuple[str, ...]
    old: tuple[str, ...]
    new: tuple[str, ...]
    after: tuple[str, ...]
    old_kinds: frozenset[str]
    new_kinds: frozenset[str]
    linked: bool


def _correction(a: Reading, b: Reading, *, strictly: bool, unmarked: bool = True) -> str:
    """Why the new replaces the old; empty if it surely does not."""
    b = _without_new(_without_the_rejected(a, b))
    if a.negative != b.negative:
        return _turned(a, b)
    if a.negations != b.negations:
        return ""
    if (a.event or b.event) and not b.corrects:
        return ""
    if strictly and not b.corrects:
        return ""
    if b.corrects and (why := _turned_round(a, b) or _several_values(a, b)):
        return why
    change = _change(a, b)
    if change is None:
        return ""
    if not change.before:
        return _another_one(change, b)
    if not change.old or not change.new:
        return ""
    if change.old_kinds & _TYPED and change.old_kinds - _TYPED and change.new_kinds & _TYPED:
        return ""  # whose value it is differs too
    typed = change.old_kinds <= _TYPED and change.old_kinds == change.new_kinds
    if typed and len(change.old) == len(change.new) == 1:
        every = change.before[-1] in ("every", "每")  # an interval is never part of a name
        value = not change.after or change.linked or every or set(change.after) <= _PER
        if "identifier" in change.old_kinds and b.corrects and _may_be_both(change, b):
            return _BOTH
        if b.corrects or (value and (unmarked or _has_one(change) or every)):
            return f"{change.old[0]} became {change.new[0]}"
        return _DOUBT if value else ""
    if _size(change.old) > _MOST_CHANGED or _size(change.new) > _MOST_CHANGED:
        return ""
    told = f"“{_shown(change.old)}” became “{_shown(change.new)}”"
    if b.corrects:
        kept = len(change.before) + len(change.after)
        enough = kept >= max(2, len(change.old), len(change.new))
        if enough and _may_be_both(change, b):
            return _BOTH
        return told if enough else ""
    if change.linked and _size(change.after) < 1 and _is_attribute(change.before):
        # "the port is for tests", "the port is open to all": several words may both be true
        short = max(_size(change.old), _size(change.new)) <= _ONE_VALUE
        return told if unmarked or short else _DOUBT
    return ""


def _reported(a: Reading, text: str) -> Replaces:
    """What a text that reports a change does to an older one, read in every way it can be."""
    if a.event and not a.corrects:
        return Replaces.NOT
    attributes = _attribute_stems() | _ALONE
    said = {compare(a, one, attributes=attributes) for one in changed(text)}
    if Replaces.SURELY in said and not comes_beside(text):
        return Replaces.SURELY
    return Replaces.PERHAPS if said - {Replaces.NOT} else Replaces.NOT


def _without_new(b: Reading) -> Reading:
    """ "My new phone number is …" says that the former is over."""
    for at, token in enumerate(b.tokens[:-1]):
        if token in ("new", "新") and _is_attribute(b.tokens[at + 1 : at + 4]):
            return b._replace(
                tokens=b.tokens[:at] + b.tokens[at + 1 :],
                kinds=b.kinds[:at] + b.kinds[at + 1 :],
                links=frozenset(one - (one > at) for one in b.links),
                corrects=True,
                replaces=True,
            )
    return b


def _has_one(change: _Change) -> bool:
    """A thing has one such value, whatever it is; of days there may be several."""
    return change.linked and _is_attribute(change.before)


def _another_one(change: _Change, b: Reading) -> str:
    """Somebody else does now what one does alone, or is it."""
    if not b.corrects or not change.old or not change.new or len(change.after) < 2:
        return ""
    if _size(change.old) > _MOST_CHANGED or _size(change.new) > _MOST_CHANGED:
        return ""
    rest = "".join(change.after)
    if _ALONE.isdisjoint(change.after) and not any(one in rest for one in _ALONE_CHINESE):
        return ""
    return f"“{_shown(change.old)}” became “{_shown(change.new)}”"


def _several_values(a: Reading, b: Reading) -> str:
    """From 9 to 5, from 8 to 6: the same words, and other values in the same places."""
    if len(a.tokens) != len(b.tokens) or a.kinds != b.kinds:
        return ""
    differ = [
        at for at, pair in enumerate(zip(a.tokens, b.tokens, strict=True)) if len({*pair}) > 1
    ]
    if len(differ) < 2 or not differ[0] or any(a.kinds[at] not in _TYPED for at in differ):
        return ""
    between = {a.kinds[at] for at in range(differ[0], differ[-1]) if at not in differ}
    if between - {"relation"} or any(a.kinds[at] in _TYPED for at in range(differ[0])):
        return ""  # the first of them may say whose the others are
    return " ".join(f"{a.tokens[at]} became {b.tokens[at]}" for at in differ)


def _turned_round(a: Reading, b: Reading) -> str:
    """ "3.10 is the minimum version", "the minimum version is now 3.11": one side stayed."""
    for at in sorted(a.links):
        left, right = a.tokens[:at], a.tokens[at:]
        if not left or not right or not _is_attribute(right):
            continue
        if b.tokens[: len(right)] == right and len(b.tokens) > len(right):
            value = b.tokens[len(right) :]
            kinds = set(a.kinds[:at]) & _TYPED, set(b.kinds[len(right) :]) & _TYPED
            if value != left and kinds[0] == kinds[1] and _size(value) <= _MOST_CHANGED:
                return f"“{_shown(left)}” became “{_shown(value)}”"
    return ""


def _may_be_both(change: _Change, b: Reading) -> bool:
    """Who now likes coffee may like tea as before. Not of what a thing has one of ("prefers light
    mode"), nor if it says that the former is over ("instead", 改为)."""
    if b.replaces or _is_attribute(change.before) or _is_attribute(change.after):
        return False
    around = (*change.before, *change.after)
    chinese = "".join(change.before) + " " + "".join(change.after)
    return not _MANIFOLD.isdisjoint(around) or any(one in chinese for one in _MANIFOLD_CHINESE)


def _turned(a: Reading, b: Reading) -> str:
    """The same statement with the other polarity."""
    one, other = _positive(a), _positive(b)
    if one == other:
        return "it says the opposite" if one else ""
    if not b.corrects:
        return ""
    # it says itself that something has ended: it may leave out how, or say more about it
    shorter, longer = sorted((one, other), key=len)
    in_order = sum(
        m.size for m in SequenceMatcher(None, shorter, longer, autojunk=False).get_matching_blocks()
    )
    enough = _size(shorter) >= 2 and in_order == len(shorter) and len(longer) <= 2 * len(shorter)
    return "it says that this has ended" if enough else ""


def _positive(reading: Reading) -> tuple[str, ...]:
    return tuple(t for t in reading.tokens if t != NOT and t not in _FILLERS)


def _without_the_rejected(a: Reading, b: Reading) -> Reading:
    """ "Use Postgres instead of MySQL" rejects what the old text holds, and so corrects it."""
    if "notthis" not in b.tokens:
        return b
    at = b.tokens.index("notthis")
    rejected = b.tokens[at + 1 :]
    if not rejected or not set(rejected) <= set(a.tokens):
        return b
    return b._replace(
        tokens=b.tokens[:at],
        kinds=b.kinds[:at],
        corrects=True,
        replaces=True,
        relations=tuple(r for r in b.relations if r != "notthis"),
    )


def _change(a: Reading, b: Reading) -> _Change | None:
    """The one changed piece; None if there are several, or none."""
    first = 0
    shorter = min(len(a.tokens), len(b.tokens))
    while first < shorter and a.tokens[first] == b.tokens[first]:
        first += 1
    last = 0
    while last < shorter - first and a.tokens[-1 - last] == b.tokens[-1 - last]:
        last += 1
    end_a, end_b = len(a.tokens) - last, len(b.tokens) - last
    old, new = a.tokens[first:end_a], b.tokens[first:end_b]
    if set(old) & set(new):
        return None  # what they share in there makes it several changes
    return _Change(
        a.tokens[:first],
        old,
        new,
        a.tokens[end_a:],
        frozenset(a.kinds[first:end_a]),
        frozenset(b.kinds[first:end_b]),
        first in a.links or first in b.links,
    )


def _size(tokens: tuple[str, ...]) -> float:
    return sum(0.5 if len(t) == 1 and not t.isascii() else 1.0 for t in tokens)


def _is_attribute(subject: tuple[str, ...]) -> bool:
    joined = "".join(subject)
    return not _attribute_stems().isdisjoint(subject) or any(
        attribute in joined for attribute in _ATTRIBUTES_CHINESE
    )


@cache
def _attribute_stems() -> frozenset[str]:
    return frozenset(map(stem, _ATTRIBUTES))


def _shown(tokens: tuple[str, ...]) -> str:
    return ("" if any(_size((t,)) < 1 for t in tokens) else " ").join(tokens)
