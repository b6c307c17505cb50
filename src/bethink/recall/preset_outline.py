"""A preset for people and programs: its stages in order, each with what is set in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields
from typing import Any

from bethink.filters import Filter, in_words
from bethink.recall.draft import Stage
from bethink.recall.presets import PURPOSES, Preset


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
