"""What a question is about, by rules, in Chinese and English.

`without_scaffolding` drops the words that only make it a question ("can you tell me", 你还记得…吗):
they stand in no memory, or in memories about something else. `keywords` picks what tells most:
quoted phrases, identifiers, names, stretches of Chinese between the grammar, other words.

Every pattern is tried at one place of a text of bounded length, so the time is linear.
"""

from __future__ import annotations

import re

from recollect.text.fold import fold_width
from recollect.text.stop_words import ENGLISH
from recollect.text.tokenise import MAX_QUERY_CHARS, identifiers, telling_terms

MAX_KEYWORDS = 16
_MOST_TIMES = 6  # scaffolding comes in layers: "please, can you tell me if you know"
_LONGEST_TAIL = 48  # characters

_ABOUT = r"(?:\s+(?:about|of|on|regarding|concerning|if|whether|that|again)\b)*"
_TO_KNOW = r"(?:know|ask|hear|find\s+out|remember|recall|check|learn|figure\s+out|understand)"
_KNOW = r"(?:know|remember|recall)"

# Each is tried at the start of the question, again and again until none fits.
_ENGLISH_STARTS = (
    r"(?:hi|hey|hello|ok|okay|so|well|um|please|kindly|quick\s+question|question)\b\s*[,.!:;-]*\s+",
    r"(?:(?:can|could|would|will)\s+you\s+)?(?:please\s+|kindly\s+)?(?:help\s+me\s+)?"
    rf"(?:tell|remind|show)\s+me\b(?:\s+(?:everything|anything|something|all)\b)?{_ABOUT}"
    rf"(?:\s+you\s+{_KNOW}\b{_ABOUT})?",
    rf"(?:can|could|would|will)\s+you\s+(?:please\s+|kindly\s+)?(?:help\s+me\s+)?"
    rf"(?:{_KNOW}|let\s+me\s+know|look\s+up|find\s+out|find|explain|check)\b{_ABOUT}",
    rf"(?:please\s+)?let\s+me\s+know\b{_ABOUT}",
    rf"(?:do|did|don't)\s+you\s+(?:still\s+|even\s+|happen\s+to\s+)?{_KNOW}\b"
    rf"(?:\s+(?:anything|something)\b)?{_ABOUT}",
    rf"what\s+(?:do|can)\s+(?:you|we|i)\s+(?:already\s+)?(?:{_KNOW}|have|tell\s+me)"
    r"\s+(?:about|on|regarding|concerning)\b",
    r"what\s+(?:else\s+)?is\s+(?:known|remembered|stored)\s+(?:about|on)\b",
    rf"i(?:\s+would|'d|’d)\s+like\s+(?:you\s+)?to\s+{_TO_KNOW}\b{_ABOUT}",
    rf"i\s+(?:just\s+)?(?:want|wanted|need|have)\s+to\s+{_TO_KNOW}\b{_ABOUT}",
    rf"i(?:\s+am|'m|’m|\s+was)\s+(?:just\s+)?(?:wondering|curious|asking|trying\s+to\s+{_TO_KNOW})\b"
    rf"{_ABOUT}",
    rf"i\s+(?:wonder|forgot|forget|(?:can't|cannot|can’t|don't|don’t)\s+{_KNOW})\b{_ABOUT}",
    r"(?:is|are|was|were)\s+there\s+(?:any|some)(?:thing|\s+info(?:rmation)?|\s+details?|\s+notes?)"
    r"\s+(?:about|on|regarding|concerning)\b",
    r"(?:search|look|check|go)\s+(?:in\s+|into\s+|through\s+)?(?:my|your|our|the)\s+"
    r"(?:memory|memories|notes?|notebook|records?)\b(?:\s+(?:for|about|and))?\b",
    r"(?:according\s+to|based\s+on|from|in)\s+(?:my|your|our|the)\s+"
    r"(?:(?:previous|earlier|past)\s+)?(?:memory|memories|notes|records|conversations?|chats?)\b,?",
    r"have\s+(?:i|we)\s+(?:ever\s+)?(?:told\s+you|mentioned(?:\s+to\s+you)?)\b"
    rf"(?:\s+(?:anything|something)\b)?{_ABOUT}",
)
_ENGLISH_ENDS = (
    r"[\s,;-]+(?:please|pls|thanks|thank\s+you|again|by\s+the\s+way|btw)\Z",
    rf"[\s,;-]+(?:(?:do|can|could)\s+you\s+{_KNOW}|if\s+you\s+(?:can\s+)?{_KNOW}|"
    rf"(?:can|could)\s+you\s+(?:tell|remind)\s+me)\Z",
)

