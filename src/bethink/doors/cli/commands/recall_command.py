from __future__ import annotations

import argparse
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from bethink.doors.cli.colour import Piece, Styled, identifier, matches, state
from bethink.doors.cli.questions import (
    add_question_options,
    mention_spaces,
    naming_options,
    question,
    question_options,
    with_options,
)
from bethink.doors.cli.session import Session
from bethink.errors import InvalidInput

if TYPE_CHECKING:
    from bethink.vocabulary import Recollection

_EPILOG = """\
examples:
  bethink recall "what did we decide about the budget?" --space work
  bethink recall "预算怎么定的" --budget 500 --explain
  bethink recall "ERR_CONN_1042" --words              words alone: fastest, loads no model
  bethink recall "theme" --where '{"kind": "preference", "confidence": {">=": 0.8}}'
  bethink recall "发布计划" --preset workflow --format history

The status says how far to trust the answer: answered, uncertain, empty, below_floor, degraded,
stale, unavailable, disabled. The hits of an uncertain answer may not answer the question.
--explain shows what every stage did, and changes no counter; with a format that goes to a model or
a program as it is, it speaks on standard error.
"""
_EXPLAIN_THEMSELVES = ("text", "json")
_NEAREST = "nearest miss:"
_FORMATS = ("text", "json", "markdown", "brief", "history", "search-response", "model")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument(
        "words_asked", nargs="*", metavar="QUESTION", help="what to look for; '-' reads a pipe"
    )
    add_question_options(parser)
    parser.add_argument("--explain", action="store_true", help="show what every stage did")
    parser.add_argument("--markdown", action="store_true", help="print what to put before a model")
    parser.add_argument(
        "--format",
        choices=_FORMATS,
        help="how to print the answer; 'model': the very text that the preset puts before a model",
    )
    parser.add_argument(
        "--language",
        choices=("zh", "en"),
        help="of headings (default: the setting 'heading_language', else the preset's: zh)",
    )


def run(arguments: argparse.Namespace, session: Session) -> int:
    from bethink.recall.render import FORMATS, explanation, language_of, what_a_model_sees

    form = _format(arguments, session)
    asked, options = question(arguments.words_asked, "recall"), question_options(arguments, session)
    with naming_options():
        answer = session.engine.recall(asked, touch=not arguments.explain, **options)
    answer = replace(answer, reasons=tuple(map(with_options, answer.reasons)))
    if not answer.hits:
        mention_spaces(answer.query.spaces, session)
    language = language_of(answer, arguments.language, session.engine.settings)
    rendered = FORMATS[form](answer, arguments.explain, language)
    if not isinstance(rendered, str):
        session.show(rendered)
    elif form == "text":
        for line in rendered.split("\n"):
            session.say(*_coloured(line, answer))
    elif rendered:
        session.hand_on(rendered)
    if form == "model":
        tokens = what_a_model_sees(answer, language=language).tokens
        session.hint(f"a model sees {tokens} tokens; {answer.tokens_used} of them are memories")
    if arguments.explain and form not in _EXPLAIN_THEMSELVES:
        for line in explanation(answer):  # beside the answer, which goes to a model as it is
            session.aside(line)
    elif form != "text":  # which has them itself
        for reason in answer.reasons:
            session.hint(reason)
    return 0


def _coloured(line: str, answer: Recollection) -> Sequence[Piece]:
    """Return a line of `render.as_text` with what stands out: the words of the question in each
    hit, the hit's id, and the status."""
    question = answer.query.text
    if number := re.match(r" *\d+\. ", line):
        return Styled(number[0], "label"), *matches(line[number.end() :], question)
    if line.startswith(_NEAREST):
        return Styled(_NEAREST, "label"), *matches(line[len(_NEAREST) :], question)
    if line.startswith(f"{answer.status}:"):
        return state(answer.status), line[len(answer.status) :]
    nearest = () if answer.nearest is None else (answer.nearest,)
    for hit in (*answer.hits, *nearest):
        before, found, after = line.partition(f"  {hit.id}  ")
        if found:
            return before, identifier(found), after
    return (line,)


def _format(arguments: argparse.Namespace, session: Session) -> str:
    """`--json`, `--text` and `--markdown` are short for the formats of these names."""
    flags = ("json", "text", "markdown")
    named = {flag for flag in flags if getattr(arguments, flag)} | {arguments.format} - {None}
    if arguments.markdown and len(named) == 2 and arguments.format is None:
        return "markdown"  # --json then says how errors are printed
    if len(named) > 1:
        raise InvalidInput(f"choose one form of answer, not {' and '.join(sorted(named))}")
    if named:
        return str(named.pop())
    return "json" if session.json else "text"
