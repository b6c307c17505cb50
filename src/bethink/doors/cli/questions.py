"""The options of a question, for every command that asks one."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from datetime import datetime
from typing import Any, TypeVar

from bethink.doors.cli.inputs import filter_option, piped
from bethink.doors.cli.session import Session
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
    "unverified_share": "a share of the hits",
}


def add_question_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--space", action="append", help="where to look; may be repeated")
    parser.add_argument("--limit", type=_whole("limit"), help="how many hits at most")
    parser.add_argument(
        "--budget", type=_whole("budget"), metavar="TOKENS", help="how many tokens at most"
    )
    parser.add_argument("--where", metavar="JSON", help="a filter; see docs/reference/filters.md")
    parser.add_argument(
        "--as-of", metavar="TIME", help="what held at this time: 2026-05-01, now, yesterday, 昨天"
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
    parser.add_argument(
        "--min-meaning",
        type=_decimal("meaning_threshold"),
        metavar="COSINE",
        help="cut hits by meaning below this (-1 to 1)",
    )
    parser.add_argument(
        "--min-words",
        type=_decimal("words_threshold"),
        metavar="SHARE",
        help="cut hits by words that hold less of the question (0 to 1)",
    )
    parser.add_argument(
        "--floor",
        type=_decimal("floor"),
        metavar="RELEVANCE",
        help="hand out nothing below this relevance, 0 to 1; 0 hands out whatever is found",
    )
    parser.add_argument(
        "--unverified",
        type=_decimal("unverified_share"),
        metavar="SHARE",
        help="how much of the answer may be unverified, 0 to 1",
    )


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
        "meaning_threshold": _within("--min-meaning", arguments.min_meaning, "meaning_threshold"),
        "words_threshold": _within("--min-words", arguments.min_words, "words_threshold"),
        "floor": _within("--floor", arguments.floor, "floor"),
        "unverified_share": _within("--unverified", arguments.unverified, "unverified_share"),
        "deadline": _within("--deadline", arguments.deadline, "deadline"),
    }


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
