"""What a door lacks is said in the table and known here: no gap opens or closes unnoticed."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path

from tests.scenarios.doors.over_rest import ROUTES
from tests.scenarios.gaps import NO_ARGUMENT, NO_VERB, NOBODY_KNOWS, knows, without
from tests.scenarios.scenario import CLI, DOORS, MCP, PYTHON, REST, Step
from tests.scenarios.table import SCENARIOS

VERBS = sorted({step.verb for scenario in SCENARIOS for step in scenario.steps})


def test_a_door_without_a_verb_is_a_known_one() -> None:
    missing = {(door, verb) for door in DOORS for verb in VERBS if knows(door, verb) is None}
    assert missing == NO_VERB.keys()


def test_a_verb_without_an_argument_is_a_known_one() -> None:
    asked: defaultdict[str, set[str]] = defaultdict(set)
    for scenario in SCENARIOS:
        for step in scenario.steps:
            asked[step.verb] |= step.given.keys() - NOBODY_KNOWS
    missing = {
        (door, verb): frozenset(asked[verb] - known)
        for door in DOORS
        for verb in VERBS
        if (known := knows(door, verb)) is not None and asked[verb] - known
    }
    assert missing == NO_ARGUMENT


def test_the_table_says_which_doors_cannot_take_a_step() -> None:
    for scenario in SCENARIOS:
        for step in scenario.steps:
            lacking = {door for door in DOORS if without(door, step)}
            assert lacking <= set(step.not_at), (scenario.name, step)
            for door in set(step.not_at) - lacking:
                assert step.refused and _cannot_be_said(door, step), (door, scenario.name, step)


def _cannot_be_said(door: str, step: Step) -> bool:
    """Bad input that does not get as far as the door."""
    given = step.given
    if door == PYTHON:  # Python itself refuses an argument that a function does not have
        return bool(given.keys() & NOBODY_KNOWS)
    if door == CLI:  # all is text there, lists come by repeating, and provenance is no option
        return bool(step.parsed) or given.get("ids") == []
    texts = [value for value in given.values() if isinstance(value, str)]
    if door == MCP and any("\ud800" <= character <= "\udfff" for t in texts for character in t):
        return True  # messages are UTF-8, which has no half characters
    return door in (REST, MCP) and any(len(text) > 2_000_000 for text in texts)  # too large a body


def test_the_page_of_doors_has_the_same_gaps() -> None:
    page = (Path(__file__).parents[2] / "docs" / "reference" / "doors.md").read_text("utf-8")
    rows = [line.strip("| ").split(" | ") for line in page.splitlines() if line.startswith("| ")]
    verbs = {row[0]: row[1:] for row in rows[1:]}
    assert sorted(verbs) == VERBS
    told = {
        (door, verb)
        for verb, cells in verbs.items()
        for door, cell in zip(DOORS, cells, strict=True)
        if cell == "–"
    }
    assert told == NO_VERB.keys()
    for verb, route in ROUTES.items():
        assert verbs[verb][2] == f"`{route.method} {route.path}`"
