"""What a question is about, by rules, in Chinese and English.

`without_scaffolding` drops the words that only make it a question ("can you tell me", 你还记得…吗):
they stand in no memory, or in memories about something else. `keywords` picks what tells most:
quoted phrases, identifiers, names, stretches of Chinese between the grammar, other words.

Every pattern is tried at one place of a text of bounded length, so the time is linear.
"""

from __future__ import annotations

import re

from bethink.text.both_ends import both_ends
from bethink.text.fold import fold_width
from bethink.text.segments import pieces
from bethink.text.stop_words import ENGLISH
from bethink.text.tokenise import identifiers, telling_terms

MAX_KEYWORDS = 16
_MOST_TIMES = 6  # scaffolding comes in layers: "please, can you tell me if you know"
_LONGEST_TAIL = 48  # characters

_ABOUT = r"(?:\s+(?:about|of|on|regarding|concerning|if|whether|that|again)\b)*"
_TO_KNOW = r"(?:know|ask|hear|find\s+out|remember|recall|check|learn|figure\s+out|understand)"
_KNOW = r"(?:know|remember|recall)"

# A pattern is compiled only for a question that begins (or ends) with one of its words: compiling
# all of them would cost a cold process 10 ms. Each is tried at the start until none fits.
_ENGLISH_STARTS = (
    (
        "hi hey hello ok okay so well um please kindly quick question",
        r"(?:hi|hey|hello|ok|okay|so|well|um|please|kindly|quick\s+question|question)\b"
        r"\s*[,.!:;-]*\s+",
    ),
    (
        "can could would will please kindly help tell remind show",
        r"(?:(?:can|could|would|will)\s+you\s+)?(?:please\s+|kindly\s+)?(?:help\s+me\s+)?"
        rf"(?:tell|remind|show)\s+me\b(?:\s+(?:everything|anything|something|all)\b)?{_ABOUT}"
        rf"(?:\s+you\s+{_KNOW}\b{_ABOUT})?",
    ),
    (
        "can could would will",
        r"(?:can|could|would|will)\s+you\s+(?:please\s+|kindly\s+)?(?:help\s+me\s+)?"
        rf"(?:{_KNOW}|let\s+me\s+know|look\s+up|find\s+out|find|explain|check)\b{_ABOUT}",
    ),
    ("let", rf"let\s+me\s+know\b{_ABOUT}"),
    (
        "do did don",
        rf"(?:do|did|don't|don’t)\s+you\s+(?:still\s+|even\s+|happen\s+to\s+)?{_KNOW}\b"
        rf"(?:\s+(?:anything|something)\b)?{_ABOUT}",
    ),
    (
        "what",
        rf"what\s+(?:(?:do|can)\s+(?:you|we|i)\s+(?:already\s+)?(?:{_KNOW}|have|tell\s+me)|"
        r"(?:else\s+)?is\s+(?:known|remembered|stored))\s+(?:about|on|regarding|concerning)\b",
    ),
    (
        "i",
        rf"i(?:(?:\s+would|'d|’d)\s+like\s+(?:you\s+)?to\s+{_TO_KNOW}|"
        rf"\s+(?:just\s+)?(?:want|wanted|need|have)\s+to\s+{_TO_KNOW}|"
        r"(?:\s+am|'m|’m|\s+was)\s+(?:just\s+)?"
        rf"(?:wondering|curious|asking|trying\s+to\s+{_TO_KNOW})|"
        rf"\s+(?:wonder|forgot|forget|(?:can't|cannot|can’t|don't|don’t)\s+{_KNOW}))\b{_ABOUT}",
    ),
    (
        "is are was were",
        r"(?:is|are|was|were)\s+there\s+(?:any|some)"
        r"(?:thing|\s+info(?:rmation)?|\s+details?|\s+notes?)"
        r"\s+(?:about|on|regarding|concerning)\b",
    ),
    (
        "search look check go",
        r"(?:search|look|check|go)\s+(?:in\s+|into\s+|through\s+)?(?:my|your|our|the)\s+"
        r"(?:memory|memories|notes?|notebook|records?)\b(?:\s+(?:for|about|and))?\b",
    ),
    (
        "according based from in",
        r"(?:according\s+to|based\s+on|from|in)\s+(?:my|your|our|the)\s+"
        r"(?:(?:previous|earlier|past)\s+)?"
        r"(?:memory|memories|notes|records|conversations?|chats?)\b,?",
    ),
    (
        "have",
        r"have\s+(?:i|we)\s+(?:ever\s+)?(?:told\s+you|mentioned(?:\s+to\s+you)?)\b"
        rf"(?:\s+(?:anything|something)\b)?{_ABOUT}",
    ),
)
_ENGLISH_ENDS = (
    (
        "please pls thanks you again way btw",
        r"[\s,;-]+(?:please|pls|thanks|thank\s+you|again|by\s+the\s+way|btw)\Z",
    ),
    (
        "know remember recall me",
        rf"[\s,;-]+(?:(?:do|can|could)\s+you\s+{_KNOW}|if\s+you\s+(?:can\s+)?{_KNOW}|"
        rf"(?:can|could)\s+you\s+(?:tell|remind)\s+me)\Z",
    ),
)

