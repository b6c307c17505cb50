"""Sources that are broken or mean harm: refused with a reason, and nothing else is stopped."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bethink import Engine
from bethink.errors import InvalidInput
from bethink.formats import json_values
from bethink.formats.plan import reader_for, too_broad
from bethink.formats.taking import Failed, LeftOut, Taken, moment
from tests.test_transfer import JSON, TEXT


@pytest.fixture
def engine() -> Iterator[Engine]:
    with Engine.in_memory(embedder="none") as engine:
        yield engine


GOOD = '{"role": "user", "content": "good 好"}'


@pytest.mark.parametrize(
    ("line", "why"),
    [
        (b"[" * 200_000, "nested too deeply"),
        (b'{"role": "user", "content": ' + b'{"a":' * 100_000, "nested too deeply"),
        (b'{"role": "user", "content": "\xff\xfe"}', "not UTF-8"),
        (b'{"role": "user", "content": "half', "not JSON"),
        (b'{"role": "user", "content": "\\ud800"}', "surrogate"),
        (b'{"role": "user", "content": "a\\u0000b"}', "NUL"),
        (b'{"role": "user", "content": "x", "id": ' + b"9" * 5_000 + b"}", "not JSON"),
        (b"true", "expected an object"),
        (b"\x00\x01\x02", "not JSON"),
    ],
)
def test_a_bad_line_is_named(engine: Engine, tmp_path: Path, line: bytes, why: str) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_bytes(GOOD.encode() + b"\n" + line + b"\n" + GOOD.encode() + b"\n")
    report = engine.import_from(path)
    assert report.fates == {"created": 2}
    (failed,) = report.failed
    assert failed.place == "chat.jsonl:2"
    assert why in failed.why


def test_a_line_without_end(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_values, "MAX_LINE_BYTES", 1_000)
    path = tmp_path / "chat.jsonl"
    path.write_text("\n".join([GOOD, '{"role": "user", "content": "' + "x" * 5_000 + '"}', GOOD]))
    report = engine.import_from(path)
    assert report.fates == {"created": 2}
    assert [(f.place, f.why) for f in report.failed] == [
        ("chat.jsonl:2", "the line is longer than 1,000 bytes")
    ]


def test_a_first_line_that_is_broken(engine: Engine, tmp_path: Path) -> None:
    path = tmp_path / "chat.jsonl"
    path.write_text("\n".join(["{oops", "", "\ufeff", GOOD, GOOD]))
    report = engine.import_from(path)
    assert report.fates == {"created": 2}
    assert [f.place for f in report.failed] == ["chat.jsonl:1", "chat.jsonl:3"]


def test_a_document_that_is_too_large(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(json_values, "MAX_DOCUMENT_BYTES", 100)
    path = tmp_path / "all.json"
    path.write_text(json.dumps([{"memory": "x" * 200}], indent=1))
    with pytest.raises(InvalidInput, match="jq -c"):
        engine.import_from(path)


@pytest.mark.parametrize("format_name", ["auto", "chat", "mem0", "bethink", "markdown", "claude"])
def test_pipes_are_not_waited_for(engine: Engine, tmp_path: Path, format_name: str) -> None:
    for name in ("x.jsonl", "x.md"):
        os.mkfifo(tmp_path / name)
        try:
            report = engine.import_from(tmp_path / name, format=format_name)
        except InvalidInput as e:
            assert "pipe" in str(e)
        else:
            assert "pipe" in report.failed[0].why
    assert engine.status().memories == 0


def test_folders_of_odd_things(engine: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "chats"
    folder.mkdir()
    (folder / "good.jsonl").write_text(GOOD)
    (folder / "empty.jsonl").write_text("")
    (folder / "broken.json").write_text("{")
    (folder / "away.jsonl").symlink_to(tmp_path / "secret.jsonl")
    (tmp_path / "secret.jsonl").write_text('{"role": "user", "content": "secret 秘密"}')
    (folder / "around").symlink_to(folder)
    (folder / "inner").mkdir()
    (folder / "inner/good.jsonl").write_text(GOOD + "\n{")  # another conversation
    os.mkfifo(folder / "pipe.jsonl")
    report = engine.import_from(folder)
    assert report.fates == {"created": 2}
    assert sorted(f.place for f in report.failed) == [
        "away.jsonl",
        "broken.json",
        "inner/good.jsonl:2",
        "pipe.jsonl",
    ]


def test_front_matter_that_explodes(engine: Engine, tmp_path: Path) -> None:
    layers = "".join(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 9))
    (tmp_path / "bomb.md").write_text(f"---\na0: &a0 [x]\n{layers}---\n# Bomb\n\ntext\n")
    (tmp_path / "deep.md").write_text("---\na: " + "[" * 500 + "]" * 500 + "\n---\ntext\n")
    (tmp_path / "good.md").write_text("# Good\n\n好的\n")
    report = engine.import_from(tmp_path)
    assert report.fates == {"created": 1}
    assert {f.place for f in report.failed} == {"bomb.md", "deep.md"}


@pytest.mark.parametrize(
    ("name", "data", "why"),
    [
        ("empty.jsonl", b"", "it is empty"),
        ("list.json", b"[]", "it is empty"),
        ("picture.png", b"\x89PNG\r\n\x1a\n\x00\x00", "nothing in it can be read"),
        ("numbers.json", b"[1, 2, 3]", "expected an object"),
        ("other.jsonl", b'{"name": "x"}\n', "--format"),
        ("gbk.json", '[{"memory": "国标"}]'.encode("gb18030"), "not UTF-8"),
    ],
)
def test_what_it_is_cannot_be_told(
    engine: Engine, tmp_path: Path, name: str, data: bytes, why: str
) -> None:
    (tmp_path / name).write_bytes(data)
    with pytest.raises(InvalidInput, match=why):
        engine.import_from(tmp_path / name)


def test_nothing_there(engine: Engine, tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no file"):
        engine.import_from(tmp_path / "nowhere.json")
    (tmp_path / "folder").mkdir()
    with pytest.raises(InvalidInput, match="no Markdown and no JSON"):
        engine.import_from(tmp_path / "folder")
    with pytest.raises(InvalidInput, match="unknown format 'word'"):
        engine.import_from(tmp_path, format="word")
    with pytest.raises(InvalidInput, match="name for a space"):
        engine.import_from(tmp_path, space="a b")


def test_a_whole_home_or_disk_is_not_taken(
    engine: Engine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    home = tmp_path / "homes/mei"
    (home / "notes").mkdir(parents=True)
    (home / "notes/a.md").write_text("# A\n\n笔记\n", "utf-8")
    (home / ".claude").mkdir()
    (home / ".claude/CLAUDE.md").write_text("answer in Chinese\n")
    monkeypatch.setenv("HOME", str(home))
    for path in (home, tmp_path / "homes", home / "notes/../"):
        with pytest.raises(InvalidInput, match="whole home or disk"):
            engine.import_from(path)
    assert engine.import_from(home / "notes").fates == {"created": 1}
    assert engine.import_from(home / ".claude").fates == {"created": 1}
    assert too_broad(Path("/"), home)  # asked, not tried


WORDS = st.sampled_from(
    "id memory content role user assistant message messages type text value key namespace mapping "
    "metadata categories user_id created_at timestamp parts author children parent results items "
    "values config checkpoint kwargs lc state event 你好".split()
)
ODD = st.recursive(
    JSON | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=6),
    max_leaves=20,
)


@given(st.lists(ODD, max_size=5))
@settings(deadline=None, max_examples=300)
def test_no_shape_breaks_a_reader(values: list[Any]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        for path, text in (
            (Path(folder) / "x.json", json.dumps(values, indent=1)),
            (Path(folder) / "x.jsonl", "\n".join(map(json.dumps, values))),
        ):
            path.write_text(text, "utf-8")
            for name in ("mem0", "langgraph", "chat", "bethink"):
                reader = reader_for(path, name, None)  # type: ignore[arg-type]
                for item in reader.read():
                    assert isinstance(item, Taken | Failed | LeftOut)
            with Engine.in_memory(embedder="none") as engine:
                try:
                    engine.import_from(path, spaces={"*": "all"}, dry_run=True)
                    first = engine.import_from(path, spaces={"*": "all"})
                    again = engine.import_from(path, spaces={"*": "all"})
                except InvalidInput:
                    continue
                assert "created" not in again.fates
                assert again.failures == first.failures


@given(TEXT | st.floats() | st.integers() | st.booleans() | st.none() | st.lists(st.integers()))
@settings(max_examples=300)
def test_any_time_is_read_or_none(value: Any) -> None:
    found = moment(value)
    assert found is None or found.tzinfo is not None


@pytest.mark.parametrize(
    ("value", "says"),
    [
        (1746108000, "2025-05-01T14:00:00+00:00"),
        (1746108000123, "2025-05-01T14:00:00.123000+00:00"),
        ("2025-05-01T14:00:00Z", "2025-05-01T14:00:00+00:00"),
        ("2025-05-01T14:00:00+08:00", "2025-05-01T06:00:00+00:00"),
    ],
)
def test_times_as_others_write_them(value: Any, says: str) -> None:
    found = moment(value)
    assert found is not None
    assert found.isoformat() == says
