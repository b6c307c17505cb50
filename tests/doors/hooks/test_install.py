"""Into agents' settings and out again."""

from __future__ import annotations

import json
import os
import tomllib
from pathlib import Path
from typing import Any

import pytest

from bethink.doors.hooks.events import HARNESSES
from bethink.doors.hooks.installing import BACKUP
from tests.doors.hooks.running import Home, home

__all__ = ["home"]  # the fixture

MINE = {
    "claude": ".claude/settings.json",
    "codex": ".codex/hooks.json",
    "cursor": ".cursor/hooks.json",
    "openclaw": ".openclaw/openclaw.json",
}
EVENTS = {
    "claude": ["SessionStart", "UserPromptSubmit", "Stop"],
    "codex": ["SessionStart", "UserPromptSubmit", "Stop"],
    "cursor": ["sessionStart", "beforeSubmitPrompt", "stop"],
}


def files_below(folder: Path) -> dict[str, bytes]:
    found = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


def agent_files(home: Home) -> dict[str, bytes]:
    return {name: data for name, data in files_below(home.path).items() if name.startswith(".")}


def commands(value: Any) -> list[str]:
    if isinstance(value, dict):
        own = [value["command"]] if isinstance(value.get("command"), str) else []
        return own + [c for item in value.values() for c in commands(item)]
    return [c for item in value for c in commands(item)] if isinstance(value, list) else []


@pytest.mark.parametrize("agent", HARNESSES)
def test_in_again_and_out(home: Home, agent: str) -> None:
    assert home.run("install", agent, "--dry-run").code == 0
    assert agent_files(home) == {}
    told = home.run("install", agent, "--dry-run", "--diff", "--text")
    assert "+++ " in told.out and "would be created" in told.out
    first = home.run("install", agent, "--text")
    assert first.code == 0 and "+++ " not in first.out
    assert [line.split()[0] for line in first.out.splitlines()] == ["created"] * len(
        agent_files(home)
    )
    installed = agent_files(home)
    assert any(name.endswith("SKILL.md") for name in installed)
    again = home.run("install", agent, "--text")
    assert again.code == 0 and "+++" not in again.out and "in place already" in again.out
    assert agent_files(home) == installed
    shown = home.run("uninstall", agent, "--dry-run", "--text")
    assert "---" not in shown.out and agent_files(home) == installed
    assert "would be removed" in shown.out and "--diff shows every line" in shown.out
    whole = home.run("uninstall", agent, "--dry-run", "--diff", "--text")
    assert "---" in whole.out and agent_files(home) == installed
    assert home.run("uninstall", agent).code == 0
    assert agent_files(home) == {} and not list(home.path.glob(f".{agent}*"))
    assert home.run("uninstall", agent).code == 0


@pytest.mark.parametrize("agent", ["claude", "codex", "cursor"])
def test_every_event_calls_a_hook_that_works(home: Home, agent: str) -> None:
    home.run("install", agent)
    told = json.loads((home.path / MINE[agent]).read_text())
    assert list(told["hooks"]) == EVENTS[agent]
    for event, ours in zip(("start", "prompt", "stop"), EVENTS[agent], strict=True):
        (command,) = commands(told["hooks"][ours])
        assert command.endswith(f" hook {event} --harness {agent}")
        assert os.path.isabs(command.split()[0])
        assert "async" not in json.dumps(told["hooks"][ours])
    if agent == "cursor":
        assert told["version"] == 1


THEIRS = {
    "claude": '{\n\t"model": "opus", "说明": "我的",\n\t"hooks": {"Stop": [\n\t\t{"hooks": '
    '[{"type": "command", "command": "say done"}]}\n\t]}\n}',
    "codex": '{"hooks": {"Stop": [{"matcher": "", "hooks": [{"type": "command", '
    '"command": "x"}]}]}}',
    "cursor": '{\r\n    "version": 1,\r\n    "hooks": {"stop": [{"command": "./mine.sh"}]}\r\n'
    "}\r\n",
    "openclaw": '{\n  // 我的\n  "plugins": {"allow": ["a"], "entries": {"a": '
    '{"enabled": true}}},\n}\n',
}


