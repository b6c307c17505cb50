"""Ask with a list of stages of one's own, over a real engine's store."""

from __future__ import annotations

from typing import Any

from bethink import Engine
from bethink.embedders.protocol import embed_question
from bethink.errors import EmbedderError
from bethink.recall.asking import make_query
from bethink.recall.budget import Budget
from bethink.recall.deduplicate import Deduplicate, OnePerMemory
from bethink.recall.draft import Question, Stage
from bethink.recall.hydrate import Hydrate
from bethink.recall.pipeline import run
from bethink.recall.presets import Preset
from bethink.settings import Settings
from bethink.vocabulary import Query, Recollection, Step
from tests.embedders_of_tests import Letters
from tests.recall.kits import NOW, kit

TO_HITS: tuple[Stage, ...] = (OnePerMemory(), Hydrate(), Deduplicate(), Budget())


def query(text: str, **options: Any) -> Query:
    told: dict[str, Any] = dict.fromkeys(
        ("spaces", "limit", "budget", "where", "as_of", "vector", "deadline")
    )
    told |= {"words": True, "meaning": True, **options}
    return make_query(text, Settings(), now=NOW, **told)


def ask(
    engine: Engine,
    text: str,
    *stages: Stage,
    embedder: Letters | None = None,
    deadline: float = 5.0,
    **options: Any,
) -> Recollection:
    def question(asked: Query) -> Question | None:
        if embedder is None:
            return None
        if embedder.fails:
            raise EmbedderError("the model is on holiday")
        return Question(embed_question(embedder, asked.text), embedder.fingerprint)

    preset = Preset("of a test", (*stages, *TO_HITS))
    tools = kit(engine.store, question=question, deadline=deadline)
    return run(query(text, deadline=deadline, **options), preset, tools)


def step(answer: Recollection, name: str) -> Step:
    return next(step for step in answer.trace.steps if step.stage == name)
