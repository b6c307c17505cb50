"""Scenarios, walked through every door."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import NamedTuple

import httpx
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

from bethink import Engine
from bethink.settings import Settings
from tests.scenarios.doors.at_the_command_line import AtTheCommandLine
from tests.scenarios.doors.door import Door
from tests.scenarios.doors.in_python import InPython
from tests.scenarios.doors.over_mcp import OverMcp, as_models_see, as_offered, over_http
from tests.scenarios.doors.over_rest import OverRest
from tests.scenarios.plain import Plain, differences
from tests.scenarios.scenario import (
    CLI,
    DOORS,
    MCP,
    PYTHON,
    REST,
    Json,
    Scenario,
    Step,
    at,
    filled_in,
    id_in,
)
from tests.scenarios.serving import Served, serving


class House:
    """Where scenarios are walked: one server for all that have the same settings."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._open = ExitStack()
        self._servers: dict[str, Served] = {}
        self.portal: BlockingPortal = self._open.enter_context(start_blocking_portal())
        self._walks = 0

    def __enter__(self) -> House:
        return self

    def __exit__(self, *_: object) -> None:
        self._open.close()

    def settings(self, scenario: Scenario, place: str) -> Settings:
        path = self._folder / place / "memory.db"
        path.parent.mkdir(exist_ok=True)
        return Settings(store=str(path), embedder=scenario.embedder, **scenario.settings)

    def server(self, scenario: Scenario) -> Served:
        which = repr((scenario.embedder, sorted(scenario.settings.items())))
        if which not in self._servers:
            settings = self.settings(scenario, f"server-{len(self._servers)}")
            self._servers[which] = self._open.enter_context(serving(settings))
        return self._servers[which]

    @contextmanager
    def doors(self, scenario: Scenario) -> Iterator[dict[str, Door]]:
        """Each with an empty store of its own."""
        self._walks += 1
        number, served = self._walks, self.server(scenario)
        in_python = self.settings(scenario, f"python-{number}")
        at_the_command_line = self.settings(scenario, f"cli-{number}")
        rest, mcp = served.tenant(f"rest-{number}"), served.tenant(f"mcp-{number}")
        with ExitStack() as stack:
            engine = stack.enter_context(Engine(settings=in_python))
            client = stack.enter_context(httpx.Client(base_url=served.address, timeout=60))
            agent = stack.enter_context(over_http(self.portal, served.address, mcp.key))
            patch = stack.enter_context(pytest.MonkeyPatch.context())
            for name, value in scenario.settings.items():
                patch.setenv(f"BETHINK_{name.upper()}", str(value))
            yield {
                PYTHON: InPython(engine),
                CLI: AtTheCommandLine(at_the_command_line.store_path, at_the_command_line),
                REST: OverRest(client, rest.key, rest.in_python),
                MCP: OverMcp(self.portal, agent, mcp.in_python),
            }


EXPECTED = ": expected"


class Answered(NamedTuple):
    """As the door gave it; None where it has no such verb."""

    step: Step
    given: Mapping[str, Json]
    answer: Json


def walked(scenario: Scenario, name: str, door: Door) -> list[Answered]:
    """Through one door, step by step."""
    kept: dict[str, str] = {}
    done: list[Answered] = []
    for step in scenario.steps:
        given = filled_in(step.given, kept)
        if name not in step.not_at:
            answer = door.call(step.verb, given)
            done.append(Answered(step, given, answer))
        else:
            done.append(Answered(step, given, None))
            answer = None if step.refused else door.help_out(step.verb, given)
        if step.keep:
            assert answer is not None and "error" not in answer, (name, step, answer)
            kept[step.keep] = id_in(answer)
    return done


def compared(walks: Mapping[str, list[Answered]]) -> list[str]:
    """What is wrong with the answers: against the table, and against each other."""
    faults: list[str] = []
    names = [name for name in DOORS if name in walks]
    plains = {f"{name}{side}": Plain() for name in names for side in ("", EXPECTED)}
    for number, here in enumerate(zip(*(walks[name] for name in names), strict=True)):
        step = here[0].step
        answers = {n: one for n, one in zip(names, here, strict=True) if one.answer is not None}
        first = next(iter(answers))
        expected = answers[first].answer
        where = f"step {number} ({step.verb} {dict(step.given)})"
        faults += [f"{where}: {fault}" for fault in against_the_table(step, expected)]
        for name, one in answers.items():
            if step.parsed:
                told = [f"{name}: {fault}" for fault in against_the_table(step, one.answer)]
            else:
                told = [f"{name}: {d}" for d in _between(step, answers[first], one, name, plains)]
            faults += [f"{where}: {fault}" for fault in told]
    return faults


def _between(
    step: Step, first: Answered, other: Answered, name: str, plains: Mapping[str, Plain]
) -> Iterator[str]:
    """Each run has ids of its own, so each is made plain by itself; in the form of the door, where
    that has one."""
    expected, got = first.answer, other.answer
    if name == MCP:
        expected = as_models_see(step.verb, first.given, expected)
        got = as_offered(got) if step.verb == "offer" else got
    yield from differences(plains[f"{name}{EXPECTED}"](expected), plains[name](got))


def against_the_table(step: Step, answer: Json) -> Iterator[str]:
    if step.refused:
        if not isinstance(answer, dict) or "error" not in answer:
            yield f"not refused, answered {answer!r}"
        elif answer["error"]["code"] != step.refused:
            yield f"refused otherwise: {answer['error']}"
        elif (step.parsed or step.says) not in answer["error"]["message"]:
            yield f"{step.parsed or step.says!r} is not said: {answer['error']['message']}"
        return
    if isinstance(answer, dict) and "error" in answer:
        yield f"refused: {answer['error']}"
        return
    for way, value in step.holds.items():
        try:
            found = at(answer, way)
        except (KeyError, IndexError, TypeError) as e:
            yield f"{way}: not there ({e!r}) in {answer!r}"
            continue
        if found != value:
            yield f"{way}: expected {value!r}, got {found!r}"
