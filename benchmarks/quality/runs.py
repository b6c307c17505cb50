"""Runs: named variants to compare. A run is a preset with options of `Engine.recall`.

Every preset is a run of its own name. `NAME@EMBEDDER` is the same run with another embedder, e.g.
`balanced@random`. To add a variant, add a line to `RUNS`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from recollect.recall.presets import PRESETS


@dataclass(frozen=True, slots=True)
class Run:
    """`embedder` is a name as in the settings, or `random`; empty: the one of the command line."""

    preset: str = "balanced"
    options: Mapping[str, Any] = field(default_factory=dict)
    embedder: str = ""


RUNS: Mapping[str, Run] = {
    "words": Run(options={"meaning": False}),
    "meaning": Run(options={"words": False}),
    "balanced": Run(),
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
    return replace(run, embedder=own or run.embedder or embedder)
