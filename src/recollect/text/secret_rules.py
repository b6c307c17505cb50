"""The table of secrets that have a shape of their own (`secret_rules.txt`), made ready for RE2."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from recollect.text.linear import Pattern

# Raised with every change of what is found, so that files of notebooks are read again.
VERSION = "2026-11-16"

# What a key may stand behind: anything but a letter or digit, or a line break written as "\n".
_BEFORE = r"(?:\b|\\[nrt])"
# Where one of these stands, it is worth looking closer: for rows whose words are everywhere.
_TRACES = (
    r"[1-8][0-9]{3}(?:[ -]?[0-9]){11}",  # a card's or a person's number
    r"://[^\s/@]*:[^\s/@]+@",
    r"[?&][A-Za-z_-]{3,24}=",
    r":[^\s:@/\"']{4,64}@[\w.-]{1,100}:[0-9]",
    r"\s/\s[^\s/]*[0-9!@#$%^&*]",
    r"(?i:\b(?:bearer|basic))\s{1,3}[\"']?[A-Za-z0-9._~+/=-]{16}",
    r"[0-9a-f]{32}(?:\.|-us)",
    r"[0-9]{7}:AA",
    rf"{_BEFORE}[MNO][A-Za-z0-9_-]{{23}}",
)
_EVERYWHERE = frozenset(
    {"-", ".", "=", "://", "-us", ":aa", "bearer", "basic", "login", "api-key", "@", "/"}
)


class Rule(NamedTuple):
    kind: str
    words: tuple[bytes, ...]
    shape: str
    check: str  # what else must hold: a name in `secret_checks.CHECKS`, or nothing
    leads: bool  # the shape begins with one of the words, as they are written

    @property
    def pattern(self) -> Pattern:
        from recollect.text.linear import linear

        return linear(self.shape)

    def may_be_in(self, text: bytes, lowered: bytes) -> bool:
        where = text if self.leads else lowered
        return any(word in where for word in self.words)


class Table(NamedTuple):
    rules: tuple[Rule, ...]
    traces: str  # one pattern: without a match of it, no rule finds anything


@cache
def table() -> Table:
    rules: list[Rule] = []
    part = ""
    for line in Path(__file__).with_name("secret_rules.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            part = line.strip("[]")
        elif " | " in line and not line.startswith("# "):
            rules.append(_rule(part, *line.split(" | ")))
    return Table(tuple(rules), _traces(rules))


def _rule(part: str, kind: str, words: str, shape: str, check: str = "") -> Rule:
    if part in ("keys", "inner"):
        shape = f"{_BEFORE}({shape})"
    each = () if words == "-" else words.split()
    encoded = tuple(word.replace("·", " ").encode() for word in each) or (b"",)
    return Rule(kind, encoded, shape, check, part == "keys")


def _traces(rules: list[Rule]) -> str:
    from re import escape

    leads = sorted({escape(word.decode()) for rule in rules if rule.leads for word in rule.words})
    words = sorted(
        {word.decode() for rule in rules if not rule.leads for word in rule.words}
        - {"", *_EVERYWHERE}
    )
    keys = rf"{_BEFORE}(?:{'|'.join(leads)})[A-Za-z0-9_.$+/\s-]{{6}}"
    return "|".join((keys, f"(?i:{'|'.join(map(escape, words))})", *_TRACES))
