"""What a model wrote, checked against what it was given: it cites only passages that exist, points
nowhere that they do not, and what it says has something in common with what it cites."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from bethink.knowledge.follow_up_parts import is_chinese_question
from bethink.knowledge.only_text import plain
from bethink.text.fold import fold_width
from bethink.text.tokenise import telling_terms, terms

_LONGEST = 12_000  # characters of an answer
_NUMBERS = r"[0-9]{1,4}(?:\s*[,，、;；–-]\s*\^?[0-9]{1,4})*"
_MARK = rf"[\[【［]\s*\^?({_NUMBERS})\s*[\]】］]"
_ROUNDS = 20  # what is taken out can bring together what stood around it
_NUMBER = r"[0-9]+(?:[.,][0-9]+)*"


class Checked(NamedTuple):
    text: str
    cited: tuple[int, ...]  # numbers of passages, ascending
    notes: tuple[str, ...]  # what was taken out, and why


def checked(text: str, passages: Sequence[str], *, said: str = "") -> Checked:
    """`passages` as the model saw them, from number 1; `said` is what else it was given."""
    notes: list[str] = []
    if len(text) > _LONGEST:
        notes.append(f"the answer was cut: {_LONGEST:,} of its {len(text):,} characters are shown")
    text = text[:_LONGEST].strip()
    given = "\n".join((*passages, said))
    images = tags = 0
    foreign: dict[str, None] = {}
    wrong: dict[int, None] = {}

    def existing(match: re.Match[str]) -> str:
        told = _numbers(match[1])
        here = [number for number in told if 1 <= number <= len(passages)]
        wrong.update(dict.fromkeys(number for number in told if number not in here))
        return _spaced(match, "".join(f"[{number}]" for number in here))

    for _ in range(_ROUNDS):
        before = text
        text = re.sub(rf"\s?{_MARK}", existing, fold_marks(text))
        told = plain(text, given)
        text = told.text.strip()
        images += told.images
        tags += told.tags
        foreign.update(dict.fromkeys(told.foreign))
        if text == before:
            break
    else:
        text = ""  # nobody writes so who has not something to hide
        notes.append("the answer was left out: it hides something within itself, again and again")
    if images:
        notes.append("an image was taken out: showing one asks its server")
    if tags:
        notes.append("HTML was taken out: an answer is only text")
    notes += [f"an address that no passage holds was taken out: {a[:80]}" for a in [*foreign][:3]]
    for number in list(wrong)[:5]:
        notes.append(f"the citation [{number}] was taken out: there is no such passage")
    cited = {n for numbers in re.findall(_MARK, text) for n in _numbers(numbers)}
    return Checked(text, tuple(sorted(cited)), tuple(notes))


def _spaced(match: re.Match[str], mark: str) -> str:
    return f" {mark}" if mark and match[0][0].isspace() else mark


def fold_marks(text: str) -> str:
    """【１】 is [1]; the rest of the text stays as it is."""
    return re.sub(
        r"[【［\[]\s*\^?[0-9０-９][0-9０-９,，、;；\s–^-]{0,80}[】］\]]",
        lambda m: "[" + fold_width(m[0])[1:-1].strip() + "]",
        text,
    )


def _numbers(told: str) -> list[int]:
    found: list[int] = []
    for part in re.split(r"[,，、;；]", told):
        ends = [int(one) for one in re.findall(r"[0-9]+", part)]
        if len(ends) == 2 and 0 < ends[1] - ends[0] <= 20:
            found += range(ends[0], ends[1] + 1)
        else:
            found += ends
    return list(dict.fromkeys(found))


def sentences(text: str) -> list[str]:
    """With the marks that follow a sentence's end still in it."""
    marks = rf"(?:\s*{_MARK})*"
    pieces = re.finditer(rf".+?(?:[.!?](?=\s|\[|\Z)|[。！？；]|\n|\Z){marks}", text)
    told = (piece[0].strip().lstrip(".,;:!?，。；：！？ ") for piece in pieces)
    return [sentence for sentence in told if sentence]


