"""The documentation is true: its code runs, its commands exist, and nothing is undocumented."""

from __future__ import annotations

import ast
import importlib
import re
import shlex
from dataclasses import fields
from pathlib import Path

import pytest
from tools.pages.commands import page

from bethink import BethinkError, KnowledgeBase, Status, Story, errors
from bethink.doors.cli.main import COMMANDS, build_parser
from bethink.filters import (
    LIST_FIELDS,
    NUMBER_FIELDS,
    OPEN_FIELDS,
    TEXT_FIELDS,
    TIME_FIELDS,
    parse_filter,
)
from bethink.settings import MEANING, PROJECT_MAY_SET, Settings
from bethink.tiers.keeper import TierKeeper

ROOT = Path(__file__).parents[2]
PUBLIC_MODULES = ("bethink.errors", "bethink.filters", "bethink.settings")
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])


def blocks(path: Path, language: str) -> list[str]:
    """Fenced code of one language, also inside lists."""
    found = re.findall(rf"^ *```{language}\n(.*?)^ *```", path.read_text("utf-8"), re.S | re.M)
    return [re.sub(r"^ {3}", "", block, flags=re.M) for block in found]


@pytest.mark.parametrize("path", [p for p in PAGES if blocks(p, "python")], ids=lambda p: p.name)
def test_python_blocks_run(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    for block in blocks(path, "python"):
        exec(compile(block, str(path), "exec"), names)


def programs() -> list[tuple[str, str]]:
    """Every Python program that we show: blocks of all pages, and the examples."""
    shown = [(str(path), block) for path in PAGES for block in blocks(path, "python")]
    return shown + [(str(path), path.read_text("utf-8")) for path in EXAMPLES]


def test_what_we_show_imports_nothing_deeper_than_a_package() -> None:
    """Modules inside a package may be renamed; what we show must go on working."""
    imported: set[str] = set()
    for shown_in, program in programs():
        for node in ast.walk(ast.parse(program)):
            if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("bethink"):
                names = {node.module or "": {alias.name for alias in node.names}}
            elif isinstance(node, ast.Import):
                names = {a.name: set() for a in node.names if a.name.startswith("bethink")}
            else:
                continue
            for module, what in names.items():
                found = importlib.import_module(module)
                is_public = module in PUBLIC_MODULES or hasattr(found, "__path__")
                assert is_public, f"{shown_in}: {module} is a module"
                public = getattr(found, "__all__", None)
                assert public is None or what <= set(public), f"{shown_in}: {module}: {what}"
                imported.add(module)
    assert {"bethink", "bethink.recall", "bethink.stores", "bethink.workflow"} <= imported


def commands_in(path: Path) -> list[str]:
    """Every line that calls bethink in a shell block."""
    lines = [
        line.removeprefix("$ ").strip()
        for language in ("bash", "console")
        for block in blocks(path, language)
        for line in block.splitlines()
    ]
    calls = [line for line in lines if re.search(r"(^|/| )bethink ", line)]
    return [line[line.index("bethink ") :] for line in calls]


@pytest.mark.parametrize(
    ("head", "described"),
    [
        ("`KnowledgeBase(engine, space)`", KnowledgeBase),
        ("`Story(engine, title)`", Story),
        ("`engine.tiers`", TierKeeper),
    ],
)
def test_the_tables_of_methods_are_true(head: str, described: type) -> None:
    text = (ROOT / "docs/reference/python.md").read_text("utf-8")
    table = text.split(f"| {head} |", 1)[1].split("\n\n", 1)[0]
    first = [row.split("|")[1] for row in table.splitlines()[2:]]
    named = {name for cell in first for name in re.findall(r"`(\w+)\(", cell)}
    assert len(named) > 5
    assert sorted(name for name in named if not hasattr(described, name)) == []


@pytest.mark.parametrize("path", [p for p in PAGES if commands_in(p)], ids=lambda p: p.name)
def test_commands_in_the_docs_exist(path: Path) -> None:
    parser = build_parser()
    for line in commands_in(path):
        line = re.split(r"\s(?:#|\||>>|>|&&)\s?", line)[0]
        for part in line.split("&&"):
            words = shlex.split(part)[1:]
            parser.parse_args(words)  # leaves with SystemExit if it is wrong


def test_the_command_reference_is_true() -> None:
    assert (ROOT / "docs/reference/commands.md").read_text("utf-8") == page(), (
        "run: python -m tools.pages.commands > docs/reference/commands.md"
    )


def test_readme_has_exactly_two_set_up_commands() -> None:
    text = (ROOT / "README.md").read_text("utf-8")
    set_up = text[text.index("## Set up") : text.index("## What it does")]
    found = re.findall(r"```bash\n(.*?)```", set_up, re.S)
    assert len(found) == 2
    assert "bethink demo" in found[0]
    assert found[1].strip() == "bash scripts/test"
    assert "scripts/test" in (ROOT / ".ci/run").read_text()


def test_every_setting_is_documented() -> None:
    text = (ROOT / "docs/reference/settings.md").read_text("utf-8")
    assert {field.name for field in fields(Settings)} == set(MEANING)
    for field in fields(Settings):
        row = next(line for line in text.splitlines() if line.startswith(f"| `{field.name}` |"))
        allowed = row.rstrip("| ").rsplit("|", 1)[1].strip()
        assert allowed == ("yes" if field.name in PROJECT_MAY_SET else "no")


def test_every_error_and_status_is_documented() -> None:
    text = (ROOT / "docs/reference/errors.md").read_text("utf-8")
    classes = [value for value in vars(errors).values() if isinstance(value, type)]
    for value in classes:
        if issubclass(value, BethinkError) and value is not BethinkError:
            assert f"| `{value.__name__}` | `{value.code}` | {value.exit_code} |" in text
            assert value.__name__ in (errors.__doc__ or "")
    for status in Status:
        assert f"| `{status}` |" in text


def test_every_filter_field_is_documented_and_the_examples_parse() -> None:
    path = ROOT / "docs/reference/filters.md"
    text = path.read_text("utf-8")
    for name in TEXT_FIELDS | NUMBER_FIELDS | TIME_FIELDS | LIST_FIELDS:
        assert f"`{name}`" in text
    for name in OPEN_FIELDS:
        assert f"`{name}.KEY`" in text
    import json

    for block in blocks(path, "json"):
        for line in block.splitlines():
            assert parse_filter(json.loads(line)) is not None


def test_links_lead_somewhere() -> None:
    for path in PAGES:
        # a link in an example leads to where the example lies
        text = re.sub(r"(?ms)^```.*?^```$", "", path.read_text("utf-8"))
        for target in re.findall(r"\]\(([^)#]+?)(?:#[^)]*)?\)", text):
            if "://" not in target:
                assert (path.parent / target).exists(), f"{path.name}: {target}"


def test_every_command_is_in_the_reference() -> None:
    text = (ROOT / "docs/reference/commands.md").read_text("utf-8")
    for command in COMMANDS:
        assert f"\n## {command}\n" in text
