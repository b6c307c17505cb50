"""A few of the scenarios with real processes: a command each, and MCP over stdio."""

from __future__ import annotations

import os
import sys

import pytest
from mcp import StdioServerParameters

from bethink import Engine
from tests.scenarios.doors.at_the_command_line import AtTheCommandLine, in_a_process_of_its_own
from tests.scenarios.doors.in_python import InPython
from tests.scenarios.doors.over_mcp import OverMcp, over_stdio
from tests.scenarios.running import House, compared, walked
from tests.scenarios.scenario import CLI, MCP, PYTHON, Scenario
from tests.scenarios.table import SCENARIOS

_CHOSEN = {"told and found, in Chinese", "every field, in both languages", "an id that is taken"}
CHOSEN = [scenario for scenario in SCENARIOS if scenario.name in _CHOSEN]


@pytest.mark.parametrize("scenario", CHOSEN, ids=[scenario.name for scenario in CHOSEN])
def test_processes_give_the_same_answers(scenario: Scenario, house: House) -> None:
    here, command, agent = (
        house.settings(scenario, f"{name}-{scenario.name}") for name in (PYTHON, CLI, MCP)
    )
    process = StdioServerParameters(
        command=sys.executable,
        args=["-m", "bethink.doors.cli.main", "mcp"],
        env={**os.environ, "BETHINK_STORE": agent.store, "BETHINK_EMBEDDER": agent.embedder},
    )
    line = AtTheCommandLine(command.store_path, command, in_a_process_of_its_own)
    with Engine(settings=here) as engine, over_stdio(house.portal, process) as client:
        beside = AtTheCommandLine(agent.store_path, agent)  # another process on the same store
        walks = {
            PYTHON: walked(scenario, PYTHON, InPython(engine)),
            CLI: walked(scenario, CLI, line),
            MCP: walked(scenario, MCP, OverMcp(house.portal, client, beside.help_out)),
        }
    assert "\n".join(compared(walks)) == ""
