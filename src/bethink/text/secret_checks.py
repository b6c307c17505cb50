"""What must hold beside the shape, so that a number or a word is not taken for a secret."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from bethink.text.linear import linear


class Seen(NamedTuple):
    """A finding in its place."""

    text: bytes
    start: int
    end: int

    @property
    def value(self) -> str:
        return self.text[self.start : self.end].decode("utf-8", "replace")

    @property
    def before(self) -> str:
        return self.text[max(0, self.start - 40) : self.start].decode("utf-8", "replace")

    @property
    def after(self) -> str:
        return self.text[self.end : self.end + 40].decode("utf-8", "replace")


# Stands for a value, or says where it comes from.
_STANDS_FOR = (
    r"(?i)\$.{0,3}[A-Z_{(][^!@#]*|<.*|\{.*|%[A-Z_]*%?[sd]?|\[.*|\(.*|[*.•xX_#-]+…?|…+|"
    r"(?:your|my|the|some|an?|any|example|sample|dummy|fake|test|insert|enter|put|replace|changeme|"
    r"change)[ _-].*|changeme|placeholder|redacted|removed|hidden|masked|example|foobar|"
    r"(?:os|process|env|config|settings|self|this|request|req|ctx|args|options|import\.meta)[.\[].*|"
    r"(?:pass|pw|pwd|passwd|password|secret|token|key|apikey|api[_-]key)s?[:0-9]?|"
    r"null|none|nil|undefined|true|false|string|str|text|bytes|int|integer|number|bool|optional\b.*|"
    r"required|missing|empty|unset|default|vault:.*|env:.*|file:.*|op://.*|secret:.*|arn:.*"
)


def stands_for_one(value: str) -> bool:
    """Is it a placeholder, a variable, a type, a place where the secret is kept?"""
    return bool(linear(f"(?:{_STANDS_FOR})", bare=True).fullmatch(value[:200].encode()))


def _is_value(seen: Seen) -> bool:
    value = seen.value
    if stands_for_one(value):
        return False
    if seen.before.endswith(":") or "://" in seen.before:  # the password of an address
        return True
    return any(c.isdigit() for c in value) or len(value) >= 20


def _is_card(seen: Seen) -> bool:
    """A number of a card that exists, and not the number of an order."""
    if not _alone(seen) or not _is_card_number("".join(c for c in seen.value if c.isdigit())):
        return False
    if linear(_NUMBERED, bare=True).search(seen.before[-16:].encode()):
        return False
    return seen.value.isdigit() or not _in_a_table(seen)


def _is_card_number(written: str) -> bool:
    digits = [int(c) for c in written]
    if len(set(digits)) < 2 or not _issued(written):
        return False
    doubled = (d if n % 2 == 0 else d * 2 - 9 * (d > 4) for n, d in enumerate(reversed(digits)))
    return sum(doubled) % 10 == 0


_BESIDE = 2  # groups of digits: its check digits, a year, an extension


def _in_a_table(seen: Seen) -> bool:
    """Among more numbers than stand beside a card they are readings, of which any four in a row may
    pass by chance; unless all are cards, by fours."""
    start, end = seen.start, seen.end
    least, most = max(0, start - _RUN), min(len(seen.text), end + _RUN)
    while start > least and seen.text[start - 1] in b"0123456789 -":
        start -= 1
    while end < most and seen.text[end] in b"0123456789 -":
        end += 1
    groups = seen.text[start:end].decode().replace("-", " ").split()
    if len(groups) <= len(seen.value.replace("-", " ").split()) + _BESIDE:
        return False
    fours = ["".join(groups[at : at + 4]) for at in range(0, len(groups), 4)]
    return not all(len(four) == 16 and _is_card_number(four) for four in fours)


_RUN = 200  # bytes to either side


# What counts things, and not money.
_NUMBERED = (
    r"(?i)(?:order|invoice|ticket|trace|span|request|message|event|snowflake|tracking|serial|"
    r"\bid|\bno\.?|epoch|timestamp|isbn|ean|imei)[^a-z]{0,6}$|"
    r"(?:订单|单号|编号|流水|快递|运单|工单|序列|时间戳)[^，。]{0,4}$"
)


def _issued(number: str) -> bool:
    """By the first digits and the length that the card companies use."""
    size, four = len(number), int(number[:4])
    if number.startswith(("34", "37")):
        return size == 15
    if number.startswith("62"):
        return 16 <= size <= 19
    return size == 16 and (
        number[0] == "4"
        or 5100 <= four <= 5599
        or 2221 <= four <= 2720
        or 3528 <= four <= 3589
        or four == 6011
        or number.startswith(("65", "64"))
    )


_WEIGHTS = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)


def _is_resident(seen: Seen) -> bool:
    """GB 11643: a province, a day of birth, a last sign that follows from the others."""
    value = seen.value
    if not _alone(seen) or not 11 <= int(value[:2]) <= 83:
        return False
    total = sum(int(c) * weight for c, weight in zip(value, _WEIGHTS, strict=False))
    return "10X98765432"[total % 11] == value[-1].upper()


def _alone(seen: Seen) -> bool:
    """Not a part of a longer number, a word, a fraction or a path."""
    before, after = seen.before[-2:], seen.after[:2]
    if before in ("\\n", "\\r", "\\t"):  # a line break as programs write it
        before = "\n"
    joined = (before[-1:].isascii() and before[-1:].isalnum()) or before[-1:] in tuple("._-/+")
    goes_on = (after[:1].isascii() and after[:1].isalnum()) or (
        after[:1] in tuple("._-") and after[1:].isalnum()
    )
    return not joined and not goes_on


def _is_mixed_at_the_end(seen: Seen) -> bool:
    """A digest with a file's ending is not a key: its ending has digits and both cases."""
    return _several_cases(seen.value.rpartition(".")[2]) and _alone(seen)


def _has_several_cases(seen: Seen) -> bool:
    return all(_several_cases(part, digits=False) for part in seen.value.split(".")[::2])


def _several_cases(word: str, *, digits: bool = True) -> bool:
    return (
        any(c.islower() for c in word)
        and any(c.isupper() for c in word)
        and (not digits or any(c.isdigit() for c in word))
    )


def _is_given(seen: Seen) -> bool:
    """Behind its name there can be nothing else, unless it is a word or stands for one."""
    return not stands_for_one(seen.value) and not seen.value.isalpha()


def _is_chosen(seen: Seen) -> bool:
    value = seen.value
    signs = any(c.isdigit() or c in "!@#$%^&*" for c in value)
    return signs and any(c.isalpha() for c in value) and not stands_for_one(value)


CHECKS: dict[str, Callable[[Seen], bool]] = {
    "value": _is_value,
    "given": _is_given,
    "chosen": _is_chosen,
    "card": _is_card,
    "resident": _is_resident,
    "mixed end": _is_mixed_at_the_end,
    "several cases": _has_several_cases,
}