@pytest.mark.parametrize("agent", HARNESSES)
def test_what_is_there_stays(home: Home, agent: str) -> None:
    path = home.path / MINE[agent]
    path.parent.mkdir()
    path.write_bytes(THEIRS[agent].encode())
    path.chmod(0o600)
    home.run("install", agent)
    grown = path.read_bytes().decode()
    assert "bethink" in grown
    characters = iter(grown)
    assert all(character in characters for character in THEIRS[agent])  # all of theirs, in order
    assert ("\r\n" in grown) == ("\r\n" in THEIRS[agent])
    assert "\n" not in grown.replace("\r\n", "") or "\r\n" not in grown
    assert path.stat().st_mode & 0o777 == 0o600
    backup = path.with_name(path.name + BACKUP)
    assert backup.read_bytes().decode() == THEIRS[agent]
    home.run("uninstall", agent)
    assert path.read_bytes().decode() == THEIRS[agent]
    assert not backup.exists()


def test_the_copy_is_made_once(home: Home) -> None:
    path = home.path / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text('{"model": "opus"}\n')
    home.run("install", "claude")
    told = json.loads(path.read_text())
    told["model"] = "sonnet"
    del told["hooks"]["Stop"]
    path.write_text(json.dumps(told))
    home.run("install", "claude")
    assert json.loads(path.with_name(path.name + BACKUP).read_text()) == {"model": "opus"}
    home.run("uninstall", "claude")
    assert json.loads(path.read_text()) == {"model": "sonnet"}  # theirs since; the copy stays
    assert path.with_name(path.name + BACKUP).exists()


def test_a_former_call_is_replaced_and_a_shared_group_is_kept(home: Home) -> None:
    path = home.path / ".claude/settings.json"
    path.parent.mkdir()
    old = {"type": "command", "command": "/old/bin/bethink hook stop --harness claude"}
    theirs = {"type": "command", "command": "bethink-like hook stop"}
    path.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [theirs, old]}, {"hooks": [old]}]}}))
    home.run("install", "claude")
    (group,) = json.loads(path.read_text())["hooks"]["Stop"]  # ours once, where it stood first
    assert group["hooks"][0] == theirs and len(group["hooks"]) == 2
    assert "/old/bin" not in path.read_text()
    home.run("uninstall", "claude")
    assert json.loads(path.read_text()) == {"hooks": {"Stop": [{"hooks": [theirs]}]}}


@pytest.mark.parametrize("text", ["{", "[]", '{"hooks": []}', '{"hooks": {"Stop": 3}}', "\xff"])
def test_a_file_that_cannot_be_added_to_is_left_alone(home: Home, text: str) -> None:
    path = home.path / ".claude/settings.json"
    path.parent.mkdir()
    path.write_bytes(text.encode("latin-1"))
    ran = home.run("install", "claude", "--text")
    assert ran.code == 2 and str(path) in ran.err and "changed" in ran.err
    assert agent_files(home) == {".claude/settings.json": text.encode("latin-1")}


def test_comments_are_pointed_out_where_an_agent_reads_none(home: Home) -> None:
    path = home.path / ".claude/settings.json"
    path.parent.mkdir()
    path.write_text('{\n  // 注释\n  "model": "opus"\n}\n')
    ran = home.run("install", "claude", "--text")
    assert "ignores the whole file" in ran.out
    assert "// 注释" in path.read_text()


def test_a_link_into_dotfiles_stays_a_link(home: Home) -> None:
    real = home.path / "dotfiles.json"
    real.write_text('{"model": "opus"}')
    path = home.path / ".claude/settings.json"
    path.parent.mkdir()
    path.symlink_to(real)
    home.run("install", "claude")
    assert path.is_symlink() and "bethink" in real.read_text()
    home.run("uninstall", "claude")
    assert path.is_symlink() and real.read_text() == '{"model": "opus"}'


# Files of our own


