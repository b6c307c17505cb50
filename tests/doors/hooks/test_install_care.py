"""What is a person's stays a person's: files that were never ours, changes by hand, calls with
options, commands that only look like ours; and a failure changes nothing."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bethink.doors.hooks.installing import BACKUP
from tests.doors.hooks.running import PROGRAM, Home, home
from tests.doors.hooks.test_install import MINE, agent_files, commands

__all__ = ["home"]  # the fixture


def put(home: Home, name: str, text: str) -> Path:
    path = home.path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def calls(path: Path) -> list[str]:
    return commands(json.loads(path.read_text("utf-8")))


# Files that are not ours


@pytest.mark.parametrize("agent", MINE)
@pytest.mark.parametrize(
    "text", ["{}\n", "{\n  // 我的笔记\n}\n", "[]", "", "not JSON", '{"a": {}}']
)
def test_what_was_never_ours_is_not_taken_out(home: Home, agent: str, text: str) -> None:
    put(home, MINE[agent], text)
    assert home.run("uninstall", agent).code == 0
    assert agent_files(home) == {MINE[agent]: text.encode()}


def test_a_file_that_we_made_and_somebody_wrote_in_stays(home: Home) -> None:
    home.run("install", "claude")
    path = home.path / MINE["claude"]
    path.write_text(path.read_text().replace("{", '{\n  "model": "opus",', 1))
    home.run("uninstall", "claude")
    assert json.loads(path.read_text()) == {"model": "opus"}


def test_a_broken_file_that_holds_us_is_named(home: Home) -> None:
    home.run("install", "claude")
    path = home.path / MINE["claude"]
    path.write_text(path.read_text() + "}")
    before = agent_files(home)
    ran = home.run("uninstall", "claude", "--text")
    assert ran.code == 2 and str(path) in ran.err
    assert agent_files(home) == before


# Changes by hand


def test_what_changed_by_hand_is_kept_to_the_letter(home: Home) -> None:
    path = put(
        home, MINE["claude"], '{\n  "thinks": 1,\n  "allow": {"a": ["x"]},\n  "hooks": {}\n}\n'
    )
    home.run("install", "claude")
    by_hand = [
        ('"thinks": 1', '"thinks": true'),
        ('["x"]', '["x"], "deny": []'),
        (
            "{",
            "{ // 我的",
        ),
    ]
    text = path.read_text()
    for old, new in by_hand:
        text = text.replace(old, new, 1)
    path.write_text(text)
    ran = home.run("uninstall", "claude", "--text")
    assert path.read_text() == (
        '{ // 我的\n  "thinks": true,\n  "allow": {"a": ["x"], "deny": []},\n  "hooks": {}\n}\n'
    )
    assert path.with_name(path.name + BACKUP).exists() and BACKUP in ran.out


@pytest.mark.parametrize("text", ["", " \n", "{\n  // 只有注释\n}\n", '{"hooks": {"stop": []}}'])
def test_cursor_gets_its_version_and_loses_it_again(home: Home, text: str) -> None:
    path = put(home, MINE["cursor"], text)
    home.run("install", "cursor")
    told = path.read_text()
    assert '"version": 1' in told
    home.run("uninstall", "cursor")
    assert path.read_text() == text
    home.run("install", "cursor")
    path.write_text(path.read_text() + "// 手写\n")
    home.run("uninstall", "cursor")
    assert "version" not in path.read_text() and path.read_text().endswith("// 手写\n")


# Calls


@pytest.mark.parametrize(
    "edited",
    [
        "{program} hook prompt --harness claude --embedder none",
        "{program} hook --embedder=none prompt --harness=claude --within 2",
        "BETHINK_TIMEZONE='Asia/Shanghai' {program} hook prompt --harness claude 2>/dev/null",
    ],
)
def test_options_of_a_person_stay(home: Home, edited: str) -> None:
    home.run("install", "claude")
    path = home.path / MINE["claude"]
    plain = calls(path)[1]
    wanted = edited.format(program=plain.split()[0])
    path.write_text(path.read_text().replace(plain, wanted))
    edited_text = path.read_text()
    home.run("install", "claude")
    assert path.read_text() == edited_text
    moved = wanted.replace(plain.split()[0], "'/old place/bin/bethink'")
    path.write_text(edited_text.replace(wanted, moved))
    home.run("install", "claude")
    assert path.read_text() == edited_text  # the program of today, with their options
    home.run("uninstall", "claude")
    assert agent_files(home) == {}


@pytest.mark.parametrize(
    "command",
    [
        "my-metrics --wrap 'bethink hook stop --harness claude' --then notify",
        "bethink hook stop --harness claude && notify-send 好了",
        "echo bethink hook stop --harness claude",
        "bethink hook stop --harness claude | tee log",
        "not-bethink hook stop --harness claude",
        "bethink recall 'hook stop --harness claude'",
        "bethink hook stop --harness codex",
        "bethink hook stop --harness claude 'unclosed",
    ],
)
def test_a_command_that_is_not_just_our_call_is_theirs(home: Home, command: str) -> None:
    hook = {"hooks": [{"type": "command", "command": command}]}
    text = json.dumps({"hooks": {"Stop": [hook]}}, indent=2)
    path = put(home, MINE["claude"], text)
    home.run("install", "claude")
    assert calls(path)[0] == command and len(calls(path)) == 4
    home.run("uninstall", "claude")
    assert path.read_text() == text


@pytest.mark.parametrize("agent", MINE)
def test_store_and_embedder_go_into_the_calls(home: Home, agent: str) -> None:
    where = home.path / "我的 记忆.db"
    home.run("install", agent, "--store", f"../{where.name}", "--embedder", "none")
    if agent == "openclaw":
        script = (home.path / ".openclaw/extensions/bethink/index.mjs").read_text()
        line = next(x for x in script.splitlines() if x.startswith("const OPTIONS"))
        assert json.loads(line.removeprefix("const OPTIONS = ").rstrip(";")) == [
            "--store", str(where), "--embedder", "none",
        ]  # fmt: skip
    else:
        for command in calls(home.path / MINE[agent]):
            assert shlex.split(command)[-4:] == ["--store", str(where), "--embedder", "none"]
    before = agent_files(home)
    home.run("install", agent)  # without a word about them: they stay
    assert agent_files(home) == before
    home.run("install", agent, "--embedder", "hashing")
    assert b"hashing" in b"".join(agent_files(home).values())
    assert home.run("install", agent, "--embedder", "no-such-model").code == 2
    home.run("uninstall", agent)
    assert agent_files(home) == {}


def test_a_call_with_a_store_works(home: Home) -> None:
    home.remember("Mei prefers dark mode", kind="instruction")
    home.run("install", "claude", "--store", str(home.store))
    (command, *_) = calls(home.path / MINE["claude"])
    environment = {k: v for k, v in home.environment.items() if k != "BETHINK_STORE"}
    ran = subprocess.run(
        command, shell=True, input=b"{}", capture_output=True, env=environment, check=False
    )
    assert "dark mode" in ran.stdout.decode()


def test_a_project_names_no_path_of_this_machine(home: Home) -> None:
    ran = home.run("install", "claude", "--project", "--text", PATH="/usr/bin:/bin")
    told = calls(home.work / ".claude/settings.json")
    assert told[0] == "bethink hook start --harness claude"
    assert "not on your PATH" in ran.err


def run_after(home: Home, first: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """`bethink install claude`, in a Python that does something first."""
    run = "import runpy, sys; sys.argv = ['bethink', 'install', 'claude', '--text']"
    module = f"runpy.run_module({PROGRAM[-1]!r}, run_name='__main__')"
    return subprocess.run(
        [sys.executable, "-c", f"{first}; {run}; {module}"],
        capture_output=True,
        text=True,
        env={**home.environment, "PYTHONDONTWRITEBYTECODE": "1", **environment},
        cwd=home.work,
        check=False,
    )


def test_a_program_that_does_not_run_is_not_installed(home: Home) -> None:
    folders = {name: home.path / name for name in ("broken", "well")}
    for name, shell in {"broken": "/nonexistent/sh", "well": "/bin/sh"}.items():
        program = put(home, f"{name}/bethink", f"#!{shell}\necho 1.0\n")
        program.chmod(0o755)
    elsewhere = f"import sys; sys.executable = {str(folders['broken'] / 'python')!r}"
    ran = run_after(home, elsewhere, PATH="/usr/bin:/bin")
    assert ran.returncode == 2 and "broken/bethink does not run" in ran.stderr
    assert agent_files(home) == {}
    ran = run_after(home, elsewhere, PATH=f"{folders['well']}:/usr/bin:/bin")
    assert ran.returncode == 0
    assert calls(home.path / MINE["claude"])[0].startswith(str(folders["well"] / "bethink"))


# Codex in two places


HOOK = '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "say 好"\n'


def test_codex_has_us_in_one_place(home: Home) -> None:
    home.run("install", "codex")
    config = put(home, ".codex/config.toml", HOOK)
    home.run("install", "codex")
    assert config.read_text().count("--harness codex") == 3
    assert not (home.path / MINE["codex"]).exists()
    config.write_text(config.read_text().replace(HOOK, 'model = "gpt"\n'))
    home.run("install", "codex")
    assert config.read_text() == 'model = "gpt"\n'
    assert len(calls(home.path / MINE["codex"])) == 3


def test_toml_without_its_end_mark_loses_nothing(home: Home) -> None:
    config = put(home, ".codex/config.toml", HOOK)
    home.run("install", "codex")
    below = '\n[profiles.工作]\nmodel = "gpt"\n'
    below = below.replace("工作", '"工作"')
    grown = config.read_text().replace("# <<< bethink <<<\n", "") + below
    config.write_text(grown)
    home.run("install", "codex")
    assert config.read_text() == grown
    home.run("uninstall", "codex")
    assert config.read_text() == HOOK + below


def test_toml_where_ours_cannot_be_told_is_left_alone(home: Home) -> None:
    text = (
        "[hooks]\nStop = [{hooks = [{type = 'command', command = 'say done'}, "
        "{type = 'command', command = 'bethink hook stop --harness codex'}]}]\n"
    )
    config = put(home, ".codex/config.toml", text)
    ran = home.run("uninstall", "codex", "--text")
    assert ran.code == 2 and str(config) in ran.err and "by hand" in ran.err
    assert agent_files(home) == {".codex/config.toml": text.encode()}


def test_a_person_in_our_block_of_toml(home: Home) -> None:
    config = put(home, ".codex/config.toml", HOOK)
    home.run("install", "codex")
    mine = '# 我的\n[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "mine"\n'
    config.write_text(config.read_text().replace("# <<< bethink", mine + "# <<< bethink"))
    home.run("uninstall", "codex")
    assert config.read_text() == HOOK + mine


# OpenClaw


def test_openclaw_is_read_as_json5(home: Home) -> None:
    text = (
        "{\n  // 网关\n  gateway: {port: 0x4A, host: 'a\\'b',},\n  plugins: {allow: ['a',],},\n}\n"
    )
    path = put(home, MINE["openclaw"], text)
    assert home.run("install", "openclaw").code == 0
    assert '"allowPromptInjection": true' in path.read_text()
    assert "['a',\"bethink\",]" in path.read_text().replace(" ", "")
    home.run("uninstall", "openclaw")
    assert path.read_text() == text


@pytest.mark.parametrize(
    ("plugins", "warning"),
    [
        ({"entries": {"bethink": {"enabled": False}}}, "switched off"),
        ({"entries": {"bethink": {"enabled": True}}}, "allows too little"),
        ({"entries": {"a": {}}, "deny": ["bethink"]}, "plugins.deny"),
    ],
)
def test_what_openclaw_was_told_about_us_prevails(
    home: Home, plugins: dict[str, object], warning: str
) -> None:
    text = json.dumps({"plugins": plugins}, indent=4)
    path = put(home, MINE["openclaw"], text)
    ran = home.run("install", "openclaw", "--text")
    assert warning in ran.out
    if "bethink" in str(plugins["entries"]):
        assert path.read_text() == text
    home.run("uninstall", "openclaw")
    assert agent_files(home) == {MINE["openclaw"]: text.encode()}


def test_an_entry_that_a_person_changed_is_theirs(home: Home) -> None:
    home.run("install", "openclaw")
    path = home.path / MINE["openclaw"]
    path.write_text(path.read_text().replace('"enabled": true', '"enabled": false'))
    before = path.read_text()
    home.run("uninstall", "openclaw")
    assert path.read_text() == before


def test_a_config_that_openclaw_cannot_read_either(home: Home) -> None:
    put(home, MINE["openclaw"], "{gateway: }")
    ran = home.run("install", "openclaw", "--text")
    assert ran.code == 2 and '"allowConversationAccess": true' in ran.err
    assert list(agent_files(home)) == [MINE["openclaw"]]


def test_a_plugin_file_that_a_person_changed_is_theirs(home: Home) -> None:
    home.run("install", "openclaw")
    path = put(home, ".openclaw/extensions/bethink/package.json", '{"mine": "我的"}\n')
    for command in ("install", "install", "uninstall"):
        ran = home.run(command, "openclaw", "--text")
        assert "left alone" in ran.out
    assert agent_files(home) == {str(path.relative_to(home.path)): path.read_bytes()}


# All or nothing


def test_what_is_no_file_is_refused(home: Home) -> None:
    for agent, name in {**MINE, "codex": ".codex/config.toml"}.items():
        (home.path / name).parent.mkdir(exist_ok=True)
        os.mkfifo(home.path / name)
        for command in ("install", "uninstall"):
            ran = home.run(command, agent, "--text")
            assert ran.code == 2 and name in ran.err and "no regular file" in ran.err
    assert agent_files(home) == {}


def test_a_file_that_may_not_be_written_is_refused(home: Home) -> None:
    path = put(home, MINE["claude"], '{"model": "opus"}\n')
    path.chmod(0o444)
    ran = home.run("install", "claude", "--text")
    assert ran.code == 2 and "0444" in ran.err and str(path) in ran.err
    assert agent_files(home) == {MINE["claude"]: b'{"model": "opus"}\n'}


SMALL = 2048  # room for the settings, not for the skill


def test_a_failure_on_the_way_changes_nothing(home: Home) -> None:
    text = '{"model": "opus"}\n'
    put(home, MINE["claude"], text)
    limit = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, ({SMALL}, {SMALL}))"
    ran = run_after(home, limit)
    assert ran.returncode == 2 and "SKILL.md" in ran.stderr
    assert "nothing was changed" in ran.stderr
    assert agent_files(home) == {MINE["claude"]: text.encode()}
    assert [p.name for p in (home.path / ".claude").iterdir()] == ["settings.json"]


# By hand, as the page says


@pytest.mark.parametrize("agent", ["claude", "cursor", "codex", "openclaw"])
def test_what_the_page_says_to_add_by_hand_is_what_install_looks_for(
    home: Home, agent: str
) -> None:
    page = (Path(__file__).parents[3] / "docs/how-to/agents.md").read_text("utf-8")
    blocks = re.findall(r"```json\n(.*?)```", page, re.DOTALL)
    marks = {"cursor": '"version"', "openclaw": '"plugins"'}
    block = next(b for b in blocks if marks.get(agent, "SessionStart") in b)
    path = put(home, MINE[agent], block.replace("--harness claude", f"--harness {agent}"))
    home.run("install", agent)
    if agent == "openclaw":
        assert path.read_text() == block
    else:
        told = json.loads(path.read_text())
        bare = re.sub(r'"[^"]*/bethink hook', '"bethink hook', json.dumps(told))
        by_hand = json.loads(block.replace("--harness claude", f"--harness {agent}"))
        assert json.loads(bare) == by_hand  # but for the program's path
