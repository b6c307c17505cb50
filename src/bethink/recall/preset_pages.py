"""Presets, told: their stages with what is set in them, and what each stage does.

python -m bethink.recall.preset_pages > docs/reference/presets.md
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from bethink.filters import Filter, in_words
from bethink.recall.draft import Stage
from bethink.recall.presets import PRESETS, PURPOSES, Preset

_INTRO = """\
# Presets

Made from the code by `python -m bethink.recall.preset_pages`; a test keeps it true.

A preset is an ordered list of stages: `bethink recall "…" --preset NAME`, or
`engine.recall("…", preset="name")`. `bethink presets` prints this list. A preset may bring a
limit, a budget and a share of its own (how much of an answer may be unverified); they hold where
neither the caller nor the settings name others. Any list of stages makes a preset of your own: see
[Ask](../how-to/ask.md).
"""


def options(stage: Stage) -> dict[str, Any]:
    """What is set in a stage; what is left to the question or to the engine is left out."""
    found = {field.name: getattr(stage, field.name) for field in fields(stage)}  # type: ignore[arg-type]  # stages are dataclasses
    return {
        name: _plain(value)
        for name, value in found.items()
        if value is not None and value is not False and value not in ({}, ())
    }


def _plain(value: object) -> Any:
    if isinstance(value, Filter):
        return in_words(value)
    if isinstance(value, Mapping):
        return dict(value)
    if hasattr(value, "__dataclass_fields__"):
        return {name: getattr(value, name) for name in value.__dataclass_fields__}
    return value if isinstance(value, bool | int | float | str) else repr(value)


def steps(preset: Preset) -> list[tuple[str, list[Stage]]]:
    """Names of the steps, each with its stages; those that run side by side are one step."""
    return [(stage.name, list(getattr(stage, "stages", (stage,)))) for stage in preset.stages]


def outline(preset: Preset) -> Iterator[str]:
    """A line for each step."""
    for _, stages in steps(preset):
        yield " + ".join(f"{_named(stage)}{_told(options(stage))}" for stage in stages)
    bounds = {
        "limit": preset.limit,
        "budget": preset.budget,
        "unverified_share": preset.unverified_share,
        "form": preset.form,
    }
    told = (f"{name} {_short(value)}" for name, value in bounds.items() if value is not None)
    yield "by default: " + ", ".join(told)


def _named(stage: Stage) -> str:
    """As in the trace; with its class where several go by one name."""
    made = type(stage).__name__
    return stage.name if made.lower() == stage.name.replace("_", "") else f"{stage.name}: {made}"


def _told(set_here: Mapping[str, Any]) -> str:
    values = ", ".join(f"{name}={_short(value)}" for name, value in set_here.items())
    return f"({values})" if values else ""


def _short(value: object) -> str:
    if isinstance(value, Mapping):
        return "/".join(f"{name} {number:g}" for name, number in value.items())
    return f"{value:g}" if isinstance(value, float) else str(value)


def as_record(preset: Preset) -> dict[str, Any]:
    return {
        "name": preset.name,
        "purpose": PURPOSES.get(preset.name, ""),
        "limit": preset.limit,
        "budget": preset.budget,
        "unverified_share": preset.unverified_share,
        "form": preset.form,
        "steps": [
            [{"stage": stage.name, "options": options(stage)} for stage in stages]
            for _, stages in steps(preset)
        ],
    }


def summary(stage: Stage) -> str:
    """The first sentence of what its class, or else its file, says of it."""
    made = type(stage)
    told = made.__doc__ or ""
    if not told or told.startswith(f"{made.__name__}("):  # a dataclass without a word of its own
        told = sys.modules[made.__module__].__doc__ or ""
    paragraph = " ".join(told.strip().split("\n\n")[0].split())
    return re.split(r"(?<=[.。]) ", paragraph)[0].rstrip(":.") + "."


def page() -> str:
    parts = [_INTRO]
    every: dict[str, Stage] = {}
    for preset in PRESETS.values():
        lines = "\n".join(outline(preset))
        parts.append(f"## {preset.name}\n\n{PURPOSES[preset.name]}\n\n```text\n{lines}\n```\n")
        every |= {type(one).__name__: one for _, stages in steps(preset) for one in stages}
    rows = "\n".join(
        f"| `{name}` | `{type(stage).__module__}` | {summary(stage)} |"
        for name, stage in sorted(every.items())
    )
    parts.append(f"## Stages\n\n| stage | module | what it does |\n|---|---|---|\n{rows}\n")
    return "\n".join(parts)


if __name__ == "__main__":
    sys.stdout.write(page())
