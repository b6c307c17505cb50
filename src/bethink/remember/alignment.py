"""Two statements about the same thing with another value, in whatever words.

`changes` knows the forms in which a change is told. This module needs none of them. It aligns an
older and a newer text and asks:

- what the newer one says of now: a question, a condition, a plan, hearsay and a quotation say
  nothing, and a clause about the past or about what stays as it is names former values at most;
- whether both are about the same thing: the telling words of the older one are in the newer one,
  and no word stands in the place of another ("the staging API", "the production API");
- whether a value of the same kind differs: a number with the same sort of unit, a day, a date, a
  time, a version, an address; or whether the newer one says that the older is over;
- how the newer one shows a change: a verb of change, "now", an arrow, 改, 换, 不…了.

It replaces surely if all of this is found, perhaps if the subject is the same and either a value
differs or a change is told, and not at all otherwise.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from functools import lru_cache
from typing import NamedTuple

from bethink.remember.changes import Replaces, comes_beside
from bethink.text.facts import Reading, read, stem
from bethink.text.stop_words import ENGLISH as STOP_WORDS
from bethink.text.stop_words import is_grammar

# What is not said of now.

_SAYS_NOTHING = re.compile(
    r"[?？]"
    r"|\b(?:if|would|could|might|maybe|perhaps|whether|unless|suppose|supposing|imagine|"
    r"consider(?:s|ed|ing)?|propos\w+|suggest\w*|recommend\w*|hop(?:e|es|ing) to|wish(?:es|ing)?|"
    r"want(?:s|ed)? to|would like|plan(?:s|ned|ning)? (?:to|on)|think(?:s|ing)? (?:of|about)|"
    r"intend\w*|talk(?:s|ed|ing)? (?:of|about)|rumou?r\w*|heard|apparently|supposedly|allegedly|"
    r"claim(?:s|ed|ing)?|according to|i read|joked?|dream\w*|should we|what about|someone|somebody|"
    r"a (?:blog|post|customer|friend|colleague|user|client|forum|reader)|falsely|pretend\w*)\b"
    r"|\b(?:says?|said|wrote|writes|asked|asks|told (?:me|us))\b"
    r"|如果|要是|假如|假设|假使|倘若|万一|要不要|能不能|可不可以|是不是|是否|打算|考虑|"
    r"计划(?:把|在|换|改|要|将)|想(?:要|把|换|改|搬|去|让)|希望|建议|劝|也许|可能|或许|恐怕|说不定|"
    r"准备(?:把|换|改|搬)|听说|据说|传言|谣|有人|网上|论坛|帖|留言|造谣|声称|谎称|[问说][：:，,]|"
    r"客户问|问(?:过|能|要不|了)|问我[，,：:]|梦见|开玩笑|不如|的话",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"[\"“「『][^\"”」』]{12,}[\"”」』]")
_PAST = re.compile(
    r"\b(?:used to|formerly|previously|back in|until (?:19|20)\d\d|back then|in the past|"
    r"originally|once (?:was|were|had|lived|worked)|years? ago|last year|as a (?:child|kid)|"
    r"before (?:that|she|he|it|we|they|i|this)|at the time|in those days|former(?:ly)?|"
    r"(?:his|her|my|our|their|'s) (?:first|previous|old|last) (?:car|job|company|flat|house|school)|"
    r"archived|historically|in (?:19|20)\d\d)\b"
    r"|以前|曾|原来|原先|原本|当年|当初|去年|前年|小时候|从前|那时|上一家|前一家|上一任|前任|过去|"
    r"之前|刚来时|早年",
    re.IGNORECASE,
)
_STAYS = re.compile(
    r"\b(?:unchanged|stays?|remains?|still|same as before|as before|did not change|"
    r"(?:is|are) not affected)\b|没[有]?[变动改]|不变|不动|照旧|照常|依旧|仍|不受影响|还是",
    re.IGNORECASE,
)
_APART = re.compile(
    r"\b(?:is not|isn't|are not|aren't) the (?:same|\w+ (?:who|that|which))\b|\bnot to be confused\b"
    r"|\b(?:unlike|different from|other than|no relation)\b"
    r"|不是(?:同)?一[个回码]|同名|另一[个家位台]|另外一|别的|其他",
    re.IGNORECASE,
)
_ONCE = re.compile(
    r"\b(?:yesterday|this time|tonight|last (?:night|week))\b|昨天(?!起)|昨晚|这一?次",
    re.IGNORECASE,
)
_EXCEPTION = re.compile(
    r"\b(?:for once|just this once|today only|one-off|exceptionally)\b|破例|偶尔|今天一天|就这一次",
    re.IGNORECASE,
)

# Signs that something is not as it was.

_ARROW = re.compile(r"->|=>|→|⇒|➡")
_CHANGE = re.compile(
    r"\b(?:mov(?:ed?|es|ing)|switch(?:ed|es|ing)|chang(?:ed|es|ing|e)|renam\w+|migrat\w+|rais(?:ed|es|ing)|"
    r"lower(?:ed|s)|increas(?:ed|es)|reduc(?:ed|es)|decreas(?:ed|es)|extend(?:ed|s)|shorten(?:ed|s)|"
    r"postpon\w+|delay(?:ed|s)|push(?:ed|es)|brought|upgrad\w+|downgrad\w+|bump(?:ed|s)?|"
    r"transferred|relocat\w+|shift(?:ed|s)|reschedul\w+|rebook\w*|updat(?:ed|es)|swap(?:ped|s)|"
    r"convert(?:ed|s)|adjust(?:ed|s)|promoted|correct(?:ed|ion)|revised|reassigned|handed|"
    r"replac\w+|t(?:ook|akes?|aken) over|dropp?(?:ed|s)?|cut to|slipp?(?:ed|s)|gr[eo]wn? (?:to|from)|rose|risen|"
    r"f(?:e|a)ll(?:en)?|went (?:up|down|from)|gone (?:up|down)|up (?:to|from)|down (?:to|from)|"
    r"pulled|put (?:back|off)|"
    r"re(?:wr|named|numbered|placed|design|built|done|turned|joined|tired)\w*|left(?! (?:hand|side|eye|arm|leg|foot|ear|over|corner|lane))|quit|joined|"
    r"became|turned (?:into|out|\d+)|turns out|instead|no longer|no more|since (?:last|this|\w+day|january|february|march|april|may|june|"
    r"july|august|september|october|november|december)|any ?more|any longer|"
    r"from (?:now|here) on|starting|effective|"
    r"these days|nowadays|as of|after all|started|finished|settled on|agreed on|"
    r"got (?:married|promoted|divorced)|not|isn't|aren't|doesn't|don't|won't|"
    r"wrong|mistake\w*|scratch that|actually|gave up|given up|called off|"
    r"cancel\w*|broke (?:off|up)|ripped out|closed|dead|gone|over|sold|removed|discontinued|"
    r"phased out|ended|stopped|turned (?:on|off)|enabled|disabled|merged|split|redirect\w*|"
    r"overrid\w+|superseded?|supersedes|deprecated|rolled (?:back|out))\b"
    r"|改|换|搬|迁|移到|挪|调[整到成至为走离]|转[学岗行让正]|[升降涨跌提加减增缩延放收转切][到至为成]|[升降涨跌]了|升级|降级|降低|提高|提升|"
    r"提前|推迟|延期|延后|延长|缩短|增加|减少|放宽|收紧|变[成更为了]|更新[到为成至了：]|更正|纠正|订正|修正|记错|写错|"
    r"说错|弄错|其实|作废|取消|终止|解除|停[了用止掉]|不再|别再|[不没][^，。；！,;!]{1,8}了|"
    r"关掉|下掉|下线|上线了|撤|离职|离开|辞职|退[租出休]|接手|接替|接任|接管|交接|移交|交给|转给|送给|"
    r"卖掉|如今|恢复|统一|一律|以后|往后|今后|从现在起|起执行|起[，,]|[月周天日年]起|从[^，。；,]{1,6}起|"
    r"旧的|重写|重定|黄了|吹了|到此为止|不是",
    re.IGNORECASE,
)
_NOW = re.compile(r"\b(?:now|currently|at present)\b|现在|目前|现已|眼下|已|了[。！!]?$", re.I)
_MOVED = re.compile(
    r"\b(?:mov(?:ed|es|ing)|relocat\w+|transferred|migrat\w+|shift(?:ed|s)|joined|rehomed)\b"
    r"|[搬迁挪移转][^，。；,]{0,2}[到至去回进]|搬|迁|送[给到去]|调[到去]",
    re.IGNORECASE,
)
_KIN = re.compile(
    r"(?:^|[.;,]\s*)(?:(?:my|his|her|our|their|\w+'s) )?(?P<en>wife|husband|sister|brother|father|mother|"
    r"mum|mom|dad|son|daughter|uncle|aunt|cousin|friend|colleague|neighbou?r|boss|partner|roommate|"
    r"grandma|grandpa|flatmate)\b"
    r"|(?:^|[，。；,])(?:我们?|他|她)?(?:的)?(?P<zh>老婆|老公|弟弟|哥哥|姐姐|妹妹|爸爸?|妈妈?|儿子|女儿|同事|朋友|邻居|"
    r"隔壁|叔叔|姑姑|舅舅|阿姨|表[哥姐弟妹姑]|堂[哥姐弟妹]|室友|对门)",
    re.IGNORECASE,
)
# The thing itself is over.
_OVER = re.compile(
    r"\b(?:no longer|any ?more|any longer|cancel\w*|called off|gave up|given up|broke (?:off|up)|"
    r"ripped out|drop(?:ped|s)|discontinued|phased out|stopped|removed|retired|ended|deprecated|"
    r"quit|pulled out|turned off|disabled|shut down|dead|closed|gone|left(?! (?:hand|side|eye|arm|leg|foot|ear|over|corner|lane))|moved out|no more|got rid of|"
    r"not|isn't|aren't|doesn't|don't|won't|wrong)\b"
    r"|取消|终止|解除|停用|停了|停止|停掉|不再|别再|关掉|下掉|下线|作废|撤[了掉销]|离职|离开|辞职|退租|退出|"
    r"黄了|吹了|到此为止|卖掉|送给|连不上|释放|记错|写错|说错|弄错|不是|没有?[^，。；！,;!]{0,6}了|"
    r"[不别][^，。；！,;!]{1,8}了|交接|移交|不代|没赶上",
    re.IGNORECASE,
)
_NO_MORE = re.compile(
    r"\b(?:no longer|no more|any ?more|any longer|cancel\w*|called off|gave up|given up|broke (?:off|up)|"
    r"got rid of|pulled out)\b|取消|终止|解除|不再|别再|黄了|吹了|到此为止|[不没别][^，。；！,;!]{1,8}了",
    re.IGNORECASE,
)
_ENDED = re.compile(re.sub(r"\|dead\|closed\|gone|\|wrong", "", _OVER.pattern), re.IGNORECASE)
_WAS_OVER = re.compile(
    r"\b(?:no|no longer|not|never|any ?more|retired|cancel\w*|don't|doesn't|isn't)\b|不|没|停用|取消|终止",
    re.I,
)

# Words that any two texts may share.

_GENERIC = frozenset(
    "user use take live work listen hold held keep kept call name go goe come came make made start "
    "send sent write need want like day week month year time everi each daili per total number new "
    "now current default thing place put set get got see look say said tell told know think give "
    "find want last next first finish final long short good great big still alwai never usual morn "
    "afternoon even night it i we you he she thei that thi there here who what which when where "
    "plan due schedul begin end leav stai happen run handl contact user's cost pai want prefer base "
    "expir support allow requir list done ship open deploi locat situat host store".split()
)
_FUNCTION = frozenset(
    "的了是在和也就都而及与着或之吗呢吧啊呀么嘛哦啦这那哪其此被把让给对于从到向以为因所由但我你他她它们您谁"
    "有没不很太又再还会能要想可请个些什怎样何几多用叫定放说做走按每只一号日月年点去来过住今当吃打跑写上下里"
    "设存养开办订买跟约共最得地已现改换成名字时间"
)
# Stems and characters of verbs of change: they stand where the older one has none.
_CHANGING = frozenset(
    "move switch chang renam migrat rais lower increas reduc decreas extend shorten postpon delai "
    "push upgrad downgrad bump shift reschedul rebook updat swap convert adjust correct revis "
    "replac drop slip grew rose fell cut becam turn join start doctor "
    "升 降 涨 跌 提 高 减 加 增 调 整 推 迟 延 期 前 缩 短 长 搬 迁 移 挪 转 切 变 更 新 正 收 紧 宽".split()
)
_UNTELLING = _GENERIC | _CHANGING | STOP_WORDS | {"现", "已", "成", "改", "换"}
_VERBS_CHINESE = "叫住用由找寄存放坐吃喝学读写穿骑开租订"
_WEIGHT_OF_HAN = 0.5


class Value(NamedTuple):
    token: str
    sort: str  # what it can be compared with: duration, money, day, version, …


class Clause(NamedTuple):
    text: str
    tokens: tuple[str, ...]  # telling words, stems; characters in Chinese
    order: tuple[str, ...]  # the same with the sorts of the values where they stand
    pairs: frozenset[str]  # of Chinese characters next to each other
    values: tuple[Value, ...]
    names: frozenset[str]
    fronts: frozenset[tuple[str, str]]  # telling words that stand next to each other
    subject: int  # how many of the tokens stand before the value
    event: bool  # something that happened, and may have happened again


class Statement(NamedTuple):
    """What a text says of now, and which values it names as former ones."""

    now: tuple[Clause, ...]
    past: tuple[Clause, ...]
    silent: bool  # it says nothing of now: a question, a plan, hearsay, …
    whole: Clause


def says_nothing(text: str) -> bool:
    """Whether a text is a question, a condition, a plan, hearsay, a quotation or about the past:
    it corrects nothing then."""
    return statement(text).silent


@lru_cache(maxsize=512)
def statement(text: str) -> Statement:
    whole = _clause(text)
    silent = any(p.search(text) for p in (_SAYS_NOTHING, _QUOTED, _APART))
    now: list[Clause] = []
    past: list[Clause] = []
    for sentence in re.split(
        r"(?<!\bdr)(?<!\bmr)(?<!\bms)(?<!\bst)(?<!\bmrs)[.!;]\s+|[。；！]", text, flags=re.I
    ):
        # In English a comma seldom ends what "used to" or "until 2015" is said of.
        chinese = not sentence.isascii()
        for part in re.split("[，,]", sentence) if chinese else [sentence]:
            if not part.strip():
                continue
            over = _PAST.search(part) or (chinese and _STAYS.search(part))
            (past if over and not _ARROW.search(part) else now).append(_clause(part))
    once = _EXCEPTION.search(text) or (_ONCE.search(text) and not _CHANGE.search(text))
    return Statement(tuple(now), tuple(past), silent or bool(once) or not now, whole)


def _clause(text: str) -> Clause:
    text = re.sub(r"(?<=\d)\s+(?=[年月日号点])|(?<=[年月])\s+(?=\d)", "", text)
    reading = read(text)
    tokens: list[str] = []
    order: list[str] = []
    pairs: set[str] = set()
    values: list[Value] = []
    fronts: set[tuple[str, str]] = set()
    subject = 0  # how many tokens stand before the last link
    before = ""
    told = list(zip(reading.tokens, reading.kinds, strict=True))
    for at, (token, kind) in enumerate(told):
        if at in reading.links and tokens:
            subject = len(tokens)
        if token == "1" and "1" not in text:
            continue  # 一 is an article mostly
        if kind in ("number", "date", "identifier"):
            values.append(_value(token, kind))
            order.append(f"<{values[-1].sort}>")
            if at + 1 < len(told) and kind == "number" and told[at + 1][0] in _COUNTED:
                values[-1] = Value(token, f"number of {told[at + 1][0]}")
        elif token in ("st", "nd", "rd", "th"):
            continue
        elif token in _ORDINALS:
            values.append(Value(token, "ordinal"))
        elif _is_han(token):
            if _is_han(before):
                pairs.add(before + token)
            tokens.append(token)
            order.append(token)
            before = token
            continue
        elif kind in ("word", "name") and len(token) > 1:
            tokens.append(token)
            order.append(token)
            if before and not _is_han(before) and at not in reading.links:
                fronts.add((before, token))
            before = token
            continue
        before = ""
    fronts |= _fronts_in_chinese(text)
    return Clause(
        text,
        tuple(tokens),
        tuple(order),
        frozenset(pairs),
        tuple(values),
        _names(reading, text),
        frozenset(fronts),
        subject or len(tokens),
        reading.event,
    )


def _is_han(token: str) -> bool:
    return len(token) == 1 and not token.isascii()


def _fronts_in_chinese(text: str) -> set[tuple[str, str]]:
    """Two characters and the two that stand before them, in one word or with 的 between."""
    found: set[tuple[str, str]] = set()
    for run in re.findall("[\u4e00-\u9fff]{4,}", text.replace("的", "")):
        for at in range(2, len(run) - 1):
            before, word = run[at - 2 : at], run[at : at + 2]
            if _FUNCTION.isdisjoint(before + word) and _CHANGING.isdisjoint(before + word):
                found.add((before, word))
    return found


def _names(reading: Reading, text: str) -> frozenset[str]:
    """Names that are no mere beginning of a sentence."""
    first = re.match(r"\W*(\w+)", text)
    begins = first[1].lower() if first else ""
    return frozenset(n for n in reading.names if len(n) > 1 and not begins.startswith(n[:4]))


_ORDINALS = frozenset("first second third fourth fifth sixth seventh eighth ninth tenth".split())
_COUNTED = frozenset("折片章楼岁人个台次倍页层级粒颗杯位名套间节桌")  # measure words
_BASE = {
    "ms": 0.001, "s": 1, "min": 60, "h": 3600, "day": 86400, "week": 604800,
    "mg": 0.001, "g": 1, "kg": 1000, "kb": 1024, "mb": 1024**2, "gb": 1024**3, "tb": 1024**4,
}  # fmt: skip
_SORTS = {
    **dict.fromkeys(("ms", "s", "min", "h", "day", "week", "month", "year"), "duration"),
    **dict.fromkeys(("b", "kb", "mb", "gb", "tb"), "size"),
    **dict.fromkeys(("usd", "eur", "cny"), "money"),
    **dict.fromkeys(("mg", "g", "kg"), "mass"),
    **dict.fromkeys(("mm", "cm", "m", "km"), "length"),
}
_WHEN = frozenset({"day", "date", "time"})


def _value(token: str, kind: str) -> Value:
    """One spelling: an hour is 3600 seconds."""
    sort = _sort(token, kind)
    number, _, unit = token.partition(" ")
    if unit in _BASE and kind == "number":
        token = f"{float(number) * _BASE[unit]:g} {sort}"
    return Value(token, sort)


def _sort(token: str, kind: str) -> str:
    if kind == "date":
        return "day" if token.startswith("周") else "date"
    if kind == "number":
        if ":" in token:
            return "time"
        unit = re.sub(r"^-?[\d.,]+\s*", "", token)
        return _SORTS.get(unit, unit) or "number"
    if "@" in token:
        return "address"
    if re.fullmatch(r"v?\d+(\.\d+)+\S*", token):
        return "version"
    shape = re.sub(r"[a-z]+", "a", re.sub(r"\d+", "9", token))
    return f"identifier {shape}"


# Comparing


def another_subject(older: str, newer: str) -> bool:
    """Whether the newer of two texts is about somebody or something else."""
    return _Pair(statement(older).whole, statement(newer)).of_another


def align(older: str, newer: str) -> Replaces:
    """Whether the newer of two texts replaces the older one."""
    old, new = statement(older), statement(newer)
    if new.silent or old.silent:
        return Replaces.NOT
    return _Pair(old.whole, new).replaces()


class _Pair:
    """An older clause beside what is said of now."""

    def __init__(self, old: Clause, new: Statement) -> None:
        self.old, self.new = old, new
        self.said = _joined(new.now)
        self.told = "".join(clause.text + " " for clause in new.now)
        self.change = (
            any(sign.search(self.told) for sign in (_CHANGE, _ARROW)) or self._has_a_new_one()
        )
        self.now = self.change or _NOW.search(self.told) is not None
        self.shared, self.lost = self._coverage(old.tokens)
        if not old.values and self._coverage(old.tokens[old.subject :]) == (0, 0):
            self.lost += 1.0 if old.subject < len(old.tokens) else 0.0  # 成都 is no grammar there
        kin = (m["en"] or m["zh"] for m in _KIN.finditer(self.told))
        held = old.text.lower()
        self.of_another = any(who.lower() not in held for who in kin) or self._owned()
        self.about_another = self._another_subject()

    def replaces(self) -> Replaces:
        enough = self.shared >= (0.5 if self.change and self._same_verb() else 1)
        if not enough or self.about_another:
            return Replaces.NOT
        former = self._former_is_over()
        if comes_beside(self.told) and not former:
            return Replaces.NOT
        share = self.shared / (self.shared + self.lost)
        differs = self._differing()
        sure = self.now and not self._narrowed(named_former=former)
        if former:
            _, lost = self._coverage(self.old.tokens[: self.old.subject])
            certain = sure and share >= 0.6 and lost <= 0.5
            return Replaces.SURELY if certain else Replaces.PERHAPS
        if differs:
            if not self.change and (self.old.event or self._names_it()):
                return Replaces.NOT
            parallel = _in_parallel(self.old, self.said)
            if sure and self.lost <= 0.5 and not parallel and not _inserted(self.old, self.said):
                return Replaces.SURELY
            more = {v.sort for v in self.said.values} - {v.sort for v in self.old.values}
            if more & _WHEN and not self.now:
                return Replaces.NOT  # on Saturdays it closes at four
            likely = share >= 0.5 or (self.change and share >= 0.3)
            return Replaces.PERHAPS if likely else Replaces.NOT
        if self._itself_is_over():
            certain = sure and self.lost == 0 and self.shared >= 1.5
            return Replaces.SURELY if certain else Replaces.PERHAPS
        if _WAS_OVER.search(self.old.text) and _OVER.search(self.told):
            return Replaces.NOT
        if self.change and self._new_words() and self._swapped():
            half = share >= 0.5 or self._subject_share() >= 0.5
            like = self._same_verb() or self._moved() or (share >= 0.5 and self.shared >= 2)
            likely = share >= 0.65 or (half and like)
            return Replaces.PERHAPS if likely else Replaces.NOT
        return Replaces.NOT

    def _has_a_new_one(self) -> bool:
        """ "A new phone number", 新地址: of something that the older one names."""
        english = re.findall(r"\bnew ((?:\w+ ){0,2}\w+)", self.told.lower())
        if any(t[:4] in words for words in english for t in self.old.tokens if len(t) > 3):
            return True
        return any(
            new in self.old.text for new in re.findall("新的?([\u4e00-\u9fff]{2})", self.told)
        )

    def _moved(self) -> bool:
        """Something is at another place."""
        placed = re.search(r"\b(?:in|at|on|to)\b|[在到寄放存]", self.old.text) is not None
        return placed and _MOVED.search(self.told) is not None

    def _names_it(self) -> bool:
        """The value says which one it is, and the same is said of both: Room 101, Room 102."""
        mine, yours = _telling(self.old.order), _telling(self.said.order)
        for at, token in enumerate(mine[:-1]):
            if token.startswith("<") and mine[at + 1 :] == yours[-len(mine[at + 1 :]) :]:
                return True
        return False

    def _same_verb(self) -> bool:
        """Both say it with one of the usual verbs: 叫, 用, live, work."""
        if any(verb in self.old.text and verb in self.told for verb in _VERBS_CHINESE):
            return True
        return any(
            t in _GENERIC and t not in STOP_WORDS and t in self.said.tokens for t in self.old.tokens
        )

    def _subject_share(self) -> float:
        shared, lost = self._coverage(self.old.tokens[: self.old.subject])
        return shared / (shared + lost) if shared else 0.0

    def _owned(self) -> bool:
        """The newer one puts an owner or a kind in front of what the older one begins with:
        表哥的婚礼 for 婚礼, 大会议室 for 会议室, "Olga's sister's wedding"."""
        run = re.match(r"[^\u4e00-\u9fff]*(?:我们?的?|用户的?)?([\u4e00-\u9fff]{2})", self.old.text)
        head = run[1] if run and _FUNCTION.isdisjoint(run[1]) else "-"
        for part in re.split("[，。；！,;!：:\\s]", self.told):
            before = part[: max(0, part.find(head))].removesuffix("的")
            chinese = re.fullmatch("[\u4e00-\u9fff]{1,5}", before) is not None
            if chinese and (_FUNCTION | _CHANGING | {*self.old.text, *"别勿莫请先"}).isdisjoint(
                before
            ):
                return True
        owners = re.findall(r"(\w+)'s (\w+)", self.told.lower())
        return any(
            stem(owned) in self.old.tokens
            and stem(who) in self.said.tokens
            and not any(_same_word(stem(who), t) for t in self.old.tokens)
            for who, owned in owners
        )

    def _narrowed(self, *, named_former: bool) -> bool:
        """One of them says whose or which it is, in front of a word that both hold."""
        held = {*self.said.tokens, *self.said.pairs}
        held |= {t for c in self.new.past for t in (*c.tokens, *c.pairs)}
        known = {*self.old.tokens, *self.old.pairs}
        return any(
            word in held and not any(_same_word(f, one) for one in held)
            for word, fronts in _fronts(self.old).items()
            for f in fronts
        ) or any(
            not named_former and f not in known and any(_same_word(word, one) for one in known)
            for word, fronts in _fronts(self.said).items()
            for f in fronts
        )

    def _swapped(self) -> bool:
        """All values of the older one are named again, or one of them beside another."""
        old = {v.token for v in self.old.values}
        return old <= {v.token for v in self.said.values}

    def _coverage(self, tokens: tuple[str, ...]) -> tuple[float, float]:
        """The weight of the older one's telling words that the newer one holds, and of the rest."""
        held = {t for c in (*self.new.now, *self.new.past) for t in c.tokens}
        pairs = {p for c in (*self.new.now, *self.new.past) for p in c.pairs}
        shared = lost = 0.0
        for at, token in enumerate(tokens):
            han = len(token) == 1
            if token in _GENERIC or token in STOP_WORDS:
                continue
            if han:
                around = tokens[at - 1 : at + 2] if at else tokens[:2]
                found = any(
                    a + b in pairs and not _FUNCTION.issuperset(a + b)
                    for a, b in zip(around, around[1:], strict=False)
                )
                if token in _FUNCTION and (not found or is_grammar(token)):
                    continue
            else:
                found = any(_same_word(token, one) for one in held)
            weight = _WEIGHT_OF_HAN if han else 1.0
            shared, lost = shared + weight * found, lost + weight * (not found)
        kept = {v.token for v in self.old.values} & {v.token for v in self.said.values}
        return shared + 0.5 * len(kept), lost

    def _differing(self) -> bool:
        """A value of the same kind is another one; all others are the same."""
        sorts = {v.sort for v in self.old.values}
        changed: set[str] = set()
        for sort in sorts:
            old = {v.token for v in self.old.values if v.sort == sort}
            new = {v.token for v in self.said.values if v.sort == sort}
            if new and new.isdisjoint(old):
                changed.add(sort)
            elif new - old:
                return False
            if sort not in _WHEN and len(old) > 1:
                return False  # which of them it would be is not told
        return len(changed) == 1 or bool(changed and changed <= _WHEN)

    def _former_is_over(self) -> bool:
        """A value of the older one is named as what holds no more, beside a new one."""
        if _WAS_OVER.search(self.old.text):
            return False
        for clause in (*self.new.past, *self.new.now):
            text = clause.text.lower()
            words = [t for t in self.old.tokens if len(t) > 1 and t not in _GENERIC]
            values = [re.sub(r"\s.*", "", v.token) for v in self.old.values]
            for word in (*words, *values, *filter(None, [_last_run(self.old).lower()])):
                if (at := text.find(word[: max(4, len(word) - 2)])) < 0:
                    continue
                if re.match(rf"\w*\s*(?:{_ARROW.pattern})", text[at + len(word[:-2]) :]):
                    return True
                before = text[max(0, at - 14) : at]
                if re.search(
                    r"(?:\bfrom|, not|instead of|rather than|从|不是)\s?(?:the )?$", before
                ):
                    return self.change
            own = self._own_words(clause)
            if not own:
                continue
            if clause in self.new.past:
                return bool(self._new_words())
            if self._over_near(text, own) and self._new_words():
                return True
        return False

    def _own_words(self, clause: Clause) -> list[str]:
        """Values, and words in the place of a value, of the older one that a clause names."""
        own = [re.sub(r"\s.*", "", v.token) for v in self.old.values if v in clause.values]
        bare = {re.match(r"[\d.]*", v.token)[0] for v in clause.values}  # type: ignore[index]
        own += [
            m[0]
            for v in self.old.values
            if (m := re.match(r"\d[\d.]*(?=\s|$)", v.token)) and m[0] in bare and m[0] not in own
        ]
        if self.old.values:
            return own
        half = 0 if not self.old.text.isascii() else len(self.old.tokens) / 2
        own += [
            token
            for at, token in enumerate(self.old.tokens)
            if at >= half and len(token) > 1 and token in clause.tokens and token in self.old.names
        ]
        run = _last_run(self.old)
        if len(run) >= 2 and run in clause.text:
            own.append(run)
        return own

    def _over_near(self, text: str, own: list[str]) -> bool:
        for part in re.split(r"[,，;；.。:：]\s*|\s+(?:and|but)\s+", text):
            if any(word[:4] in part.lower() for word in own) and _OVER.search(part):
                return True
        return False

    def _itself_is_over(self) -> bool:
        """The newer one says that what the older one tells is over."""
        if _WAS_OVER.search(self.old.text) or self.shared < 1:
            return False
        share = self.shared / (self.shared + self.lost)
        value = self._coverage(self.old.tokens[self.old.subject :])
        sign = _NO_MORE if share < 0.6 or (value[1] and not value[0]) else _ENDED
        return share >= 0.3 and any(
            sign.search(c.text) and _overlap(self.old, c) for c in self.new.now
        )

    def _new_words(self) -> bool:
        """There is something in the newer one that the older one does not hold."""
        held = set(self.old.tokens)
        fresh = [t for t in self.said.tokens if t not in held and t not in _GENERIC | _FUNCTION]
        values = {v.token for v in self.said.values} - {v.token for v in self.old.values}
        return bool(fresh or values)

    def _another_subject(self) -> bool:
        """A word stands in front of a shared word where the older one has another one."""
        mine, yours = _fronts(self.old), _fronts(self.said)
        held = set(self.said.tokens) | {t for c in self.new.past for t in c.tokens}
        held |= self.said.pairs | {p for c in self.new.past for p in c.pairs}
        known = set(self.old.tokens) | self.old.pairs
        subject = self.old.tokens if self.old.values else self.old.tokens[: self.old.subject]
        for word, fronts in mine.items():
            others = yours.get(word)
            if not others or not (word in subject or word in "".join(subject)):
                continue
            lost = {f for f in fronts if not any(_same_word(f, one) for one in held)}
            fresh = others - known
            if lost == fronts and fresh == others and not fronts <= _GENERIC:
                return True
        names = self.old.names - {t for t in self.old.names if any(_same_word(t, o) for o in held)}
        fresh_names = {n for n in self.said.names if n not in self.old.tokens}
        if self.of_another:
            return True
        mine, yours = _telling(self.old.tokens), _telling(self.said.tokens)
        if mine != yours and sorted(mine) == sorted(yours) and not self.change:
            return True  # from one to the other, and back
        if not self._differing():
            return False
        sure = self.change and self.shared >= 1.5 * self.lost
        return bool(names and fresh_names) or (not sure and _in_parallel(self.old, self.said))


