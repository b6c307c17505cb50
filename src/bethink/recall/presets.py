"""Presets are data: each is a name and the stages it runs, in order."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from bethink.errors import InvalidInput
from bethink.recall.as_of import AsOf
from bethink.recall.budget import Budget
from bethink.recall.contradictions import NewerFirst
from bethink.recall.deduplicate import Deduplicate, OnePerMemory
from bethink.recall.draft import Draft, Kit, Stage
from bethink.recall.exact_first import AskedByName
from bethink.recall.fuse import OrderByWeights, ReciprocalRanks
from bethink.recall.fuse_adaptively import FuseAdaptively
from bethink.recall.hydrate import Hydrate
from bethink.recall.read import Read
from bethink.recall.relevance import Cut, Judge
from bethink.recall.replies import AddReplies
from bethink.recall.search_exact import SearchExact
from bethink.recall.search_hot import SearchWorking
from bethink.recall.search_meaning import SearchMeaning
from bethink.recall.search_words import SearchWords
from bethink.recall.side_by_side import SideBySide
from bethink.recall.signals import ReadSignals
from bethink.recall.thresholds import Thresholds
from bethink.recall.timeline import FindPeriod, SearchPeriod
from bethink.recall.timeline_path import TimelinePath


class Preset(NamedTuple):
    name: str
    stages: tuple[Stage, ...]
    limit: int | None = None  # for whoever names none, neither in the call nor in the settings
    budget: int | None = None
    form: str = "markdown"  # how it is put before a model; a name in `render.FORMATS`
    unverified_share: float | None = None
    language: str = "zh"  # of headings, where the caller and the settings name none


# What each is for. Known without loading the stages of those that are seldom used.
PURPOSES: Mapping[str, str] = {
    "balanced": "the default: what is best on average, by measurement",
    "workflow": "what is recent before all others, then the nearest: context for a node",
    "notebook": "whole lists and days without a search; else what matters: told often, new, asked",
    "story": "one project, never another; no time is read out of the question",
    "knowledge": "documents: the question rewritten and asked again, thresholds, neighbours shown",
    "skill": "the best three above a floor, or silence: for a hook at every turn",
    "ranks": "plain reciprocal rank fusion, to compare with",
}


# Chosen by measurement: benchmarks/LOG.md.
BALANCED = Preset(
    "balanced",
    (
        FindPeriod(),
        TimelinePath(alone=True),
        SearchPeriod(),
        SearchExact(),
        SideBySide((SearchMeaning(), SearchWords())),
        SearchWorking(),
        Thresholds(),
        FuseAdaptively(),
        OnePerMemory(most=6),
        Hydrate(at_least=60, best=8),
        AsOf(),
        AddReplies(),
        ReadSignals(),
        Judge(),
        OnePerMemory(),
        Deduplicate(),
        Read(),
        AskedByName(),
        NewerFirst(),
        Cut(),
        OrderByWeights(),
        Budget(),
    ),
)
# The plain way that most hybrid searches go: ranks alone, a fixed weight. Here to be compared with.
RANKS = Preset(
    "ranks",
    (
        SideBySide((SearchMeaning(), SearchWords())),
        Thresholds(),
        ReciprocalRanks(),
        OnePerMemory(),
        Hydrate(at_least=0),
        AsOf(),
        Deduplicate(),
        OrderByWeights(),
        Budget(),
    ),
)


@dataclass(frozen=True, slots=True)
class FunctionStage:
    """A plain function as a stage, under the name of the function."""

    function: Callable[[Draft, Kit], Draft]

    @property
    def name(self) -> str:
        return getattr(self.function, "__name__", type(self.function).__name__)

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        made = self.function(draft, kit)
        if isinstance(made, Draft):
            return made
        raise InvalidInput(
            f"the stage {self.name!r} returned {type(made).__name__}; a stage returns a draft: "
            "the one that it was given, or draft._replace(hits=…)"
        )


class _Presets(Mapping[str, Preset]):
    """All of them by name; a cold start does not pay for those that it does not use."""

    def __getitem__(self, name: str) -> Preset:
        if name in (BALANCED.name, "default"):
            return BALANCED
        if name == RANKS.name:
            return RANKS
        if name not in PURPOSES:
            raise KeyError(name)
        from bethink.recall.presets_by_use import BY_USE

        return BY_USE[name]

    def __iter__(self) -> Iterator[str]:
        return iter(PURPOSES)

    def __len__(self) -> int:
        return len(PURPOSES)


PRESETS: Mapping[str, Preset] = _Presets()


def as_preset(preset: str | Preset) -> Preset:
    """Return the preset with this name, or this one with plain functions made stages."""
    if not isinstance(preset, Preset):
        return preset_named(preset)
    for one in preset.stages:
        if isinstance(one, type) or not callable(one):
            raise InvalidInput(
                f"a stage is a function of (draft, kit) or an object like Budget(), got {one!r}"
            )
    if isinstance(preset.stages, tuple) and all(hasattr(one, "name") for one in preset.stages):
        return preset
    stages = tuple(one if hasattr(one, "name") else FunctionStage(one) for one in preset.stages)
    return preset._replace(stages=stages)


def preset_named(name: str) -> Preset:
    try:
        return PRESETS[name]
    except (KeyError, TypeError):
        raise InvalidInput(f"there is no preset {name!r}; known: {', '.join(PURPOSES)}") from None
