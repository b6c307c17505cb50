"""What a person does not see and a model reads: unseen characters, look-alikes, hidden markup.

Each has honest uses (flags, families of emoji, Persian, icons of a terminal's font), which weigh
nothing. The text that was hidden is handed back, so that the rules can read it too.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from bethink.text.suspicion.findings import HIDDEN, Finding, compiled, shown

_TAGS = "[\U000e0020-\U000e007f]+"
_FLAG = "\U0001f3f4[\U000e0030-\U000e007a]{2,7}\U000e007f"  # of a region, written with tags
_SELECTORS = "[\ufe00-\ufe0f\U000e0100-\U000e01ef]{2,}"
_ZERO_WIDTH = "[\u200b-\u200f\u2060-\u2064\ufeff\u180e\u00ad]"
_SPLIT_WORD = "[A-Za-z][\u200b\u200c\u200d\u2060-\u2064\ufeff][A-Za-z]"
_OVERRIDE = "[\u202d\u202e]([^\u202c\n]{0,2000})"
_BLANKS = "[\u115f\u1160\u3164\uffa0\u2800]{3,}"
_MANY_BLANKS = 12
_OPERATORS = "[\u2061-\u2064\u206a-\u206f]"  # of formulas, and some that no text needs
_INTERLINEAR = "[\ufff9-\ufffb]"
_PRIVATE = "[\U000f0000-\U0010fffd]{2,}|[\ue000-\uf8ff]{8,}"
_MATHEMATICAL = "[\U0001d400-\U0001d7ff][\U0001d400-\U0001d7ff ]{6,}"

# Cyrillic and Greek letters that look like Latin ones.
_LOOK_ALIKE = "аɑαạсϲԁеёһіϳјӏոоοрԛгѕυѵνԝхуүγаеіоАВЕЅІЈКМНОРСТУХΑΒΕΖΗΙΚΜΝΟΡΤΥΧк"
_LATIN_FOR = "aaaaccdeehijjlnoopqrsuvvwxyyyaeioABESIJKMHOPCTYXABEZHIKMNOPTYXk"
LOOK_ALIKES = {ord(a): b for a, b in zip(_LOOK_ALIKE, _LATIN_FOR, strict=True)}
_MIXED = (  # a word that has both: three Latin letters or a Cyrillic one between Latin ones
    "[A-Za-z]{0,40}[\u0370-\u03ff\u0400-\u052f][A-Za-z\u0370-\u03ff\u0400-\u052f]{0,40}"
)

_LINK_COMMENT = r"\[//\]: ?# ?[(\"]([^\n]{1,300}?)[)\"]"
_STYLED = (
    r"<(?P<tag>[a-z][a-z0-9]{0,10})\s[^>]{0,200}?(?:display\s{0,3}:\s{0,3}none|visibility\s{0,3}:\s{0,3}hidden|"
    r"font-size\s{0,3}:\s{0,3}0(?!\.?[1-9])|opacity\s{0,3}:\s{0,3}0(?!\.?[1-9])|"
    r"(?<!background-)color\s{0,3}:\s{0,3}(?:#fff(?:fff)?\b|white\b|transparent)|"
    r"(?:left|top|text-indent)\s{0,3}:\s{0,3}-\d{3,5}px|(?<=\s)hidden(?=[\s>]))[^>]{0,200}?>([^<]{4,2000})"
)
_SPOKEN_TO = (  # somebody is told to do something
    r"(?<![a-z])(?:assistant|agent|ai(?: \w{1,12})?|llm|model)\s?[:,，：]|"
    r"(?<![a-z])(?:tell|inform|ask|do not \w{1,12}|never \w{1,12}) the user(?![a-z])|"
    r"(?:助手|智能体|模型|人工智能)\s?[:,，：]?(?:请|不要|必须|务必|应|告诉|立即|[:,，：])|ai\s?请|告诉用户"
)
_TO_SOMEBODY = (
    r"(?<![a-z])(?:assistant|agent|ai|llm|model|you|your|user|ignore|approve|reply|answer)(?![a-z])|"
    r"助手|智能体|模型|人工智能|你|用户|忽略|批准|回复|回答"
)
_CONCEALED = "\x1b\\[(?:\\d{1,3};){0,5}8(?:;\\d{1,3}){0,5}m"


class Hidden(NamedTuple):
    findings: list[Finding]
    texts: list[str]  # what had been hidden, for the rules to read


def hidden(text: str) -> Hidden:
    found = Hidden([], [])
    if not text.isascii():
        _unseen(text, found)
        _look_alikes(text, found)
    if "<" in text or "[//]" in text:
        _markup(text, found)
    if "\x1b[" in text and (at := compiled(_CONCEALED).search(text)):
        _note(found, 0.6, "concealed in a terminal", text[at.start() : at.start() + 60])
    return found


def _note(found: Hidden, risk: float, what: str, seen: str, told: str = "") -> None:
    found.findings.append(Finding(HIDDEN, risk, f"{what}: {shown(told or seen)}"))
    if told:
        found.texts.append(told)


def _unseen(text: str, found: Hidden) -> None:
    if tags := "".join(compiled(_TAGS).findall(compiled(_FLAG).sub("", text))):
        told = "".join(chr(ord(c) - 0xE0000) for c in tags if c != "\U000e007f")
        if told:
            _note(found, 0.8, "tag characters", tags, told)
    if runs := [run for run in compiled(_SELECTORS).findall(text) if len(run) > 2]:
        told = _bytes_of(max(runs, key=len))
        _note(found, 0.7, "variation selectors", runs[0], told)
    longest = max(compiled(_ZERO_WIDTH + "{4,}").findall(text), key=len, default="")
    if longest:
        _note(found, 0.7, "zero-width characters", longest)
    elif len(split := compiled(_SPLIT_WORD).findall(text)) > 1:
        _note(found, min(0.4, 0.1 * len(split)), "words split by zero-width characters", split[0])
    if len(strewn := compiled(_OPERATORS).findall(text)) > 5:
        _note(found, 0.5, "characters that nobody sees", strewn[0])
    for turned in compiled(_OVERRIDE).finditer(text):
        right_to_left = compiled("[\u0590-\u08ff]").search(turned[1])
        _note(found, 0.2 if right_to_left else 0.5, "turned writing", turned[1], turned[1][::-1])
        break
    if blanks := max(compiled(_BLANKS).findall(text), key=len, default=""):
        _note(found, 0.3 if len(blanks) < _MANY_BLANKS else 0.6, "blank letters", blanks[:60])
    if compiled(_INTERLINEAR).search(text):
        _note(found, 0.6, "text between the lines", text[:60])
    if private := compiled(_PRIVATE).search(text):
        _note(found, 0.5 if private[0] >= "\U000f0000" else 0.2, "private characters", private[0])
    if fancy := compiled(_MATHEMATICAL).search(text):
        _note(found, 0.2, "mathematical letters", fancy[0])


def _bytes_of(run: str) -> str:
    """Selectors number 256: each can carry a byte."""
    codes = (ord(c) - 0xFE00 if c < "\ufe10" else ord(c) - 0xE0100 + 16 for c in run)
    told = bytes(codes).decode("utf-8", "replace")
    return told if told.isprintable() and "\ufffd" not in told else ""


def _look_alikes(text: str, found: Hidden) -> None:
    """Words of two alphabets, one dressed as the other."""
    if not compiled("[\u0370-\u03ff\u0400-\u052f]").search(text):
        return
    mixed = [
        word for word in compiled(_MIXED).findall(text)
        if sum(c.isascii() for c in word) >= 2
        and any(ord(c) in LOOK_ALIKES for c in word)
        and all(c.isascii() or ord(c) in LOOK_ALIKES for c in word)
    ]  # fmt: skip
    if mixed:
        _note(
            found, 0.3 if len(mixed) == 1 else 0.55, "letters of two alphabets", " ".join(mixed[:6])
        )


def _comments(lower: str) -> Iterator[str]:
    start = lower.find("<!--")
    end = lower.find("-->", start) if start >= 0 else -1
    while start >= 0 and end >= 0:
        yield lower[start + 4 : end]
        start = lower.find("<!--", end)
        end = lower.find("-->", start) if start >= 0 else -1
    if "[//]" in lower:
        yield from compiled(_LINK_COMMENT).findall(lower)


def _markup(text: str, found: Hidden) -> None:
    lower = text.lower()
    for inside in _comments(lower):
        if compiled(_SPOKEN_TO).search(inside):
            _note(found, 0.5, "comment", inside)
            break
    for styled in compiled(_STYLED).finditer(lower):
        spoken = compiled(_TO_SOMEBODY).search(styled[2])
        _note(found, 0.6 if spoken else 0.35, "invisible by its style", styled[2])
        break
