"""Whatever stands in a person's settings: in and out again leaves no trace, and no change of theirs
is lost."""

from __future__ import annotations

import json
import re
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import settings as how
from hypothesis import strategies as st

from bethink.doors.hooks import json_text
from bethink.doors.hooks.calls import Calls
from bethink.doors.hooks.changes import apply, to_install, to_uninstall
from bethink.doors.hooks.events import harness_named
from bethink.doors.hooks.installing import BACKUP, Installable, Place

AGENTS = {
    "claude": (".claude/settings.json", "Stop"),
    "codex": (".codex/hooks.json", "Stop"),
    "cursor": (".cursor/hooks.json", "stop"),
    "openclaw": (".openclaw/openclaw.json", ""),
}
EXAMPLES = 40  # each writes files; thousands were tried when this was written
CALLS = Calls("'/home/李 雷/bin/bethink'", (("embedder", "none"),))


class Person:
    def __init__(self, agent: str, home: Path) -> None:
        self.agent = cast(Installable, harness_named(agent))
        self.place = Place(home, None, CALLS)
        self.home = home

    def install(self) -> None:
        apply(to_install(self.agent.steps(self.place)))

    def uninstall(self) -> None:
        apply(to_uninstall(self.agent.steps(self.place, removing=True)))

    def files(self) -> dict[str, bytes]:
        found = (path for path in self.home.rglob("*") if path.is_file())
        return {str(path.relative_to(self.home)): path.read_bytes() for path in found}


def in_and_out(agent: str, name: str, text: str, edit: Callable[[str], str]) -> tuple[str, bool]:
    """What the file reads afterwards, and whether its copy is left."""
    with tempfile.TemporaryDirectory() as folder:
        person = Person(agent, Path(folder))
        path = person.home / name
        path.parent.mkdir()
        path.write_bytes(text.encode())
        person.install()
        installed = person.files()
        person.install()
        assert person.files() == installed  # again changes nothing
        assert "bethink" in path.read_text("utf-8")
        path.write_bytes(edit(path.read_bytes().decode()).encode())
        person.uninstall()
        left = set(person.files())
        assert left <= {name, name + BACKUP}
        return path.read_bytes().decode(), name + BACKUP in left


blanks = st.sampled_from(
    ["", "", " ", "\n", "\n\n    ", "\t", "\r\n  ", " // 注释 }\n", "/* , ] */", "\n  // hooks\n\t"]
)
scalars = st.none() | st.booleans() | st.integers(-9, 9) | st.text(max_size=5)
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2)
    ),
    max_leaves=6,
)
theirs = st.sampled_from(
    [
        {"hooks": [{"type": "command", "command": "say done"}]},
        {"matcher": "*", "hooks": []},
        {"command": "log 'bethink hook stop --harness claude'"},
        {"hooks": [{"type": "command", "command": "bethink hook stop --harness aider"}]},
    ]
)


@st.composite
def written(draw: Any, value: Any) -> str:
    """JSON as people write it: comments, a comma too many, any layout."""

    def write(value: Any) -> str:
        if not isinstance(value, dict | list):
            return json.dumps(value, ensure_ascii=draw(st.booleans()))
        pairs = value.items() if isinstance(value, dict) else ((None, item) for item in value)
        items = []
        for key, item in pairs:
            label = "" if key is None else f"{json.dumps(key)}{draw(blanks)}:{draw(blanks)}"
            items.append(f"{draw(blanks)}{label}{write(item)}{draw(blanks)}")
        inside = ",".join(items) + ("," if items and draw(st.booleans()) else "") + draw(blanks)
        return f"{{{inside}}}" if isinstance(value, dict) else f"[{inside}]"

    if draw(st.booleans()):
        indent = draw(st.sampled_from([None, 1, 2, 4, "\t"]))
        text = json.dumps(value, indent=indent, ensure_ascii=False)
        return text.replace("\n", "\r\n") if draw(st.booleans()) else text + "\n"
    return str(draw(blanks) + write(value) + draw(blanks))


