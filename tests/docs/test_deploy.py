"""The files of `deploy/`, as far as they can be checked without Docker: they were not run here."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import Any

import pytest
import yaml

from bethink.doors.cli.main import build_parser
from bethink.settings import Settings

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
# the keys of the Compose specification that a service of ours may use, and what each holds
SERVICE = {
    "build": dict, "cap_drop": list, "command": list, "depends_on": dict, "environment": dict,
    "healthcheck": dict, "image": str, "ports": list, "read_only": bool, "restart": str,
    "security_opt": list, "shm_size": str, "stop_grace_period": str, "tmpfs": list, "volumes": list,
}  # fmt: skip
HEALTH = {"test", "interval", "timeout", "retries", "start_period"}
CONDITIONS = {"service_started", "service_healthy", "service_completed_successfully"}


@pytest.fixture(scope="module")
def compose() -> dict[str, Any]:
    read = yaml.safe_load((DEPLOY / "compose.yaml").read_text("utf-8"))
    assert isinstance(read, dict)
    return read


def test_every_key_is_one_of_compose_s(compose: dict[str, Any]) -> None:
    assert compose.keys() == {"name", "services", "volumes"}
    assert compose["services"].keys() == {"database", "hot", "bethink"}
    for name, service in compose["services"].items():
        for key, value in service.items():
            assert isinstance(value, SERVICE[key]), (name, key)
        assert service["healthcheck"].keys() <= HEALTH
        assert service["healthcheck"]["test"][0] in ("CMD", "CMD-SHELL")
        for other, how in service.get("depends_on", {}).items():
            assert other in compose["services"]
            assert how["condition"] in CONDITIONS


def test_what_is_mounted_is_there(compose: dict[str, Any]) -> None:
    for service in compose["services"].values():
        for volume in service.get("volumes", []):
            place, *_ = volume.split(":")
            if place.startswith("."):
                assert (DEPLOY / place).is_file()
            else:
                assert place in compose["volumes"]
    build = compose["services"]["bethink"]["build"]
    assert (DEPLOY / build["context"]).resolve() == ROOT
    assert (ROOT / build["dockerfile"]).is_file()


def test_every_variable_is_in_the_example_and_no_password_is(compose: dict[str, Any]) -> None:
    text = (DEPLOY / "compose.yaml").read_text("utf-8")
    used = set(re.findall(r"\$\{(\w+)", text))
    lines = (DEPLOY / "env.example").read_text("utf-8").splitlines()
    given = dict(line.split("=", 1) for line in lines if "=" in line and not line.startswith("#"))
    assert used == given.keys()
    needed = {name for name in given if "PASSWORD" in name}
    assert {name for name in given if not given[name]} == needed
    assert set(re.findall(r"\$\{(\w+):\?", text)) == needed


def test_the_server_understands_its_command(compose: dict[str, Any]) -> None:
    service = compose["services"]["bethink"]
    said = [re.sub(r"\$\{\w+:-(.*)\}", r"\1", word) for word in service["command"]]  # by default
    parsed = build_parser("serve").parse_args(said)
    assert (parsed.command, parsed.host, parsed.port) == ("serve", "0.0.0.0", 8321)
    assert (parsed.allow_host, parsed.workers) == (["localhost"], 0)
    assert service["ports"][0].startswith("127.0.0.1:")  # nobody else reaches it without a proxy
    assert service["ports"][0].endswith(f":{parsed.port}")
    for name in service["environment"]:
        if name.startswith("BETHINK_"):
            assert name.removeprefix("BETHINK_").lower() in Settings.__slots__, name
    assert Settings(store=service["environment"]["BETHINK_STORE"]).server is not None
    text = (DEPLOY / "compose.yaml").read_text("utf-8")
    for line in re.findall(r"run --rm bethink (.+)", text):
        words = shlex.split(line)
        assert build_parser(words[0]).parse_args(words).command == words[0]


def test_the_image_installs_what_there_is() -> None:
    import tomllib

    extras = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"][
        "optional-dependencies"
    ]
    dockerfile = (DEPLOY / "Dockerfile").read_text("utf-8")
    installed = re.search(r"'\.\[([\w,]+)\]'", dockerfile)
    assert installed is not None
    assert set(installed[1].split(",")) <= extras.keys()
    assert {"server", "postgres", "redis"} <= set(installed[1].split(","))
    assert "USER bethink" in dockerfile
