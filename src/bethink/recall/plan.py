"""Make the question ready for the words channel: less scaffolding, keywords named.

Rules do it in well under a millisecond. With `use_llm` a language model is asked first, for so
long as it may take; whatever it does, the rules stand in for it, and what the question quotes or
names exactly is never lost. Meaning is asked with the question as it was.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from bethink.errors import BethinkError, LLMError
from bethink.recall import draft as reading
from bethink.recall.draft import Draft, Kit
from bethink.text.both_ends import both_ends
from bethink.text.keywords import MAX_KEYWORDS, keywords, quoted, without_scaffolding
from bethink.text.tokenise import identifiers, telling_terms
from bethink.vocabulary import Status

_MAX_ASKED_CHARS = 2_000  # what is longer is a document: its beginning and its end
_MAX_ANSWER_CHARS = 500

_INSTRUCTIONS = (
    "You prepare a question for a keyword search in somebody's memories. Rewrite it as a short "
    "search query: keep names, numbers, codes and quoted words exactly, drop politeness and "
    "phrases such as 'do you remember', add at most five close synonyms. Keep its language; do not "
    "translate and do not answer it. Also list its keywords, the most telling first."
)
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "rewritten": {"type": "string"},
        "keywords": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["rewritten", "keywords"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Plan:
    name: ClassVar[str] = "plan"
    use_llm: bool = False
    seconds: float = 2.0  # that the language model may take, if the deadline leaves as much

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled:
            return draft
        plan = by_rules(draft.query.text)
        if self.use_llm:
            draft, plan = self._asked(draft, kit, plan)
        draft = draft._replace(plan=plan)
        if plan.rewritten != draft.query.text.strip():
            draft = draft.note(f"plan: words look for: {_short(plan.rewritten)} (by {plan.by})")
        named = "; ".join(plan.keywords[:8])
        return draft.note(f"plan: keywords: {_short(named)}") if named else draft

    def _asked(self, draft: Draft, kit: Kit, rules: reading.Plan) -> tuple[Draft, reading.Plan]:
        try:
            llm = kit.llm()
            if llm is None:
                return draft.note("plan: no language model is set; rules do it"), rules
            seconds = min(self.seconds, kit.deadline.left())
            asked = kit.pool().submit(
                _ask, llm, both_ends(draft.query.text, _MAX_ASKED_CHARS), seconds
            )
            try:
                told = asked.result(timeout=seconds)
            except TimeoutError:
                asked.cancel()
                raise LLMError(
                    f"{llm.name} did not answer within {seconds:.3g} s; use a faster model, or set "
                    "llm to none"
                ) from None
            return draft, _checked(told, rules)
        except BethinkError as e:
            reason = f"plan by rules, because the language model could not be used: {e}"
            return draft.fault(Status.DEGRADED, reason), rules


def by_rules(question: str) -> reading.Plan:
    rewritten = without_scaffolding(question)
    return reading.Plan(rewritten, keywords(rewritten), quoted(question), "rules")


def _ask(llm: Any, question: str, seconds: float) -> dict[str, Any]:
    from bethink.llms.protocol import complete_json

    return complete_json(
        llm, _INSTRUCTIONS, {"question": question}, schema=_SCHEMA, seconds=seconds
    )


def _checked(told: Mapping[str, Any], rules: reading.Plan) -> reading.Plan:
    """The model's plan, if it is one; with everything exact that it left out."""
    rewritten, listed = told.get("rewritten"), told.get("keywords")
    if not isinstance(rewritten, str) or not isinstance(listed, list):
        raise LLMError("its answer has no text 'rewritten' or no list 'keywords'")
    rewritten = _clean(rewritten)
    words = [_clean(word) for word in listed if isinstance(word, str)]
    if not telling_terms(rewritten):
        raise LLMError("its rewritten question says nothing")
    held = rewritten.lower()
    exact = (*rules.phrases, *identifiers(rules.rewritten))
    missing = [piece for piece in exact if piece.lower() not in held]
    chosen = {word.lower(): word for word in (*rules.phrases, *words) if word}
    return reading.Plan(
        " ".join((rewritten, *missing)),
        tuple(chosen.values())[:MAX_KEYWORDS] or rules.keywords,
        rules.phrases,
        "llm",
    )


def _clean(text: str) -> str:
    return " ".join(text.encode("utf-8", "replace").decode().split())[:_MAX_ANSWER_CHARS]


def _short(text: str) -> str:
    return text if len(text) <= 120 else text[:119] + "…"
