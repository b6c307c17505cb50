"""The table of secrets that have a shape of their own (`secret_rules.txt`), made ready for RE2."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from re import escape
from typing import NamedTuple

from bethink.text.linear import Pattern, linear

# Raised with every change of what is found, so that files of notebooks are read again.
VERSION = "2026-11-16.5"

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
    words: tuple[bytes, ...]  # one of them must be there; () where there is no such word
    shape: str
    check: str  # what else must hold: a name in `secret_checks.CHECKS`, or nothing

    @property
    def pattern(self) -> Pattern:
        return linear(self.shape)


class Group(NamedTuple):
    """Rules that share a trace: one pattern, without a match of which none finds anything."""

    rules: tuple[Rule, ...]
    trace: str
    lowered: bool  # the words are in lower case

    def candidates(self, text: bytes) -> Iterator[Rule]:
        """Those of which a word is there."""
        if linear(self.trace, bare=True).search(text) is None:
            return
        text = text.lower() if self.lowered else text
        for rule in self.rules:
            for word in rule.words:
                if word in text:
                    yield rule
                    break
            else:
                if not rule.words:
                    yield rule


@cache
def groups() -> tuple[Group, ...]:
    """The table. What an earlier group or row finds has its name."""
    parts: dict[str, list[Rule]] = {}
    part = ""
    for line in Path(__file__).with_name("secret_rules.txt").read_text("utf-8").splitlines():
        if line.startswith("["):
            part = line.strip("[]")
        elif " | " in line and not line.startswith("# "):
            parts.setdefault(part, []).append(_rule(part, *line.split(" | ")))
    keys, places = tuple(parts["keys"]), (*parts["inner"], *parts["places"])
    return (
        Group(tuple(parts["blocks"]), "(?i:private[ -](?:key|lines))", lowered=True),
        Group(keys, _leading(keys), lowered=False),
        Group(places, "|".join((*_TRACES, _among(places))), lowered=True),
    )


def _rule(part: str, kind: str, words: str, shape: str, check: str = "") -> Rule:
    if part in ("keys", "inner"):
        shape = f"{_BEFORE}({shape})"
    each = () if words == "-" else words.split()
    return Rule(kind, tuple(word.replace("·", " ").encode() for word in each), shape, check)


def _leading(rules: Iterable[Rule]) -> str:
    """A word that leads a key, with some of the key: more of it where the word is only letters,
    which may begin any other word."""
    words = sorted({word.decode() for rule in rules for word in rule.words})
    signed = "|".join(escape(word) for word in words if not word.isalnum())
    lettered = "|".join(escape(word) for word in words if word.isalnum())
    more = r"[A-Za-z0-9_.$+/-]"
    return rf"{_BEFORE}(?:(?:{signed}){more}{{6}}|(?:{lettered}){more}{{11}})"


def _among(rules: Iterable[Rule]) -> str:
    words = {word.decode() for rule in rules for word in rule.words} - _EVERYWHERE
    return f"(?i:{'|'.join(escape(word) for word in sorted(words))})"
