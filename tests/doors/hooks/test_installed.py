"""What doctor says of the agents that have our hooks."""

from __future__ import annotations

import json

from tests.doors.hooks.running import Home, home
from tests.doors.hooks.test_install import MINE
from tests.doors.hooks.test_install_care import put

__all__ = ["home"]  # the fixture


def parts(home: Home, **environment: str) -> dict[str, dict[str, object]]:
    return {check["part"]: check for check in json.loads(home.run("doctor", **environment).out)}


def test_doctor_names_the_agents_that_have_us(home: Home) -> None:
    home.remember("预算会议改到周五")
    assert "install claude" in str(parts(home)["agents"]["finding"])
    for agent in MINE:
        home.run("install", agent)
    home.run("install", "cursor", "--project")
    told = parts(home, PATH="/usr/bin:/bin")
    for agent in MINE:
        assert told[f"{agent} hooks"]["ok"], told
        assert "start, prompt, stop call /" in str(told[f"{agent} hooks"]["finding"])
    lost = told["cursor hooks of this project"]
    assert not lost["ok"] and "--project" in str(lost["fix"])


def test_doctor_misses_a_program_that_went_away(home: Home) -> None:
    home.remember("x")
    gone = "/gone/bin/bethink hook stop --harness claude"
    put(home, MINE["claude"], json.dumps({"hooks": {"Stop": [{"hooks": [{"command": gone}]}]}}))
    told = parts(home)["claude hooks"]
    assert not told["ok"] and "/gone/bin/bethink" in str(told["finding"])
    assert told["fix"] == "bethink install claude"
