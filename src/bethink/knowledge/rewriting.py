"""What is searched for in place of a follow-up: by a language model if one is set, else by rules.

The model sees the last turns as data and says what the question means by itself. What it says is
only ever searched for, and only if it is made of what was said: whoever writes "ignore the above"
into a document that was cited gets a search for it at most. It is asked for as long as it may take
(`SECONDS`, and never more than half of the deadline); whatever goes wrong, the rules stand in.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from bethink.errors import BethinkError, LLMError
from bethink.knowledge.follow_up_parts import is_chinese_question
from bethink.knowledge.follow_ups import AskedAs, HeadingOf, by_rules
from bethink.knowledge.turns import Turn
from bethink.llms.protocol import LLM, complete_json
from bethink.text.both_ends import both_ends
from bethink.text.keywords import quoted
from bethink.text.tokenise import identifiers, telling_terms, terms
from bethink.vocabulary import Recollection, Status, Step
from bethink.within import within

SECONDS = 2.0
STAGE = "follow_up"
_SHOWN_TURNS = 3
_SHOWN_CHARS = 600  # of an answer
_LONGEST = 400  # characters of a rewritten question
_OWN_WORDS = 0.5  # of its telling words, so many may be the model's own

_INSTRUCTIONS = (
    "You see the last turns of a conversation and a new question. If the question can be "
    "understood without them, give it back word for word with follow_up false. Otherwise "
    "rewrite it as one question that can be understood alone: put what 'it', 'the second one', "
    "那个 and the like stand for in their place, and what it leaves out. Use words of the "
    "conversation only; keep names, numbers and codes exactly; keep its language; do not answer "
    "it and add nothing."
)
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"follow_up": {"type": "boolean"}, "question": {"type": "string"}},
    "required": ["follow_up", "question"],
    "additionalProperties": False,
}


def asked_as(
    question: str,
    turns: Sequence[Turn],
    *,
    heading_of: HeadingOf | None = None,
    llm: LLM | None = None,
    seconds: float = SECONDS,
) -> AskedAs:
    """The question to search for. Without turns it is the one that was asked."""
    if not turns:
        return AskedAs(question)
    rules = by_rules(question, turns, heading_of)
    if llm is None:
        return rules
    try:
        return within(seconds, lambda: _by_model(llm, question, turns, heading_of, seconds))
    except BethinkError as e:
        reason = f"read by rules, because the language model could not be used: {e}"
        return rules._replace(fault=f"the question was {reason}")


def _by_model(
    llm: LLM, question: str, turns: Sequence[Turn], heading_of: HeadingOf | None, seconds: float
) -> AskedAs:
    shown = [_shown(turn, heading_of) for turn in turns[-_SHOWN_TURNS:]]
    data = {"turns": shown, "question": both_ends(question, _LONGEST * 2)}
    told = complete_json(llm, _INSTRUCTIONS, data, schema=_SCHEMA, seconds=seconds)
    follow_up, made = told.get("follow_up"), told.get("question")
    if not isinstance(follow_up, bool) or not isinstance(made, str):
        raise LLMError("its answer has no 'follow_up' or no text 'question'")
    if not follow_up or len(question) > _LONGEST:
        return AskedAs(question)
    made = " ".join(made.encode("utf-8", "replace").decode().split())
    if made == " ".join(question.split()):
        return AskedAs(question)
    said = "\n".join(str(value) for one in shown for value in one.values())
    check_made_of(made, question, f"{question}\n{said}")
    return AskedAs(made, "llm", f"by {llm.name}")


def _shown(turn: Turn, heading_of: HeadingOf | None) -> dict[str, Any]:
    named = [one.heading or (heading_of(one) if heading_of else "") for one in turn.references]
    return {
        "question": both_ends(turn.question, _SHOWN_CHARS),
        "answer": both_ends(turn.answer, _SHOWN_CHARS),
        "referred_to": [name[:100] for name in named if name][:10],
    }


def check_made_of(made: str, question: str, said: str) -> None:
    """Refuse what is not this question made whole: empty, long, in another language, without what
    the question names exactly, or made of words that nobody said."""
    words = telling_terms(made)
    if not words or len(made) > _LONGEST:
        raise LLMError("its question says nothing, or far too much")
    if is_chinese_question(made) != is_chinese_question(question):
        raise LLMError("its question is in another language")
    lower, held = made.lower(), said.lower()
    lost = [p for p in (*quoted(question), *identifiers(question)) if p.lower() not in lower]
    if lost:
        raise LLMError(f"its question lost {lost[0]!r}")
    exact = (*identifiers(made), *re.findall(r"[0-9]+", made))
    made_up = [piece for piece in exact if piece.lower() not in held]
    if made_up:
        raise LLMError(f"its question names {made_up[0]!r}, which nobody said")
    known = set(terms(said))
    own = sum(word not in known for word in words)
    if own > _OWN_WORDS * len(words):
        raise LLMError("its question is made of words that nobody said")


def with_step(recollection: Recollection, made: AskedAs, took: float) -> Recollection:
    """The answer with a first line in its trace that says what was asked, and why so."""
    if made.rewritten:
        note = f"asked as: {made.text} (by {made.by}: {made.why})"
    else:
        note = "asked as it is: the question stands by itself"
    faults = (made.fault,) if made.fault else ()
    spent = took * 1000
    trace = recollection.trace
    step = Step(STAGE, spent, 0, 0, (note, *faults))
    status = recollection.status
    if faults and status not in (Status.UNAVAILABLE, Status.DISABLED):  # which warn more
        status = Status.DEGRADED
    return replace(
        recollection,
        status=status,
        reasons=(*faults, *recollection.reasons),
        trace=trace._replace(steps=(step, *trace.steps), milliseconds=trace.milliseconds + spent),
    )
