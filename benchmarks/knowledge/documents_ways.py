"""The ways of asking that are compared: the preset `knowledge` as it is, and without each part."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bethink.recall.cards import CardsGiveWay
from bethink.recall.deduplicate import Deduplicate, OnePerMemory
from bethink.recall.draft import Stage
from bethink.recall.exact_first import ExactFirst
from bethink.recall.fuse import ReciprocalRanks
from bethink.recall.fuse_adaptively import FuseAdaptively
from bethink.recall.hydrate import Hydrate
from bethink.recall.plan import Plan
from bethink.recall.presets import Preset, preset_named
from bethink.recall.presets_by_use import knowledge_preset
from bethink.recall.relevance import Judge
from bethink.recall.search_exact import SearchExact
from bethink.recall.search_meaning import SearchMeaning
from bethink.recall.search_words import SearchWords
from bethink.recall.side_by_side import SideBySide

WHOLE = knowledge_preset()


@dataclass(frozen=True, slots=True)
class Way:
    preset: Preset = WHOLE
    options: Mapping[str, Any] = field(default_factory=dict)


def without(*kinds: type, of: Preset = WHOLE) -> Way:
    return Way(of._replace(stages=tuple(s for s in of.stages if not isinstance(s, kinds))))


def instead(kind: type, stage: Stage) -> Way:
    stages = tuple(stage if isinstance(s, kind) else s for s in WHOLE.stages)
    return Way(WHOLE._replace(stages=stages))


def refined() -> Way:
    """Fused and read as the default preset does, with everything else of this one."""
    stages: list[Stage] = []
    for stage in WHOLE.stages:
        if isinstance(stage, ReciprocalRanks):
            stages.append(FuseAdaptively())
        elif isinstance(stage, OnePerMemory):
            stages.append(OnePerMemory(most=6))
        elif isinstance(stage, Hydrate):
            stages.append(Hydrate(at_least=30, best=5))
        elif isinstance(stage, CardsGiveWay):
            stages += [OnePerMemory(), stage]
        elif not isinstance(stage, ExactFirst):  # the relevance does this too
            stages.append(stage)
    return Way(WHOLE._replace(stages=tuple(stages)))


WAYS: Mapping[str, Way] = {
    "knowledge": Way(),
    "without the second pass": Way(knowledge_preset(expand=False)),
    "without widened candidates": instead(
        SideBySide,
        SideBySide(
            (SearchMeaning(candidates=10, exactly=True), SearchWords(candidates=10, exactly=True))
        ),
    ),
    "without neighbours": Way(knowledge_preset(widen=None)),
    "without one per section": without(OnePerMemory),
    "without de-duplication at all": without(OnePerMemory, Deduplicate),
    "without rewriting": without(Plan),
    "without identifiers": without(SearchExact),
    "with cards": Way(knowledge_preset(cards_give_way=False)),
    "without the cut": Way(knowledge_preset(abstain=False)),
    "in the order of the ranks": without(Judge),
    "meaning from .2": Way(options={"vector_threshold": 0.2}),
    "words from .3": Way(options={"keyword_threshold": 0.3}),
    "both thresholds": Way(options={"vector_threshold": 0.2, "keyword_threshold": 0.3}),
    "words only": Way(options={"disable_vector_match": True}),
    "meaning only": Way(options={"disable_keywords_match": True}),
    "fused adaptively": instead(ReciprocalRanks, FuseAdaptively()),
    "fused adaptively and refined": refined(),
    "preset balanced": Way(preset_named("balanced")),
}
