"""Runs: named variants to compare. A run is a preset with options of `Engine.recall`.

Every preset is a run of its own name. `NAME@EMBEDDER` is the same run with another embedder, e.g.
`balanced@random`. To add a variant, add a line to `RUNS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from bethink.recall.draft import Stage
from bethink.recall.expand import Expand
from bethink.recall.fuse import ReciprocalRanks
from bethink.recall.fuse_adaptively import FuseAdaptively
from bethink.recall.fuse_union import FuseUnion
from bethink.recall.plan import Plan
from bethink.recall.presets import BALANCED, PRESETS, Preset
from bethink.recall.relevance import Judge
from bethink.recall.replies import AddReplies
from bethink.recall.salience import Salience
from bethink.recall.search_exact import SearchExact
from bethink.recall.side_by_side import SideBySide
from bethink.recall.timeline import FindPeriod, SearchPeriod


@dataclass(frozen=True, slots=True)
class Run:
    """`embedder` is a name as in the settings, or `random`; empty: the one of the command line."""

    preset: str | Preset = "balanced"
    options: Mapping[str, Any] = field(default_factory=dict)
    embedder: str = ""


def without(*kinds: type) -> Run:
    """`balanced` but for these stages."""
    stages = tuple(stage for stage in BALANCED.stages if not isinstance(stage, kinds))
    return Run(preset=Preset("balanced", stages))


def instead(kind: type, stage: Stage) -> Run:
    """`balanced` with another stage in the place of this one, in the order that it gives."""
    kept = [stage if isinstance(s, kind) else s for s in BALANCED.stages]
    return Run(preset=Preset("balanced", tuple(s for s in kept if not isinstance(s, Judge))))


def after(kind: type, stage: Stage) -> Run:
    """`balanced` with one stage more, behind this one."""
    stages: list[Stage] = []
    for one in BALANCED.stages:
        stages += [one, stage] if isinstance(one, kind) else [one]
    return Run(preset=Preset("balanced", tuple(stages)))


# The floor is off: the ranking is measured; judging is measured by `benchmarks.relevance`.
RUNS: Mapping[str, Run] = {
    "words": Run(options={"meaning": False}),
    "meaning": Run(options={"words": False}),
    "balanced": Run(),
    "without-relevance": without(Judge),
    "without-time": without(FindPeriod, SearchPeriod),
    "without-replies": without(AddReplies),
    "without-exact": without(SearchExact),
    "fuse-ranks": instead(FuseAdaptively, ReciprocalRanks()),
    "fuse-union": instead(FuseAdaptively, FuseUnion()),
    "with-salience": after(Judge, Salience(cap=0.1)),
    "with-plain-salience": after(Judge, Salience()),
    "with-expansion": after(SideBySide, Expand()),
    "with-plan": after(SearchExact, Plan()),
    "knowledge-with-floor": Run(preset="knowledge", options={"floor": None}),
}


def run_named(name: str, *, embedder: str) -> Run:
    """The run of this name; raises ValueError with the names that there are."""
    plain, _, own = name.partition("@")
    if plain in RUNS:
        run = RUNS[plain]
    elif plain in PRESETS:
        run = Run(preset=plain)
    else:
        known = ", ".join(sorted({*RUNS, *PRESETS}))
        raise ValueError(f"there is no run {plain!r}; known: {known}")
    options = {"floor": 0.0, **run.options}
    return replace(run, options=options, embedder=own or run.embedder or embedder)