@st.composite
def settings(draw: Any, agent: str) -> str:
    told: dict[str, Any] = draw(st.dictionaries(st.text(max_size=3), values, max_size=3))
    if agent == "openclaw":
        if draw(st.booleans()):
            allow, entries = (
                draw(st.sampled_from([[], ["a"], ["a", "b"]])),
                {"a": {"enabled": True}},
            )
            told["plugins"] = draw(
                st.sampled_from([{}, {"entries": {}}, {"allow": allow, "entries": entries}])
            )
    else:
        names = st.sampled_from([AGENTS[agent][1], "Other"])
        hooks = st.dictionaries(names, st.lists(theirs, max_size=2), max_size=2)
        told |= draw(st.fixed_dictionaries({}, optional={"hooks": hooks, "version": st.just(1)}))
    return str(draw(written(told)))


@pytest.mark.parametrize("agent", AGENTS)
@how(max_examples=EXAMPLES)
@given(data=st.data())
def test_in_and_out_leaves_no_trace(agent: str, data: Any) -> None:
    text = data.draw(
        settings(agent) | st.sampled_from(["", " \n", "{}", "{\n // 空\n}", "\ufeff{}\n"])
    )
    assert in_and_out(agent, AGENTS[agent][0], text, lambda grown: grown) == (text, False)


def _first(text: str, added: str) -> str:
    at = json_text.parse(text).start + 1
    return text[:at] + added + text[at:]


EDITS: list[Callable[[str], str]] = [
    lambda text: "// 我的\n" + text,
    lambda text: text + "\n// mine",
    lambda text: _first(text, " // by hand\n"),
    lambda text: _first(text, '"我": [1, /* two */ 2], '),
    lambda text: _first(text, '"mine": {}, "empty": [],\n'),
]


@pytest.mark.parametrize("agent", AGENTS)
@how(max_examples=EXAMPLES)
@given(data=st.data(), edit=st.sampled_from(EDITS))
def test_a_change_by_hand_is_kept(agent: str, data: Any, edit: Callable[[str], str]) -> None:
    text = data.draw(settings(agent))
    left, copied = in_and_out(agent, AGENTS[agent][0], text, edit)
    assert copied
    should = edit(text)
    told = json_text.parse(left).value
    if json_text.parse(text).children:  # else what was added by hand ends in a comma too many
        assert re.sub(r"\s", "", left) == re.sub(r"\s", "", should)
    assert told == json_text.parse(should).value


tables = st.sampled_from(
    [
        'model = "gpt"  # 最好\n',
        "# a remark\n\n",
        "[features]\nhooks = true\n",
        '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "say done"  # mine\n',
        '[[hooks.Stop]]\nmatcher = "x"\n  [[ hooks.Stop.hooks ]]\n command = "x [[hooks.Stop]]"\n',
        '[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ncommand = "x"\n\n\n',
        '[hooks.state."a"]\ntrusted_hash = "x"\n',
        '[notes]\ntext = """\n[[hooks.Stop]]\n# <<< bethink <<<\n"""\n',
    ]
)


@how(max_examples=EXAMPLES)
@given(
    st.lists(tables, min_size=1, max_size=4, unique=True),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["", "\n[profiles.work]\nmodel = '五'\n", "# 完\n"]),
)
def test_toml_likewise(pieces: list[str], ends: bool, crlf: bool, below: str) -> None:
    pieces.sort(key=lambda piece: not piece.startswith(("model", "#")))  # keys before tables
    hook = '[[hooks.Stop]]\n[[hooks.Stop.hooks]]\ntype = "command"\ncommand = "own"\n'
    text = "".join(pieces) + hook
    text = text if ends else text.rstrip("\n")
    text = text.replace("\n", "\r\n") if crlf else text
    below = below.replace("\n", "\r\n") if crlf else below
    left, copied = in_and_out("codex", ".codex/config.toml", text, lambda grown: grown + below)
    if below:
        newline = "" if ends else "\r\n" if crlf else "\n"
        assert left == text + newline + below and copied
    else:
        assert left == text and not copied
