"""What to look for before a scene: first who and what it is about, then two to five phrases.

A language model does it in one structured answer; without one, or when it fails or is slow, rules
make phrases of the plan's summary, of its beats and of who is where.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from bethink.errors import InvalidInput, LLMError
from bethink.llms.protocol import LLM, complete_json
from bethink.story.extracting import known, listed
from bethink.story.models import ScenePlan, texts_in
from bethink.story.naming import Names
from bethink.text.tokenise import telling_terms

FEWEST, MOST = 2, 5  # phrases
_MAX_PHRASE_CHARS = 300
_TELLING = 3  # terms: a further field of a plan with fewer is a label ("tense"), and no phrase

_INSTRUCTIONS = (
    "You prepare the search in a novel's memory before its next scene is written. Think in two "
    "steps. First name the entities of the scene (ids of the cast), and the earlier events that "
    "its plan builds on or hints at. Then write 2 to 5 short search phrases that would find the "
    "passages a careful author rereads first: wounds, promises, secrets, who holds what, the last "
    "time these people met, what was said of this place. Use names as in the cast, and the plan's "
    "language; do not invent what happened."
)
_TEXTS = {"type": "array", "items": {"type": "string"}}
_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"entities": _TEXTS, "events": _TEXTS, "phrases": _TEXTS},
    "required": ["entities", "events", "phrases"],
    "additionalProperties": False,
}


class Planned(NamedTuple):
    entities: list[str]
    phrases: list[str]
    notes: list[str] = []  # noqa: RUF012  (never changed)


def plan_text(plan: ScenePlan) -> str:
    told = [plan.title, plan.summary, plan.location, plan.time, *plan.beats]
    return "\n".join([*told, *texts_in(plan.further)])


def in_the_scene(plan: ScenePlan, others: Sequence[str], names: Names) -> Planned:
    """Who is in it by its own words; names that may mean two are left out, with a note."""
    found: dict[str, None] = {}
    notes: list[str] = []
    for name in (*plan.characters, *others):
        try:
            found.setdefault(names.canonical(name))
        except InvalidInput as e:
            notes.append(str(e))
    notes += names.doubts([*plan.characters, *others])
    for entity in names.found_in(plan_text(plan)):
        found.setdefault(entity)
    return Planned(list(found), [], notes)


def by_rules(plan: ScenePlan, entities: Sequence[str], names: Names, previous: str) -> list[str]:
    half = (len(plan.beats) + 1) // 2
    beats = [plan.beats[:half], plan.beats[half:]] if len(plan.beats) > 2 else [
        [beat] for beat in plan.beats
    ]  # fmt: skip
    who = " ".join(names.name_of(entity) for entity in entities[:6])
    # Names alone find whatever names them, and the scene before is in the context anyhow: as
    # phrases they drowned the plan's own (LoCoMo .625, without them .844: benchmarks/LOG.md).
    phrases = _clean(
        [
            f"{plan.title} {plan.summary}",
            *(" ".join(group) for group in beats),
            *(text for text in texts_in(plan.further) if len(telling_terms(text)) >= _TELLING),
            f"{who} {plan.location}" if plan.location else "",
        ]
    )
    return (phrases or _clean([who, previous]))[:MOST]


def by_model(
    llm: LLM,
    plan: ScenePlan,
    entities: Sequence[str],
    names: Names,
    previous: str,
    *,
    seconds: float,
) -> Planned:
    data = {
        "plan": plan.model_dump(),
        "cast": listed(names),
        "in_the_scene": list(entities),
        "scene_before": previous,
    }
    told = complete_json(llm, _INSTRUCTIONS, data, schema=_SCHEMA, seconds=seconds)
    for name in ("entities", "phrases"):
        if not isinstance(told.get(name), list):
            raise LLMError(f"its answer has no list {name!r}")
    phrases = _clean([one for one in told["phrases"] if isinstance(one, str)])
    if not phrases:
        raise LLMError("it named no phrase that can be searched for")
    notes: list[str] = []
    found = [known(one, names, notes) for one in told["entities"]]
    everyone = dict.fromkeys([*entities, *(one for one in found if one is not None)])
    if len(phrases) < FEWEST:
        phrases = _clean([*phrases, *by_rules(plan, entities, names, previous)])[:FEWEST]
    return Planned(list(everyone), phrases[:MOST], notes)


def _clean(phrases: Sequence[str]) -> list[str]:
    """Those that say something, each once."""
    told = [
        " ".join(phrase.encode("utf-8", "replace").decode().split())[:_MAX_PHRASE_CHARS]
        for phrase in phrases
    ]
    return list(dict.fromkeys(phrase for phrase in told if telling_terms(phrase)))
