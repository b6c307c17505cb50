"""Presets are data: each is a name and the stages it runs, in order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from bethink.errors import InvalidInput
from bethink.recall.as_of import AsOf
from bethink.recall.budget import Budget
from bethink.recall.contradictions import NewerFirst
from bethink.recall.deduplicate import Deduplicate, OnePerMemory
from bethink.recall.draft import Stage
from bethink.recall.fuse import ReciprocalRanks
from bethink.recall.fuse_adaptively import FuseAdaptively
from bethink.recall.hydrate import Hydrate
from bethink.recall.relevance import Cut, Judge
from bethink.recall.replies import AddReplies
from bethink.recall.rerank import Rerank
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
        Hydrate(at_least=30, best=5),
        AsOf(),
        AddReplies(),
        ReadSignals(),
        Judge(),
        OnePerMemory(),
        Deduplicate(),
        Rerank(),
        NewerFirst(),
        Cut(),
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
        Budget(),
    ),
)


class _Presets(Mapping[str, Preset]):
    """All of them by name; a cold start does not pay for those that it does not use."""

    def __getitem__(self, name: str) -> Preset:
        if name == BALANCED.name:
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


def preset_named(name: str) -> Preset:
    try:
        return PRESETS[name]
    except (KeyError, TypeError):
        raise InvalidInput(f"there is no preset {name!r}; known: {', '.join(PURPOSES)}") from None