_YOU = "(?:你们?|您)"
_STILL = "(?:还|是否还|是不是还|是否|是不是|到底|有没有)?"
_CAN = "(?:能不能|可不可以|能否|可否|可以|能)?"
_MEMORY = "(?:记不记得|记得|记不记住|记住|知不知道|知道|晓得|清楚|了解|想得起来?|想起来?)"
_LOOK = (
    "(?:查一查|查一下|查查|查找|查|找一找|找一下|找找|找|看一看|看一下|看看|看|搜一下|搜索|搜|"
    "回忆一下|回忆|回顾一下|回顾|想一想|想想|确认一下|确认)"
)
_ASKS_YOU = "请麻你您还是到有能可再"  # how a request may begin
_CHINESE_STARTS = (
    (
        "请劳打你您嗨喂嗯那对话顺问想我",
        r"(?:请问一下|请问|请教一下|请教|劳驾|打扰一下|你好|您好|嗨|喂|嗯|那个|那么|对了|话说|"
        r"顺便问一下|问一下|想问一下|想问问|想请问|我想问一下|我想问问|我想问|我想知道|我想了解一下|"
        r"我想了解|我想确认一下|我忘记了|我忘了|我不记得了?|我记不清了?)[\s,，.。!！:：]*",
    ),
    (
        _ASKS_YOU + "帮给为",
        rf"(?:请|麻烦)?{_YOU}?{_STILL}{_CAN}(?:再)?(?:请)?(?:帮我|帮忙|给我|为我){_LOOK}[\s,，:：]*",
    ),
    (
        _ASKS_YOU + "告跟和给提介说讲",
        rf"(?:请|麻烦)?{_YOU}?{_STILL}{_CAN}(?:再)?(?:告诉我|跟我说说|和我说说|给我讲讲|给我说说|"
        r"提醒我|跟我讲讲|介绍一下|说一说|说说|说一下|讲讲|讲一下)(?:一下)?[\s,，:：]*",
    ),
    ("请麻你您", rf"(?:请|麻烦)?{_YOU}{_STILL}{_CAN}{_STILL}{_MEMORY}(?:不)?[\s,，:：]*"),
    (
        "还是到有记知晓清了想",
        rf"{_STILL}{_MEMORY}[\s,，:：]*(?=我|关于|谁|什么|哪|上|昨|前)",
    ),
    ("有关", r"(?:有没有)?(?:关于|有关)\s*"),
    ("请麻", r"(?:请|麻烦)(?=列|给|帮|看|查|说|把|显示|展示|总结|打开|回|读|汇总)"),
)
_CHINESE_ENDS = (
    ("谢你您托了", r"[\s,，。]*(?:谢谢[你您]?|多谢|拜托了?)\Z"),
    # after a mark only: 偏好吗 and 银行吗 are no politeness
    ("吗吧", r"[\s,，。]+(?:好吗|行吗|可以吗|对吧|对吗|是吗|是吧)\Z"),
    ("吗么不", rf"[\s,，。]*{_YOU}?{_STILL}{_CAN}{_MEMORY}(?:吗|么|不)\Z"),
    ("得住道楚解起来", rf"[\s,，。]+{_YOU}?{_STILL}{_CAN}{_MEMORY}\Z"),
    (
        "息容况料录忆情些么吗呢",
        r"(?:的)?(?:相关|有关|具体|详细)(?:的)?(?:信息|内容|情况|资料|记录|记忆|事情)"
        r"(?:有哪些|是什么|有什么|有吗|呢|吗)?\Z",
    ),
    ("着吗呢吧嘛呀啊", r"(?:来着|吗|呢|吧|嘛|呀|啊)\Z"),
)

