"""The options of a question, for every command that asks one."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from typing import Any, TypeVar

from bethink.doors.cli.inputs import filter_option, piped
from bethink.doors.cli.session import Session, some
from bethink.errors import InvalidInput
from bethink.recall.presets import PURPOSES

_N = TypeVar("_N", int, float)
_WHAT = {
    "limit": "a whole number",
    "budget": "a whole number",
    "deadline": "seconds",
    "meaning_threshold": "a cosine",
    "words_threshold": "a share of the question's words",
    "floor": "a relevance",
    "candidates": "a whole number",
    "unverified_share": "a share of the hits",
}


# Accepted and not shown: the names of a knowledge base's parameters, and former names.
_OTHER_NAMES = {
    "meaning_threshold": ("--vector-threshold", "--min-meaning"),
    "words_threshold": ("--keyword-threshold", "--min-words"),
    "unverified_share": ("--unverified",),
}


def add_question_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--space", action="append", help="where to look; may be repeated")
    parser.add_argument("--limit", type=_whole("limit"), help="how many hits at most")
    parser.add_argument(
        "--budget", type=_whole("budget"), metavar="TOKENS", help="how many tokens at most"
    )
    parser.add_argument("--where", metavar="JSON", help="a filter; see docs/reference/filters.md")
    parser.add_argument(
        "--as-of", metavar="TIME", help="what held then: 2026-05-01 (its end), now, yesterday, 昨天"
    )
    preset = parser.add_argument(
        "--preset",
        metavar="NAME",
        default="balanced",
        help=f"the pipeline to use: {', '.join(PURPOSES)}; see 'bethink presets'",
    )
    preset.completer = lambda **_: list(PURPOSES)  # type: ignore[attr-defined]  # argcomplete's
    parser.add_argument(
        "--deadline",
        type=_decimal("deadline"),
        metavar="SECONDS",
        help="answer by then with what there is",
    )
    parser.add_argument("--words", action="store_true", help="look by words alone")
    parser.add_argument("--meaning", action="store_true", help="look by meaning alone")
    add_tuning_options(parser)
    parser.add_argument(
        "--unverified-share",
        type=_decimal("unverified_share"),
        metavar="SHARE",
        help="how much of the answer may be unverified, 0 to 1",
    )


def add_tuning_options(parser: argparse.ArgumentParser) -> None:
    """Thresholds, floor, weights, expansion and candidates, under the names of every interface."""
    parser.add_argument(
        "--meaning-threshold",
        type=_decimal("meaning_threshold"),
        metavar="COSINE",
        help="cut hits by meaning below this (-1 to 1)",
    )
    parser.add_argument(
        "--words-threshold",
        type=_decimal("words_threshold"),
        metavar="SHARE",
        help="cut hits by words that hold less of the question (0 to 1)",
    )
    for name, others in _OTHER_NAMES.items():
        parser.add_argument(*others, dest=name, type=_decimal(name), help=argparse.SUPPRESS)
    parser.add_argument(
        "--floor",
        type=_decimal("floor"),
        metavar="RELEVANCE",
        help="hand out nothing below this relevance, 0 to 1; 0 hands out whatever is found",
    )
    parser.add_argument(
        "--weights",
        metavar="ORDER",
        help="order of the hits: meaning-first, words-first, equal, or meaning=0.7,words=0.3",
    )
    parser.add_argument(
        "--enable-query-expansion",
        action=argparse.BooleanOptionalAction,
        help="ask again in other words if little is found (preset knowledge; on by default there)",
    )
    parser.add_argument(
        "--candidates",
        type=_whole("candidates"),
        metavar="N",
        help="how many passages each search looks at",
    )


def tuning_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """As the engine takes them; it checks them, and `naming_options` puts our names in."""
    return {
        "meaning_threshold": arguments.meaning_threshold,
        "words_threshold": arguments.words_threshold,
        "floor": arguments.floor,
        "weights": _weights(arguments.weights),
        "enable_query_expansion": arguments.enable_query_expansion,
        "candidates": arguments.candidates,
    }


def _weights(text: str | None) -> str | dict[str, float] | None:
    """`meaning-first`, or `meaning=0.7,words=0.3`."""
    if text is None or "=" not in text:
        return text
    numbers: dict[str, float] = {}
    for part in text.split(","):
        name, _, value = part.partition("=")
        try:
            numbers[name.strip()] = float(value)
        except ValueError:
            raise InvalidInput(
                f"--weights: expected a number after {name}=, got {value!r}"
            ) from None
    return numbers


# Parameters whose option in the command line has another name than theirs with hyphens.
_OPTIONS = {
    "vector_threshold": "--meaning-threshold",
    "keyword_threshold": "--words-threshold",
    "match_count": "--limit",
    "knowledge_bases": "--space",
    "documents": "--document",
    "spaces": "--space",
    **{
        name: "--" + name.replace("_", "-")
        for name in (
            "meaning_threshold", "words_threshold", "unverified_share", "enable_query_expansion",
            "weights", "candidates", "floor", "limit", "budget", "deadline", "where", "seconds",
        )
    },
}  # fmt: skip


def with_options(message: str) -> str:
    """Return a message of the engine with our options in place of its parameters.

    A name with an underscore is a parameter wherever it stands; a plain word such as `limit` only
    at the beginning, before a colon.
    """
    beginning, colon, rest = message.partition(":")
    if colon and beginning in _OPTIONS:
        message = f"{_OPTIONS[beginning]}:{rest}"
    names = "|".join(name for name in _OPTIONS if "_" in name)
    return re.sub(rf"(?<![\w-])({names})(?!\w)", lambda found: _OPTIONS[found[1]], message)


@contextmanager
def naming_options() -> Iterator[None]:
    """Make errors of the engine name the options of the command line."""
    try:
        yield
    except InvalidInput as e:
        told = with_options(str(e))
        if told == str(e):
            raise
        raise InvalidInput(told) from None


def question_options(arguments: argparse.Namespace, session: Session) -> dict[str, Any]:
    """As `Engine.recall` takes them."""
    if arguments.words and arguments.meaning:
        raise InvalidInput("--words and --meaning exclude each other; without both, both are used")
    return {
        "spaces": arguments.space,
        "limit": _within("--limit", arguments.limit, "limit"),
        "budget": _within("--budget", arguments.budget, "budget"),
        "where": filter_option(arguments.where),
        "as_of": _as_of(arguments.as_of, session),
        "preset": arguments.preset,
        "words": not arguments.meaning,
        "meaning": not arguments.words,
        **tuning_options(arguments),
        "unverified_share": _within(
            "--unverified-share", arguments.unverified_share, "unverified_share"
        ),
        "deadline": _within("--deadline", arguments.deadline, "deadline"),
    }


def mention_spaces(asked: Sequence[str], session: Session) -> None:
    """Name the spaces that exist if one that was asked does not."""
    there = [info.name for info in session.engine.spaces()]
    if there and any(name not in there for name in asked):
        session.hint(f"spaces that exist: {some(sorted(there))}")


def _as_of(text: str | None, session: Session) -> datetime | None:
    """ "Yesterday" is what held when it was over."""
    if text is None:
        return None
    from bethink.doors.cli.moments import moment

    return moment(text, "--as-of", session, at_its_end=True)


def _whole(name: str) -> Callable[[str], int]:
    return lambda text: _read(int, name, text)


def _decimal(name: str) -> Callable[[str], float]:
    return lambda text: _read(float, name, text)


def _read(kind: Callable[[str], _N], name: str, text: str) -> _N:
    try:
        return kind(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{_expected(name)}, got {text!r}") from None


def _within(option: str, value: _N | None, name: str) -> _N | None:
    """Checked here too, so that an error names the option that people typed."""
    from bethink.settings import RANGES

    least, most = RANGES[name]
    if value is not None and not least <= value <= most:  # not a number (NaN) is in no range
        raise InvalidInput(f"{option}: {_expected(name)}, got {value}")
    return value


def _expected(name: str) -> str:
    from bethink.settings import RANGES

    least, most = RANGES[name]
    return f"expected {_WHAT[name]} from {least:,} to {most:,}"


def question(words: list[str], command: str) -> str:
    if words and words != ["-"]:
        return " ".join(words)
    if words == ["-"] or not sys.stdin.isatty():
        return piped()
    raise InvalidInput(f'nothing is asked; say: bethink {command} "…" (or --help)')
