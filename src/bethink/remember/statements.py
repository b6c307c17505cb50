"""What a short text says of now: its clauses, their telling words, values and signs of change.

A question, a condition, a plan, hearsay and a quotation say nothing of now (`Statement.silent`). A
clause about the past, or about what stays as it is, names former values at most. The lists are of
grammar, not of topics: how a language asks, supposes, reports, denies and ends things.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from bethink.text.facts import Reading, read
from bethink.text.stop_words import ENGLISH as STOP_WORDS

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
    r"(?:his|her|my|our|their|'s) (?:first|previous|old|last) (?:car|job|company|flat|house|"
    r"school)|"
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
    r"\b(?:is not|isn't|are not|aren't) the (?:same|\w+ (?:who|that|which))\b|\bnot to be "
    r"confused\b"
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

ARROW = re.compile(r"->|=>|→|⇒|➡")
CHANGE = re.compile(
    r"\b(?:mov(?:ed?|es|ing)|switch(?:ed|es|ing)|chang(?:ed|es|ing|e)|renam\w+|migrat\w+|"
    r"rais(?:ed|es|ing)|"
    r"lower(?:ed|s)|increas(?:ed|es)|reduc(?:ed|es)|decreas(?:ed|es)|extend(?:ed|s)|shorten(?:ed|"
    r"s)|"
    r"postpon\w+|delay(?:ed|s)|push(?:ed|es)|brought|upgrad\w+|downgrad\w+|bump(?:ed|s)?|"
    r"transferred|relocat\w+|shift(?:ed|s)|reschedul\w+|rebook\w*|updat(?:ed|es)|swap(?:ped|s)|"
    r"convert(?:ed|s)|adjust(?:ed|s)|promoted|correct(?:ed|ion)|revised|reassigned|handed|"
    r"replac\w+|t(?:ook|akes?|aken) over|dropp?(?:ed|s)?|cut to|slipp?(?:ed|s)|gr[eo]wn? (?:to|"
    r"from)|rose|risen|"
    r"f(?:e|a)ll(?:en)?|went (?:up|down|from)|gone (?:up|down)|up (?:to|from)|down (?:to|from)|"
    r"pulled|put (?:back|off)|"
    r"re(?:wr|named|numbered|placed|design|built|done|turned|joined|tired)\w*|left(?! (?:hand|"
    r"side|eye|arm|leg|foot|ear|over|corner|lane))|quit|joined|"
    r"became|turned (?:into|out|\d+)|turns out|instead|no longer|no more|since (?:last|this|"
    r"\w+day|january|february|march|april|may|june|"
    r"july|august|september|october|november|december)|any ?more|any longer|"
    r"from (?:now|here) on|starting|effective|"
    r"these days|nowadays|as of|after all|started|finished|settled on|agreed on|"
    r"got (?:married|promoted|divorced)|not|isn't|aren't|doesn't|don't|won't|"
    r"wrong|mistake\w*|scratch that|actually|gave up|given up|called off|"
    r"cancel\w*|broke (?:off|up)|ripped out|closed|dead|gone|over|sold|removed|discontinued|"
    r"phased out|ended|stopped|turned (?:on|off)|enabled|disabled|merged|split|redirect\w*|"
    r"overrid\w+|superseded?|supersedes|deprecated|rolled (?:back|out))\b"
    r"|改|换|搬|迁|移到|挪|调[整到成至为走离]|转[学岗行让正]|"
    r"[升降涨跌提加减增缩延放收转切][到至为成]|[升降涨跌]了|升级|降级|降低|提高|提升|"
    r"提前|推迟|延期|延后|延长|缩短|增加|减少|放宽|收紧|变[成更为了]|更新[到为成至了：]|更正|"
    r"纠正|订正|修正|记错|写错|"
    r"说错|弄错|其实|作废|取消|终止|解除|停[了用止掉]|不再|别再|[不没][^，。；！,;!]{1,8}了|"
    r"关掉|下掉|下线|上线了|撤|离职|离开|辞职|退[租出休]|接手|接替|接任|接管|交接|移交|交给|转给|"
    r"送给|"
    r"卖掉|如今|恢复|统一|一律|以后|往后|今后|从现在起|起执行|起[，,]|[月周天日年]起|"
    r"从[^，。；,]{1,6}起|"
    r"旧的|重写|重定|黄了|吹了|到此为止|不是",
    re.IGNORECASE,
)
NOW = re.compile(r"\b(?:now|currently|at present)\b|现在|目前|现已|眼下|已|了[。！!]?$", re.I)
MOVED = re.compile(
    r"\b(?:mov(?:ed|es|ing)|relocat\w+|transferred|migrat\w+|shift(?:ed|s)|joined|rehomed)\b"
    r"|[搬迁挪移转][^，。；,]{0,2}[到至去回进]|搬|迁|送[给到去]|调[到去]",
    re.IGNORECASE,
)
KIN = re.compile(
    r"(?:^|[.;,]\s*)(?:(?:my|his|her|our|their|\w+'s) )?(?P<en>wife|husband|sister|brother|"
    r"father|mother|"
    r"mum|mom|dad|son|daughter|uncle|aunt|cousin|friend|colleague|neighbou?r|boss|partner|roommate|"
    r"grandma|grandpa|flatmate)\b"
    r"|(?:^|[，。；,])(?:我们?|他|她)?(?:的)?(?P<zh>老婆|老公|弟弟|哥哥|姐姐|妹妹|爸爸?|妈妈?|"
    r"儿子|女儿|同事|朋友|邻居|"
    r"隔壁|叔叔|姑姑|舅舅|阿姨|表[哥姐弟妹姑]|堂[哥姐弟妹]|室友|对门)",
    re.IGNORECASE,
)
# The thing itself is over.
OVER = re.compile(
    r"\b(?:no longer|any ?more|any longer|cancel\w*|called off|gave up|given up|broke (?:off|up)|"
    r"ripped out|drop(?:ped|s)|discontinued|phased out|stopped|removed|retired|ended|deprecated|"
    r"quit|pulled out|turned off|disabled|shut down|dead|closed|gone|left(?! (?:hand|side|eye|"
    r"arm|leg|foot|ear|over|corner|lane))|moved out|no more|got rid of|"
    r"not|isn't|aren't|doesn't|don't|won't|wrong)\b"
    r"|取消|终止|解除|停用|停了|停止|停掉|不再|别再|关掉|下掉|下线|作废|撤[了掉销]|离职|离开|"
    r"辞职|退租|退出|"
    r"黄了|吹了|到此为止|卖掉|送给|连不上|释放|记错|写错|说错|弄错|不是|没有?[^，。；！,;!]{0,6}了|"
    r"[不别][^，。；！,;!]{1,8}了|交接|移交|不代|没赶上",
    re.IGNORECASE,
)
NO_MORE = re.compile(
    r"\b(?:no longer|no more|any ?more|any longer|cancel\w*|called off|gave up|given up|broke "
    r"(?:off|up)|"
    r"got rid of|pulled out)\b|取消|终止|解除|不再|别再|黄了|吹了|到此为止|"
    r"[不没别][^，。；！,;!]{1,8}了",
    re.IGNORECASE,
)
ENDED = re.compile(re.sub(r"\|dead\|closed\|gone|\|wrong", "", OVER.pattern), re.IGNORECASE)
WAS_OVER = re.compile(
    r"\b(?:no|no longer|not|never|any ?more|retired|cancel\w*|don't|doesn't|isn't)\b|不|没|停用|"
    r"取消|终止",
    re.I,
)

# Words that any two texts may share.

GENERIC = frozenset(
    "user use take live work listen hold held keep kept call name go goe come came make made start "
    "send sent write need want like day week month year time everi each daili per total number new "
    "now current default thing place put set get got see look say said tell told know think give "
    "find want last next first finish final long short good great big still alwai never usual morn "
    "afternoon even night it i we you he she thei that thi there here who what which when where "
    "plan due schedul begin end leav stai happen run handl contact user's cost pai want prefer "
    "base "
    "expir support allow requir list done ship open deploi locat situat host store".split()
)
FUNCTION = frozenset(
    "的了是在和也就都而及与着或之吗呢吧啊呀么嘛哦啦这那哪其此被把让给对于从到向以为因所由但我你"
    "他她它们您谁"
    "有没不很太又再还会能要想可请个些什怎样何几多用叫定放说做走按每只一号日月年点去来过住今当吃"
    "打跑写上下里"
    "设存养开办订买跟约共最得地已现改换成名字时间"
)
# Stems and characters of verbs of change: they stand where the older one has none.
CHANGING = frozenset(
    "move switch chang renam migrat rais lower increas reduc decreas extend shorten postpon delai "
    "push upgrad downgrad bump shift reschedul rebook updat swap convert adjust correct revis "
    "replac drop slip grew rose fell cut becam turn join start "
    "升 降 涨 跌 提 高 减 加 增 调 整 推 迟 延 期 前 缩 短 长 搬 迁 移 挪 转 切 变 更 新 正 收 "
    "紧 宽".split()
)
UNTELLING = GENERIC | CHANGING | STOP_WORDS | {"现", "已", "成", "改", "换"}
VERBS_CHINESE = "叫住用由找寄存放坐吃喝学读写穿骑开租订"
WEIGHT_OF_HAN = 0.5


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
            (past if over and not ARROW.search(part) else now).append(_clause(part))
    once = _EXCEPTION.search(text) or (_ONCE.search(text) and not CHANGE.search(text))
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
        if kind == "number" and token in _ONE and token not in text:
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
            if FUNCTION.isdisjoint(before + word) and CHANGING.isdisjoint(before + word):
                found.add((before, word))
    return found


def _names(reading: Reading, text: str) -> frozenset[str]:
    """Names that are no mere beginning of a sentence."""
    first = re.match(r"\W*(\w+)", text)
    begins = first[1].lower() if first else ""
    return frozenset(n for n in reading.names if len(n) > 1 and not begins.startswith(n[:4]))


_ONE = ("1",)
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
WHEN = frozenset({"day", "date", "time"})


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
