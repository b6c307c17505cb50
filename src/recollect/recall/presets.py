"""Presets are data: each is a name and the stages it runs, in order."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple

from recollect.errors import InvalidInput
from recollect.recall.budget import Budget
from recollect.recall.deduplicate import Deduplicate, OnePerMemory
from recollect.recall.draft import Stage
from recollect.recall.fuse import ReciprocalRanks
from recollect.recall.hydrate import Hydrate
from recollect.recall.search_meaning import SearchMeaning
from recollect.recall.search_words import SearchWords
from recollect.recall.side_by_side import SideBySide


class Preset(NamedTuple):
    name: str
    stages: tuple[Stage, ...]


BALANCED = Preset(
    "balanced",
    (
        SideBySide((SearchMeaning(), SearchWords())),
        ReciprocalRanks(),
        OnePerMemory(),
        Hydrate(),
        Deduplicate(),
        Budget(),
    ),
)

PRESETS: Mapping[str, Preset] = MappingProxyType({preset.name: preset for preset in (BALANCED,)})


def preset_named(name: str) -> Preset:
    try:
        return PRESETS[name]
    except KeyError:
        raise InvalidInput(
            f"there is no preset {name!r}; known: {', '.join(sorted(PRESETS))}"
        ) from None
