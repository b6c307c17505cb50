"""The novel as data: cast, scenes with their plans and states, and the questions.

`en/` and `zh/` tell the same story with names of their own. A folder has

- `novel.md`: the text, a heading "## chapter.scene title" above each scene
- `cast.json`: who and what has a state
- `scenes.jsonl`: the plan of each scene (location, characters, summary, beats, time), and what the
  author records once it is written (states, event, threads that it opens and closes)
- `held_out.tsv`, `questions.tsv`: scene, part of its context, must or never, about what, which
  text. The held-out ones were written before the code that answers them was read.
- `model.jsonl`: the answer of a model that sees the plan and the cast alone
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

FOLDER = Path(__file__).parent
LANGUAGES = ("en", "zh")
HALVES = {"held out": "held_out.tsv", "seen": "questions.tsv"}

Part = Literal["states", "memories", "timeline", "threads"]
PARTS: tuple[Part, ...] = get_args(Part)
Say = Literal["must", "never"]

_HEADING = re.compile(r"^## (\d+)\.(\d+) (.+)$", re.M)


class At(NamedTuple):
    chapter: int
    scene: int

    def __str__(self) -> str:
        return f"{self.chapter}.{self.scene}"


class Opened(NamedTuple):
    id: str
    title: str
    entities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scene:
    at: At
    title: str
    text: str
    location: str
    characters: tuple[str, ...]
    summary: str
    beats: tuple[str, ...]
    time: str
    states: dict[str, dict[str, str]]
    event: str
    opens: tuple[Opened, ...]
    closes: tuple[str, ...]

    @property
    def planned(self) -> str:
        """Everything that the plan says."""
        told = (self.title, self.summary, self.location, self.time, *self.characters, *self.beats)
        return "\n".join(told)


@dataclass(frozen=True, slots=True)
class Check:
    """`about` is `entity.fact` for states (`*`: any fact), a scene for memories and the timeline,
    a thread of `scenes.jsonl`. An empty text stands for any."""

    half: str
    at: At
    part: Part
    say: Say
    about: str
    text: str

    @property
    def id(self) -> str:
        return f"{self.at} {self.part} {self.say} {self.about} {self.text}".strip()


@dataclass(frozen=True, slots=True)
class Novel:
    language: str
    cast: tuple[dict[str, Any], ...]
    scenes: tuple[Scene, ...]
    checks: tuple[Check, ...]
    answers: dict[At, dict[str, list[str]]]  # of the model

    def scene(self, at: At) -> Scene:
        return next(scene for scene in self.scenes if scene.at == at)


def at(text: str) -> At:
    chapter, scene = text.split(".")
    return At(int(chapter), int(scene))


def load(language: str, folder: Path = FOLDER) -> Novel:
    where = folder / language
    texts = _texts((where / "novel.md").read_text("utf-8"))
    scenes = tuple(_scene(row, texts) for row in _rows(where / "scenes.jsonl"))
    if [scene.at for scene in scenes] != sorted(texts):
        raise ValueError(f"{where}: novel.md and scenes.jsonl do not have the same scenes")
    return Novel(
        language,
        tuple(json.loads((where / "cast.json").read_text("utf-8"))),
        scenes,
        tuple(check for half, name in HALVES.items() for check in _checks(half, where / name)),
        {at(row.pop("scene")): row for row in _rows(where / "model.jsonl")},
    )


def _texts(novel: str) -> dict[At, tuple[str, str]]:
    """Title and text of each scene."""
    headings = list(_HEADING.finditer(novel))
    ends = [heading.start() for heading in headings[1:]] + [len(novel)]
    return {
        At(int(heading[1]), int(heading[2])): (heading[3], novel[heading.end() : end].strip())
        for heading, end in zip(headings, ends, strict=True)
    }


def _scene(row: dict[str, Any], texts: dict[At, tuple[str, str]]) -> Scene:
    place = at(row["scene"])
    title, text = texts[place]
    opens = (Opened(one["id"], one["title"], tuple(one["entities"])) for one in row["opens"])
    return Scene(
        at=place,
        title=title,
        text=text,
        location=row["location"],
        characters=tuple(row["characters"]),
        summary=row["summary"],
        beats=tuple(row["beats"]),
        time=row["time"],
        states=row["states"],
        event=row["event"],
        opens=tuple(opens),
        closes=tuple(row["closes"]),
    )


def _checks(half: str, path: Path) -> list[Check]:
    found = []
    for line in path.read_text("utf-8").splitlines()[1:]:
        scene, part, say, about, text = line.split("\t")
        if part not in PARTS or say not in get_args(Say):
            raise ValueError(f"{path}: {line!r} is no question")
        found.append(Check(half, at(scene), part, say, about, text))  # type: ignore[arg-type]
    return found


def _rows(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]