Near = Callable[[str, int], bool | None]  # a sentence, a passage's number; None: nobody can tell


class Doubt(NamedTuple):
    """A sentence that what it cites does not say, and why."""

    sentence: str
    why: str


def unsupported(text: str, passages: Sequence[str], near: Near) -> tuple[Doubt, ...]:
    """Return the sentences that the passages they cite do not support.

    Every number, date and Latin name of a sentence must stand in one of the passages that it cites.
    It must also share a telling word or a number with one of them, or be near to one by meaning.
    Across languages only numbers, dates and meaning can tell.
    """
    held = [_Held.of(passage) for passage in passages]
    found: list[Doubt] = []
    for sentence in sentences(text):
        numbers = [n for told in re.findall(_MARK, sentence) for n in _numbers(told)]
        cited = [n for n in dict.fromkeys(numbers) if 1 <= n <= len(passages)]
        bare = re.sub(_MARK, " ", sentence).strip()
        if not cited:
            continue
        if not any(held[n - 1].supports(bare, partial(near, bare, n)) for n in cited):
            found.append(Doubt(sentence, "shares nothing with what it cites"))
        elif missing := _not_said(bare, [held[n - 1] for n in cited]):
            marks = "".join(f"[{n}]" for n in cited)
            found.append(Doubt(sentence, f"{marks} does not say {', '.join(missing)}"))
    return tuple(found)


def _not_said(sentence: str, held: Sequence[_Held]) -> list[str]:
    """The numbers, dates and names of a sentence that none of the passages holds."""
    from bethink.text.facts import read  # only answers of a model need it

    told = read(fold_width(sentence))
    values = set[str]().union(*(one.values for one in held))
    missing = [
        number for number in told.numbers if not _is_one(number) and _value(number) not in values
    ]
    missing += [day for day in told.dates if not any(_same_day(day, v) for v in values)]
    names = re.findall(r"(?<![\w.])[A-Z][a-z]+(?![\w])", sentence)
    opening = re.match(r"\W*([A-Za-z]+)(?!\w|\s+[A-Z][a-z])", sentence)
    for name in dict.fromkeys(names):
        first = opening is not None and opening[1] == name  # its capital says nothing
        same_language = [one for one in held if not one.chinese]
        if first or not same_language:
            continue
        if not any(one.terms.intersection(terms(name)) for one in held):
            missing.append(name)
    return missing


def _value(number: str) -> str:
    """Without its unit: 30 day and 30 are the same number."""
    return number.split(" ")[0]


def _is_one(number: str) -> bool:
    """一起, 一个 and "one of them" count nothing."""
    return _value(number) == "1"


def _same_day(day: str, other: str) -> bool:
    """A year may be left out on either side."""
    return day.endswith(other) or other.endswith(day) if "-" in other else False


class _Held(NamedTuple):
    """What a passage holds, to be compared with many sentences."""

    terms: frozenset[str]
    numbers: frozenset[str]
    values: frozenset[str]  # the same read as numbers and dates: 十五 is 15
    chinese: bool

    @classmethod
    def of(cls, passage: str) -> _Held:
        from bethink.text.facts import read

        folded = fold_width(passage)
        numbers = frozenset(re.findall(_NUMBER, folded))
        values = {number.replace(",", "") for number in numbers}
        for sentence in re.split(r"(?<=[。！？；\n])|(?<=[.!?])\s", folded):
            told = read(sentence)
            values.update(map(_value, told.numbers), told.dates)
            values.update(day.lstrip("0") for date in told.dates for day in date.split("-"))
        return cls(
            frozenset(terms(passage)), numbers, frozenset(values), is_chinese_question(passage)
        )

    def supports(self, sentence: str, near: Callable[[], bool | None]) -> bool:
        words = telling_terms(sentence)
        if not words or not self.terms.isdisjoint(words):
            return True  # a sentence of stop words claims nothing
        if not self.numbers.isdisjoint(re.findall(_NUMBER, fold_width(sentence))):
            return True
        told = near()
        return self.chinese != is_chinese_question(sentence) if told is None else told