def test_a_skill_that_a_person_changed_is_theirs(home: Home) -> None:
    home.run("install", "claude")
    skill = home.path / ".claude/skills/bethink/SKILL.md"
    changed = skill.read_text().replace("# Bethink", "# 我的记忆")
    skill.write_text(changed)
    ran = home.run("install", "claude", "--text")
    assert skill.read_text() == changed and "left alone" in ran.out
    ran = home.run("uninstall", "claude", "--text")
    assert skill.read_text() == changed and "left alone" in ran.out


def test_a_skill_of_a_former_version_is_replaced(home: Home) -> None:
    home.run("install", "claude")
    skill = home.path / ".claude/skills/bethink/SKILL.md"
    now = skill.read_text()
    from bethink.doors.hooks.installing import OwnFile

    skill.write_text(OwnFile(skill, "an older text\n").with_us(None))
    home.run("install", "claude")
    assert skill.read_text() == now


# For a project


@pytest.mark.parametrize("agent", ["claude", "codex", "cursor"])
def test_for_a_project(home: Home, agent: str) -> None:
    environment = {"PATH": f"{home.path}/bin:{os.environ['PATH']}"}
    (home.path / "bin").mkdir()
    (home.path / "bin/bethink").write_text("#!/bin/sh\n")
    (home.path / "bin/bethink").chmod(0o755)
    home.run("install", agent, "--project", **environment)
    assert agent_files(home) == {}
    written = files_below(home.work)
    told = json.loads(written[MINE[agent]])
    assert all(c.startswith("bethink hook ") for c in commands(told))  # no path of this machine
    assert any(name.endswith("skills/bethink/SKILL.md") for name in written)
    if agent == "cursor":
        rules = written[".cursor/rules/bethink.mdc"].decode()
        assert "alwaysApply: true" in rules and "bethink recall" in rules
    home.run("uninstall", agent, "--project", **environment)
    assert files_below(home.work) == {}


def test_openclaw_has_no_projects(home: Home) -> None:
    ran = home.run("install", "openclaw", "--project")
    assert ran.code == 2 and "leave out --project" in ran.err


# Codex keeps hooks in TOML, too


CONFIG = """\
# 我的设置
model = "gpt"   # the best

[features]
hooks = true

[[hooks.Stop]]
[[hooks.Stop.hooks]]
type = "command"
command = "say done"  # mine
"""


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("end", ["\n", ""])
def test_hooks_in_toml_stay_in_toml(home: Home, newline: str, end: str) -> None:
    text = (CONFIG.rstrip("\n") + end).replace("\n", newline)
    path = home.path / ".codex/config.toml"
    path.parent.mkdir()
    path.write_bytes(text.encode())
    home.run("install", "codex")
    grown = path.read_bytes().decode()
    assert grown.startswith(text) and not (home.path / ".codex/hooks.json").exists()
    told = tomllib.loads(grown)
    assert commands(told["hooks"]["Stop"][0]) == ["say done"]
    assert len(told["hooks"]["Stop"]) == 2 and len(told["hooks"]["UserPromptSubmit"]) == 1
    home.run("install", "codex")
    assert path.read_bytes().decode() == grown
    home.run("uninstall", "codex")
    assert path.read_bytes().decode() == text
    assert files_below(home.path / ".codex") == {"config.toml": text.encode()}


def test_codex_notes_of_trust_are_no_hooks(home: Home) -> None:
    path = home.path / ".codex/config.toml"
    path.parent.mkdir()
    path.write_text('[hooks.state."a"]\ntrusted_hash = "x"\n\n[features]\nhooks = false\n')
    ran = home.run("install", "codex", "--text")
    assert (home.path / ".codex/hooks.json").exists()
    assert "trust" in ran.err and "switches hooks off" in ran.err


def test_toml_that_cannot_be_added_to_is_left_alone(home: Home) -> None:
    path = home.path / ".codex/config.toml"
    path.parent.mkdir()
    text = 'hooks = {Stop = [{hooks = [{type = "command", command = "x"}]}]}\n'
    path.write_text(text)
    ran = home.run("install", "codex", "--text")
    assert ran.code == 2 and str(path) in ran.err
    assert agent_files(home) == {".codex/config.toml": text.encode()}
