"""Public dialogues as stories: a session is a scene, who speaks is the cast, a question is a plan.

What such sets can say: whether the passage that a question needs is among the memories of the
context, and that nothing later than the scene is. What they cannot say: states, places and threads,
for nobody has labelled any.

- LoCoMo (English): 5 conversations of two people over months; a session is a chapter of one scene.
- MemoryBank (Chinese): 8 people who talk with an assistant for ten days; a day is a chapter, an
  exchange a scene.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.quality.progress import say
from benchmarks.quality.sets import Document, LabelledSet, Question, load
from benchmarks.story.runs import RUNS

from bethink import Engine
from bethink.settings import Settings
from bethink.story.models import Cast, Character, SceneMemoryContext, ScenePlan
from bethink.story.story import Story

SETS = ("locomo_turn_dev", "memorybank_cn_dev")
# A question is one phrase, and names whoever speaks: the other ways of `RUNS` give the same.
WAYS = ("rules",)
_SECONDS = 60.0


class Session(NamedTuple):
    chapter: int
    scene: int
    documents: tuple[Document, ...]


def sessions(documents: Sequence[Document]) -> list[Session]:
    """In order; what was said at one time belongs together, a day begins a chapter."""
    found: list[Session] = []
    days: list[object] = []
    for document in sorted(documents, key=lambda one: one.seq):
        if found and found[-1].documents[0].seq == document.seq:
            found[-1] = found[-1]._replace(documents=(*found[-1].documents, document))
            continue
        day = document.time.date() if document.time else document.seq
        if day not in days:
            days.append(day)
        scene = sum(one.chapter == len(days) for one in found) + 1
        found.append(Session(len(days), scene, (document,)))
    return found


def cast_of(group: str, documents: Sequence[Document]) -> Cast:
    speakers = sorted({one.speaker for one in documents if one.speaker})
    if speakers:
        return Cast(characters=[Character(name=name) for name in speakers])
    return Cast(characters=[Character(name=group, aliases=["用户"]), Character(name="AI")])


def dialogues(folder: Path, embedder: str, *, questions: int = 0) -> list[dict[str, Any]]:
    """Asked after the last scene (the usual way), and as of a scene in the middle."""
    labelled = load(folder, qrels="qrels_fixed.tsv")
    step = max(1, len(labelled.questions) // questions) if questions else 1
    asked = labelled.questions[::step]
    counts: list[dict[str, Any]] = [
        {"set": folder.name, "run": name, "asked": 0, "any": 0, "first 3": 0, "leaks": 0}
        for name in WAYS
    ]
    groups = dict.fromkeys(one.group for one in asked)
    with tempfile.TemporaryDirectory() as place:
        for number, group in enumerate(groups):
            documents = [one for one in labelled.documents if one.group == group]
            store = Path(place, f"{number}.db")
            with Engine(store, embedder=embedder, llm="none", settings=Settings()) as engine:
                story = Story(engine, "dialogue")
                story.set_cast(cast_of(group, documents))
                told = sessions(documents)
                for one in told:
                    text = "\n".join(document.text for document in one.documents)
                    story.add_scene(one.chapter, one.scene, text)
                say(f"{folder.name}: {group}, {len(told)} scenes")
                mine = [question for question in asked if question.group == group]
                for count in counts:
                    with RUNS[count["run"]].without():
                        _ask(story, labelled, mine, told, count)
    return counts


def _ask(
    story: Story,
    labelled: LabelledSet,
    questions: Sequence[Question],
    told: Sequence[Session],
    count: dict[str, Any],
) -> None:
    middle = told[len(told) // 2]
    for question in questions:
        right = labelled.relevant[question.id]
        wanted = [one.text for s in told for one in s.documents if one.id in right]
        plan = ScenePlan(summary=question.text)
        after = story.scene_context(plan, None, told[-1].chapter + 1, 1, deadline=_SECONDS)
        ranks = [_rank(text, after) for text in wanted]
        count["asked"] += 1
        count["any"] += any(ranks)
        count["first 3"] += any(0 < rank <= 3 for rank in ranks)
        early = story.scene_context(plan, None, middle.chapter, middle.scene, deadline=_SECONDS)
        places = [(one.chapter, one.scene) for one in early.events]
        places += [(one.chapter or 0, one.scene or 0) for one in early.relevant_memories]
        count["leaks"] += any(place >= (middle.chapter, middle.scene) for place in places)


def _rank(text: str, context: SceneMemoryContext) -> int:
    """A turn may be cut between two parts: its first half is enough."""
    half = text[: max(20, len(text) // 2)]
    places = [n for n, one in enumerate(context.relevant_memories, 1) if half in one.text]
    return places[0] if places else 0