_LEFT_OVER = " \t\r\n,，.。?？!！:：;；、~～"

_QUOTED = (
    r"“([^“”\n]{0,100})”|「([^「」\n]{0,100})」|『([^『』\n]{0,100})』|《([^《》\n]{0,100})》|"
    r'"([^"\n]{0,100})"|`([^`\n]{0,100})`|‘([^‘’\n]{2,100})’(?!\w)'
)
_NAME = r"[A-Z][\w'’-]*(?:\s+(?:of\s+|the\s+|de\s+)?[A-Z][\w'’-]*){0,5}"


def without_scaffolding(text: str) -> str:
    """The question, folded, without the words around it; whole where nothing telling is left."""
    whole = kept = fold_width(both_ends(text))
    for _ in range(_MOST_TIMES):
        shorter = _without_end(_without_start(kept.lstrip(_LEFT_OVER)).rstrip(_LEFT_OVER))
        if shorter == kept or not telling_terms(shorter):
            break
        kept = shorter
    return kept if telling_terms(kept) else whole


def _without_start(text: str) -> str:
    if text[:1].isascii():
        patterns = _of(_ENGLISH_STARTS, _letters(text[:12]))
    else:
        patterns = [pattern for firsts, pattern in _CHINESE_STARTS if text[0] in firsts]
    for pattern in patterns:
        match = re.match(pattern, text, re.IGNORECASE)
        if match:
            return text[match.end() :].lstrip(_LEFT_OVER)
    return text


def _without_end(text: str) -> str:
    head, tail = text[:-_LONGEST_TAIL], text[-_LONGEST_TAIL:]
    if tail[-1:].isascii():
        patterns = _of(_ENGLISH_ENDS, _letters(tail[:-12:-1])[::-1])
    else:
        patterns = [pattern for lasts, pattern in _CHINESE_ENDS if tail[-1] in lasts]
    for pattern in patterns:
        match = re.search(pattern, tail, re.IGNORECASE)
        if match:
            return (head + tail[: match.start()]).rstrip(_LEFT_OVER)
    return text


def _of(table: tuple[tuple[str, str], ...], word: str) -> list[str]:
    return [pattern for words, pattern in table if word in words.split()]


def _letters(text: str) -> str:
    """The letters that a text begins with, small."""
    at = next((at for at, letter in enumerate(text) if not letter.isalpha()), len(text))
    return text[:at].lower()


def quoted(text: str) -> tuple[str, ...]:
    """What stands in quotation marks of either language, in order, each once."""
    groups = re.findall(_QUOTED, both_ends(text))
    phrases = ("".join(group).strip() for group in groups)  # one of them is not empty
    return tuple(dict.fromkeys(p for p in phrases if any(map(str.isalnum, p))))


def keywords(text: str) -> tuple[str, ...]:
    """The most telling pieces first, each once whatever its case, at most `MAX_KEYWORDS`."""
    text = fold_width(both_ends(text))
    chosen: dict[str, str] = {}
    words = [_bare(piece.text) for piece in pieces(text) if piece.telling]
    chinese = [word for word in words if not word.isascii() and len(word) > 1]
    chinese.sort(key=len, reverse=True)  # the longest tell most
    for piece in (*quoted(text), *identifiers(text), *_names(text), *chinese):
        chosen.setdefault(piece.lower(), piece)
    parts = {part for piece in chosen for part in piece.split()}
    for word in words:
        if len(word) > 1 and word.lower() not in parts:
            chosen.setdefault(word.lower(), word)
    return tuple(chosen.values())[:MAX_KEYWORDS]


def _names(text: str) -> list[str]:
    """Words with a capital, joined where they stand together; the first word of a question is
    one only if it says something."""
    names: list[str] = []
    for run in re.findall(_NAME, text):
        words = run.split()
        while words and _says_nothing(words[0]):
            words.pop(0)
        if words:
            names.append(_bare(" ".join(words)))
    return names


def _bare(word: str) -> str:
    return re.sub(r"['’]s\Z", "", word)


def _says_nothing(word: str) -> bool:
    return word.lower().replace("’", "'") in ENGLISH
