"""Presets are data: each is a name and the stages it runs, in order."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from recollect.errors import InvalidInput
from recollect.recall.budget import Budget
from recollect.recall.context import Context
from recollect.recall.deduplicate import Deduplicate, OnePerMemory
from recollect.recall.draft import Stage
from recollect.recall.fuse import ReciprocalRanks
from recollect.recall.fuse_adaptively import FuseAdaptively
from recollect.recall.hydrate import Hydrate
from recollect.recall.search_exact import SearchExact
from recollect.recall.search_meaning import SearchMeaning
from recollect.recall.search_words import SearchWords
from recollect.recall.side_by_side import SideBySide
from recollect.recall.timeline import FindPeriod, RaisePeriod, SearchPeriod


class Preset(NamedTuple):
    name: str
    stages: tuple[Stage, ...]


# Chosen by measurement: benchmarks/LOG.md.
BALANCED = Preset(
    "balanced",
    (
        FindPeriod(),
        SearchPeriod(),
        SearchExact(),
        SideBySide((SearchMeaning(), SearchWords())),
        FuseAdaptively(),
        OnePerMemory(),
        Hydrate(),
        Context(),
        RaisePeriod(),
        Deduplicate(),
        Budget(),
    ),
)
# The plain way that most hybrid searches go: ranks alone, a fixed weight. Here to be compared with.
RANKS = Preset(
    "ranks",
    (
        SideBySide((SearchMeaning(), SearchWords())),
        ReciprocalRanks(),
        OnePerMemory(),
        Hydrate(at_least=0),
        Deduplicate(),
        Budget(),
    ),
)

PRESETS: Mapping[str, Preset] = MappingProxyType({p.name: p for p in (BALANCED, RANKS)})


def preset_named(name: str) -> Preset:
    try:
        return PRESETS[name]
    except (KeyError, TypeError):
        raise InvalidInput(
            f"there is no preset {name!r}; known: {', '.join(sorted(PRESETS))}"
        ) from None
