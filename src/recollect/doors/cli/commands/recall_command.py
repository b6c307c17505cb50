from __future__ import annotations

import argparse
import sys

from recollect.doors.cli.inputs import filter_option, piped
from recollect.doors.cli.session import Session, clip
from recollect.errors import InvalidInput

_EPILOG = """\
examples:
  recollect recall "what did we decide about the budget?" --space work
  recollect recall "预算怎么定的" --budget 500 --explain
  recollect recall "ERR_CONN_1042" --words              words alone: fastest, loads no model
  recollect recall "theme" --where '{"kind": "preference", "confidence": {">=": 0.8}}'

The status says how far to trust the answer: answered, empty, below_floor, degraded, stale,
unavailable, disabled. --explain shows what every stage did, and changes no counter.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument(
        "words_asked", nargs="*", metavar="QUESTION", help="what to look for; '-' reads a pipe"
    )
    parser.add_argument("--space", action="append", help="where to look; may be repeated")
    parser.add_argument("--limit", type=int, help="how many hits at most")
    parser.add_argument("--budget", type=int, metavar="TOKENS", help="how many tokens at most")
    parser.add_argument("--where", metavar="JSON", help="a filter; see docs/reference/filters.md")
    parser.add_argument(
        "--as-of", metavar="TIME", help="what was valid at this time (valid_from, valid_to)"
    )
    parser.add_argument("--preset", default="balanced", help="the pipeline to use")
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
    parser.add_argument("--explain", action="store_true", help="show what every stage did")
    parser.add_argument("--markdown", action="store_true", help="print what to put before a model")


def run(arguments: argparse.Namespace, session: Session) -> int:
    from recollect.recall.render import as_markdown, as_record, explanation, reason_line

    if arguments.words and arguments.meaning:
        raise InvalidInput("--words and --meaning exclude each other; without both, both are used")
    answer = session.engine.recall(
        _question(arguments),
        spaces=arguments.space,
        limit=arguments.limit,
        budget=arguments.budget,
        where=filter_option(arguments.where),
        as_of=arguments.as_of,
        preset=arguments.preset,
        words=not arguments.meaning,
        meaning=not arguments.words,
        meaning_threshold=arguments.min_meaning,
        words_threshold=arguments.min_words,
        deadline=arguments.deadline,
        touch=not arguments.explain,
    )
    if arguments.markdown:
        text = as_markdown(answer)
        if text:
            session.say(text)
    elif session.json:
        session.show(as_record(answer, explain=arguments.explain))
    else:
        for number, hit in enumerate(answer.hits, start=1):
            session.say(f"{number:>2}. {clip(hit.text, 96)}")
            session.say(f"    {hit.score:.3f}  {hit.id}  {hit.memory.kind}  ({reason_line(hit)})")
        session.say(
            f"{answer.status}: hits {len(answer.hits)}, tokens used {answer.tokens_used}, "
            f"{answer.tokens_left} left"
        )
        if arguments.explain:
            for line in explanation(answer):
                session.say(line)
    for reason in answer.reasons:
        session.hint(reason)
    return 0


def _question(arguments: argparse.Namespace) -> str:
    if arguments.words_asked and arguments.words_asked != ["-"]:
        return " ".join(arguments.words_asked)
    if arguments.words_asked == ["-"] or not sys.stdin.isatty():
        return piped()
    raise InvalidInput('nothing is asked; say: recollect recall "…" (or --help)')
