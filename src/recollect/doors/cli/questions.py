"""The options of a question, for every command that asks one."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from recollect.doors.cli.inputs import filter_option, piped
from recollect.errors import InvalidInput
from recollect.recall.presets import PURPOSES


def add_question_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--space", action="append", help="where to look; may be repeated")
    parser.add_argument("--limit", type=int, help="how many hits at most")
    parser.add_argument("--budget", type=int, metavar="TOKENS", help="how many tokens at most")
    parser.add_argument("--where", metavar="JSON", help="a filter; see docs/reference/filters.md")
    parser.add_argument(
        "--as-of", metavar="TIME", help="what was valid at this time (valid_from, valid_to)"
    )
    preset = parser.add_argument(
        "--preset",
        metavar="NAME",
        default="balanced",
        help=f"the pipeline to use: {', '.join(PURPOSES)}; see 'recollect presets'",
    )
    preset.completer = lambda **_: list(PURPOSES)  # type: ignore[attr-defined]  # argcomplete's
    parser.add_argument(
        "--deadline", type=float, metavar="SECONDS", help="answer by then with what there is"
    )
    parser.add_argument("--words", action="store_true", help="look by words alone")
    parser.add_argument("--meaning", action="store_true", help="look by meaning alone")
    parser.add_argument(
        "--min-meaning",
        type=float,
        metavar="COSINE",
        help="cut hits by meaning below this (-1 to 1)",
    )
    parser.add_argument(
        "--min-words",
        type=float,
        metavar="SHARE",
        help="cut hits by words that hold less of the question (0 to 1)",
    )
    parser.add_argument(
        "--floor",
        type=float,
        metavar="CONFIDENCE",
        help="keep silent below this confidence, 0 to 1; 0 always answers",
    )


def question_options(arguments: argparse.Namespace) -> dict[str, Any]:
    """As `Engine.recall` takes them."""
    if arguments.words and arguments.meaning:
        raise InvalidInput("--words and --meaning exclude each other; without both, both are used")
    return {
        "spaces": arguments.space,
        "limit": arguments.limit,
        "budget": arguments.budget,
        "where": filter_option(arguments.where),
        "as_of": arguments.as_of,
        "preset": arguments.preset,
        "words": not arguments.meaning,
        "meaning": not arguments.words,
        "meaning_threshold": arguments.min_meaning,
        "words_threshold": arguments.min_words,
        "floor": arguments.floor,
        "deadline": arguments.deadline,
    }


def question(words: list[str], command: str) -> str:
    if words and words != ["-"]:
        return " ".join(words)
    if words == ["-"] or not sys.stdin.isatty():
        return piped()
    raise InvalidInput(f'nothing is asked; say: recollect {command} "…" (or --help)')