_YOU = "(?:你们?|您)"
_STILL = "(?:还|是否还|是不是还|是否|是不是|到底|有没有)?"
_CAN = "(?:能不能|可不可以|能否|可否|可以|能)?"
_MEMORY = "(?:记不记得|记得|记不记住|记住|知不知道|知道|晓得|清楚|了解|想得起来?|想起来?)"
_LOOK = "(?:查一查|查一下|查查|查找|查|找一找|找一下|找找|找|看一看|看一下|看看|看|搜一下|搜索|搜|"
_LOOK += "回忆一下|回忆|回顾一下|回顾|想一想|想想|确认一下|确认)"
_CHINESE_STARTS = (
    r"(?:请问一下|请问|请教一下|请教|劳驾|打扰一下|你好|您好|嗨|喂|嗯|那个|那么|对了|话说|顺便问一下|"
    r"问一下|想问一下|想问问|想请问|我想问一下|我想问问|我想问|我想知道|我想了解一下|我想了解|我想确认一下|"
    r"我忘了|我忘记了|我不记得了?|我记不清了?)[\s,，.。!！:：]*",
    rf"(?:请|麻烦)?{_YOU}?{_STILL}{_CAN}(?:再)?(?:请)?(?:帮我|帮忙|给我|为我)"
    rf"{_LOOK}[\s,，:：]*",
    rf"(?:请|麻烦)?{_YOU}?{_STILL}{_CAN}(?:再)?(?:告诉我|跟我说说|和我说说|给我讲讲|给我说说|提醒我|"
    r"跟我讲讲|介绍一下|说一说|说说|说一下|讲讲|讲一下)(?:一下)?[\s,，:：]*",
    rf"(?:请|麻烦)?{_YOU}{_STILL}{_CAN}{_STILL}{_MEMORY}(?:不)?[\s,，:：]*",
    rf"{_STILL}{_MEMORY}[\s,，:：]*(?=我|我们|关于|谁|什么|哪|上|昨|前)",
    r"(?:有没有)?(?:关于|有关)[\s]*",
)
_CHINESE_ENDS = (
    r"[\s,，。]*(?:谢谢你?|多谢|拜托了?|好吗|行吗|可以吗|对吧|对吗)\Z",
    rf"[\s,，。]*{_YOU}?{_STILL}{_CAN}{_MEMORY}(?:吗|么|不)\Z",
    rf"[\s,，。]+{_YOU}?{_STILL}{_CAN}{_MEMORY}\Z",
    r"(?:的)?(?:相关|有关|具体|详细)(?:的)?(?:信息|内容|情况|资料|记录|记忆|事情)"
    r"(?:有哪些|是什么|有什么|有吗|呢|吗)?\Z",
    r"(?:来着|吗|呢|吧|嘛|呀|啊)\Z",
)

_LEFT_OVER = " \t\r\n,，.。?？!！:：;；、~～"
_HAN = "\u3005\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f"

