"""Secrets are blotted out before anything is stored, embedded or logged.

`redact("token ghp_…")` gives "token [redacted: github token]". The mark names the kind, never the
value, and reads the same in every language. Redacting again changes nothing, and the same text
always gives the same one, so that what is told twice is still known. What has a shape of its own
stands in `secret_rules.txt`; what only its label gives away (`password = …`, 密码是 …) is found by
`secret_labels.py`. A sentence about secrets stays as it is. docs/reference/redaction.md is this
page for people.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from bethink.text.linear import Match, Pattern

_SAID = "redacted: "
_MARK = r"\[redacted: ([a-z0-9][a-z0-9. -]{0,40})\]"
_PASSES = 8  # what is left beside a mark is looked at again; two have always been enough


class Redacted(NamedTuple):
    text: str
    kinds: tuple[str, ...]  # one for each secret that went, in order; () if nothing was found


def redact(text: str) -> Redacted:
    """The text without its secrets, and what kinds they were."""
    if not has_trace(text):
        return Redacted(text, ())
    kinds: list[str] = []
    for _ in range(_PASSES):
        text, found = _redacted_once(text)
        kinds += found
        if not found:
            break
    return Redacted(text, tuple(kinds))


def has_trace(text: str) -> bool:
    """Is it worth looking closer? A few microseconds; no for nearly every text."""
    return _traces().search(text.encode("utf-8", "surrogatepass")) is not None


def kinds_marked(text: str) -> tuple[str, ...]:
    """The kinds of the marks that stand in a text, in order."""
    from bethink.text.linear import linear

    if "[redacted: " not in text:
        return ()
    marks = linear(_MARK).finditer(text.encode("utf-8", "surrogatepass"))
    return tuple((mark.group(1) or b"").decode() for mark in marks)


def redaction_note(kinds: Iterable[str]) -> str:
    """What a receipt says: "redacted: 2 github token, 1 password"; nothing if there is nothing."""
    counted = Counter(kinds)
    said = ", ".join(f"{number} {kind}" for kind, number in counted.items())
    return f"{_SAID}{said}" if said else ""


def noted_together(notes: Iterable[str]) -> list[str]:
    """What the receipts of several texts say, as of one: redactions are counted up, and whatever
    else is said stands once."""
    kinds: list[str] = []
    others: dict[str, None] = {}
    for note in filter(None, notes):
        if not note.startswith(_SAID):
            others[note] = None
            continue
        for part in note.removeprefix(_SAID).split(", "):
            number, _, kind = part.partition(" ")
            kinds += [kind] * int(number)
    return [*others, *filter(None, (redaction_note(kinds),))]


@cache
def _traces() -> Pattern:
    from bethink.text.linear import linear
    from bethink.text.secret_labels import TRACE
    from bethink.text.secret_rules import groups

    traces = (*(group.trace for group in groups()), TRACE, r"\[redacted: ", _DISGUISE)
    return linear("|".join(traces), bare=True)


class _Span(NamedTuple):
    start: int
    end: int
    kind: str


def _redacted_once(text: str) -> tuple[str, list[str]]:
    plain, origin = _undisguised(text)
    data = plain.encode("utf-8", "surrogatepass")
    found = _joined(
        span for start, end in _between_marks(data) for span in _spans(data, start, end)
    )
    parts: list[str] = []
    done = byte = char = 0
    for span in found:
        first = char + _length(data[byte : span.start])
        byte, char = span.end, first + _length(data[span.start : span.end])
        start, end = (first, char) if origin is None else (origin[first], origin[char - 1] + 1)
        parts += (text[done:start], f"[redacted: {span.kind}]")
        done = end
    return "".join((*parts, text[done:])), [span.kind for span in found]


def _length(data: bytes) -> int:
    return len(data.decode("utf-8", "surrogatepass"))


# Letters and digits in full width, and signs that nobody sees: what they hide is still a secret.
_DISGUISE = "[\uff10-\uff19\uff21-\uff3a\uff41-\uff5a\u200b-\u200d\u2060\ufeff\u00ad]"
# but for what is a sign of Chinese sentences
_WIDE = {c: c - 0xFEE0 for c in range(0xFF01, 0xFF5F) if chr(c) not in "！，：；？（）"}
_UNSEEN = frozenset("\u200b\u200c\u200d\u2060\ufeff\u00ad")


def undisguised(text: str) -> str:
    """Return the text with full-width letters made narrow and invisible characters removed."""
    return _undisguised(text)[0]


def _undisguised(text: str) -> tuple[str, list[int] | None]:
    """The text as it is meant; where each of its characters stands in the text as it is written,
    unless that is the same place."""
    if text.isascii():
        return text, None
    plain = text.translate(_WIDE)
    if _UNSEEN.isdisjoint(plain):
        return plain, None
    seen = [at for at, char in enumerate(plain) if char not in _UNSEEN]
    return "".join(plain[at] for at in seen), seen


def _between_marks(data: bytes) -> Iterator[tuple[int, int]]:
    """What is marked is done with."""
    from bethink.text.linear import linear

    at = 0
    if b"[redacted: " in data:
        for mark in linear(_MARK).finditer(data):
            yield at, mark.start()
            at = mark.end()
    yield at, len(data)


def _spans(data: bytes, start: int, end: int) -> Iterator[_Span]:
    """Every secret between two marks; those that overlap too."""
    from bethink.text.secret_checks import CHECKS, Seen
    from bethink.text.secret_labels import labelled
    from bethink.text.secret_rules import groups

    part = data[start:end]
    pictures = _pictures(part)
    for rule in (rule for group in groups() for rule in group.candidates(part)):
        group, check = min(1, rule.pattern.groups), CHECKS.get(rule.check)
        matches = rule.pattern.finditer(part)
        if rule.check == "card":
            matches = _by_groups(rule.pattern, part)
        for match in matches:
            first, last = match.span(group)
            if check is not None and not check(Seen(part, first, last)):
                continue
            if not any(a <= first and last <= b for a, b in pictures):
                yield _Span(start + first, start + last, rule.kind)
    for first, last, kind in labelled(part):
        yield _Span(start + first, start + last, kind)


def _by_groups(pattern: Pattern, data: bytes) -> Iterator[Match]:
    """Matches that may overlap by groups of digits: a number in groups may stand behind another."""
    match = pattern.search(data)
    while match is not None:
        yield match
        found = match.group() or b""
        first = min((at for at in map(found.find, (b" ", b"-")) if at >= 0), default=len(found))
        match = pattern.search(data, match.start() + first)


def _pictures(data: bytes) -> list[tuple[int, int]]:
    """Files that stand in the text itself: what looks like a key there is chance."""
    from bethink.text.linear import linear

    if b";base64," not in data:
        return []
    shape = r"data:[a-z]+/[a-z0-9.+-]+(?:;[a-z0-9=-]+)*;base64,[A-Za-z0-9+/=_-]*"
    return [match.span() for match in linear(f"(?i:{shape})", bare=True).finditer(data)]


def _joined(found: Iterable[_Span]) -> list[_Span]:
    """Where two overlap, both go, under the name of the one that was found first."""
    joined: list[_Span] = []
    for _, span in sorted(enumerate(found), key=lambda each: (each[1].start, each[0])):
        last = joined[-1] if joined else None
        if last is None or span.start >= last.end:
            joined.append(span)
        elif span.end > last.end:
            joined[-1] = last._replace(end=span.end)
    return joined