def _joined(clauses: tuple[Clause, ...]) -> Clause:
    return Clause(
        " ".join(c.text for c in clauses),
        tuple(t for c in clauses for t in c.tokens),
        tuple(t for c in clauses for t in c.order),
        frozenset().union(*(c.pairs for c in clauses)),
        tuple(v for c in clauses for v in c.values),
        frozenset().union(*(c.names for c in clauses)),
        frozenset().union(*(c.fronts for c in clauses)),
        0,
        False,
    )


def _overlap(old: Clause, clause: Clause) -> bool:
    words = {t for t in old.tokens if len(t) > 1 and t not in _GENERIC}
    return bool(words & set(clause.tokens)) or any(
        p in clause.pairs and not is_grammar(p) for p in old.pairs
    )


def _fronts(clause: Clause) -> dict[str, set[str]]:
    """Each telling word with the words that stand right in front of it."""
    found: dict[str, set[str]] = {}
    for before, word in clause.fronts:
        if (
            STOP_WORDS.isdisjoint((before, word))
            and before not in _CHANGING
            and word not in _GENERIC
        ):
            found.setdefault(word, set()).add(before)
    return found


def _in_parallel(old: Clause, new: Clause) -> bool:
    """Words between what both share are others, beside values that are others too: two budgets."""
    mine, yours = _telling(old.tokens), _telling(new.tokens)
    found = SequenceMatcher(None, mine, yours, autojunk=False).get_opcodes()
    if all(op != "equal" for op, *_ in found):
        return False
    return any(
        op == "replace" and not all(map(_same_word, mine[a0:a1], yours[b0:b1]))
        for op, a0, a1, b0, b1 in found
    )


def _inserted(old: Clause, new: Clause) -> bool:
    """The newer one puts a word between two that both hold: the default region for production."""
    found = SequenceMatcher(
        None, _telling(old.order), _telling(new.order), autojunk=False
    ).get_opcodes()
    ops = [op for op, *_ in found]
    return (
        "equal" in ops and "insert" in ops[ops.index("equal") : len(ops) - ops[::-1].index("equal")]
    )


def _telling(tokens: tuple[str, ...]) -> list[str]:
    return [t for t in tokens if t not in _UNTELLING and not (len(t) == 1 and is_grammar(t))]


def _same_word(one: str, other: str) -> bool:
    """The same, or of one family: "owns", "ownership"."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    return len(short) >= 4 and short.isascii() and long.startswith(short[: max(4, len(short) - 2)])


def _last_run(clause: Clause) -> str:
    """The last Chinese words of a clause, where its value stands: 支付组由安娜负责 has none."""
    runs = re.findall(r"[\u4e00-\u9fff]{2,}|[A-Za-z][A-Za-z0-9 ]+", clause.text)
    if not runs:
        return ""
    last = re.split("[是在叫由用的到为了]", runs[-1])[-1]
    return last.strip()