_QUOTED = (
    r"“([^“”\n]{1,100})”|「([^「」\n]{1,100})」|『([^『』\n]{1,100})』|《([^《》\n]{1,100})》|"
    r'"([^"\n]{1,100})"|`([^`\n]{1,100})`|‘([^‘’\n]{2,100})’(?!\w)'
)
# Between these lie the stretches of Chinese that tell something. Only what is grammar wherever it
# stands: 会 would cut 会议, 要 would cut 重要.
_GRAMMAR = (
    "什么时候|为什么|什么|怎么样|怎么|怎样|如何|为何|哪里|哪儿|哪个|哪些|哪种|哪位|哪天|哪年|多少|多久|"
    "几个|是否|能否|可否|可以|应该|一个|一些|一下|一种|这个|那个|这些|那些|这样|那样|这里|那里|我们|你们|"
    "他们|她们|它们|咱们|自己|以及|并且|而且|但是|因为|所以|如果|虽然|然后|或者|还是|就是|不是|没有|有没有|"
    "关于|对于|曾经|已经|正在|请问|告诉|知道|记得|时候|的话|是谁|的|了|吗|呢|吧|啊|呀|嘛|我|你|他|她|它|"
    "您|谁|是|和|与|跟|在"
)
_NAME = r"[A-Z][\w'’-]*(?:\s+(?:of\s+|the\s+|de\s+)?[A-Z][\w'’-]*){0,5}"
_WORD = r"[^\W\d_][\w'’+#.-]*[\w+#]|[^\W\d_]"


def without_scaffolding(text: str) -> str:
    """The question, folded, without the words around it; whole where nothing telling is left."""
    whole = kept = fold_width(text.strip()[:MAX_QUERY_CHARS])
    for _ in range(_MOST_TIMES):
        shorter = _without_end(_without_start(kept.lstrip(_LEFT_OVER)).rstrip(_LEFT_OVER))
        if shorter == kept or not telling_terms(shorter):
            break
        kept = shorter
    return kept if telling_terms(kept) else whole


def _without_start(text: str) -> str:
    starts = _ENGLISH_STARTS if text[:1].isascii() else _CHINESE_STARTS
    for pattern in starts:
        match = re.match(pattern, text, re.IGNORECASE)
        if match:
            return text[match.end() :].lstrip(_LEFT_OVER)
    return text


def _without_end(text: str) -> str:
    head, tail = text[:-_LONGEST_TAIL], text[-_LONGEST_TAIL:]
    for pattern in _ENGLISH_ENDS if tail[-1:].isascii() else _CHINESE_ENDS:
        match = re.search(pattern, tail, re.IGNORECASE)
        if match:
            return (head + tail[: match.start()]).rstrip(_LEFT_OVER)
    return text


def quoted(text: str) -> tuple[str, ...]:
    """What stands in quotation marks of either language, in order, each once."""
    groups = re.findall(_QUOTED, text[:MAX_QUERY_CHARS])
    phrases = (next(filter(None, group)).strip() for group in groups)
    return tuple(dict.fromkeys(phrase for phrase in phrases if phrase))


def keywords(text: str) -> tuple[str, ...]:
    """The most telling pieces first, each once whatever its case, at most `MAX_KEYWORDS`."""
    text = fold_width(text[:MAX_QUERY_CHARS])
    chosen: dict[str, str] = {}
    for piece in (*quoted(text), *identifiers(text), *_names(text), *_chinese(text)):
        chosen.setdefault(piece.lower(), piece)
    parts = {part for piece in chosen for part in piece.split()}
    for word in _words(text):
        if word.lower() not in parts:
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
            names.append(re.sub(r"['’]s\Z", "", " ".join(words)))
    return names


def _chinese(text: str) -> list[str]:
    """Stretches between the grammar, the longest first: they tell most."""
    runs = re.findall(f"[{_HAN}]+", text)
    pieces = [piece for run in runs for piece in re.split(_GRAMMAR, run) if len(piece) > 1]
    return sorted(pieces, key=len, reverse=True)


def _words(text: str) -> list[str]:
    words = re.findall(_WORD, re.sub(f"[{_HAN}]+", " ", text))
    bare = (re.sub(r"['’]s\Z", "", word) for word in words)
    return [word for word in bare if len(word) > 1 and not _says_nothing(word)]


def _says_nothing(word: str) -> bool:
    return word.lower().replace("’", "'") in ENGLISH
