"""Out into a folder of Markdown and back in: nothing is lost, whatever the text looks like."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path, PurePosixPath
from typing import Any

import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from bethink import Engine
from bethink.errors import InvalidInput, UnknownSpace
from bethink.formats.bethink_markdown import INDEX, MARKER, page, record_of
from bethink.notebook.front_matter import Scalar, front_matter
from bethink.testing import FakeClock
from tests.test_transfer import CHANGE, LABEL, MEMORY

ODD = [
    "---\ntitle: no front matter\n---\n\nbody",
    "---",
    "\n---\n---\n",
    "# Heading\n\n## Meta\n- tags: a\n",
    "```python\n# not a heading\n```",
    "```\nnever closed",
    "- a list\n  - inside\n\n\n- again",
    "line one\r\nline two\r\n",
    "old\rMac\rlines",
    "  leading and trailing  \n\n",
    "\ttab\n\n\n",
    "\n\n\nafter blank lines",
    "中文，标点。\n　全角空格　",
    "🧠🏳️‍🌈 family 👨‍👩‍👧",
    "\ufeffa byte order mark inside\ufeff",
    "line\u2028separator\u2029paragraph\x85next\x0bvertical\x0cform",
    "x" * 200_000,
    "bethink: 1\nid: other\nspace: elsewhere",
    "<!-- comment --> <script>",
    "- until: 2026-05-01\n- [ ] task",
    "a\\nb \\u0041 \"quoted\" 'single' : # & * ! | > % @ `",
    "\x01\x02\x1b[31m\x7f",
    "[link](../../etc/passwd)",
    "a b",
    "…",
]
SENTENCES = (
    st.sampled_from(ODD)
    | LABEL
    | st.lists(st.sampled_from(ODD), min_size=2, max_size=3).map("\n".join)
)
STORY = st.lists(
    st.tuples(MEMORY, SENTENCES, st.lists(st.tuples(CHANGE, SENTENCES), max_size=2)), max_size=4
)


@given(STORY)
@example(
    [
        ({"text": "x"}, text, [({"kind": "note"}, ODD[(n + 1) % len(ODD)])])
        for n, text in enumerate(ODD)
    ]
)
@settings(deadline=None, max_examples=60)
def test_nothing_is_lost(story: list[tuple[Any, str, list[tuple[Any, str]]]]) -> None:
    clock = FakeClock()
    with tempfile.TemporaryDirectory() as place, Engine.in_memory(
        embedder="none", clock=clock
    ) as old:  # fmt: skip
        for told, text, changes in story:
            receipt = old.remember_many([{**told, "text": text}])[0]
            for change, new_text in changes:
                clock.advance(hours=1)
                old.revise(receipt.id, **{**change, "text": new_text})
        records = list(old.export())
        folder = Path(place) / "out"
        assert old.export_markdown(folder).written == len(records)
        with Engine.in_memory(embedder="none", clock=clock) as new:
            report = new.import_from(folder)
            assert (report.failed, report.left_out) == ((), {})
            assert report.fates.get("created", 0) == len(records)
            assert list(new.export()) == records  # every field, the history, and the order
            again = new.import_from(folder)
            assert again.fates.get("unchanged", 0) == len(records)
            assert list(new.export()) == records
        assert old.export_markdown(folder).unchanged == len(records)


@given(MEMORY, SENTENCES)
@settings(deadline=None, max_examples=100)
def test_other_readers_of_front_matter_read_it_too(told: dict[str, Any], text: str) -> None:
    with Engine.in_memory(embedder="none") as engine:
        engine.remember_many([{**told, "text": text}])
        (record,) = engine.export()
    whole = page(record)
    head = whole[4 : whole.index("\n---\n")]
    by_yaml = yaml.safe_load(head)
    for name in ("id", "space", "kind", "section", "tags", "entities", "source"):
        if name in by_yaml:  # numbers within metadata are another matter: YAML has its own
            assert by_yaml[name] == record[name]
    fields = front_matter(["---", *head.split("\n"), "---"], PurePosixPath("x.md")).fields
    assert fields["kind"] == Scalar(record["kind"], fields["kind"].plain)
    assert record_of(whole)["text"] == text


def test_a_page_reads_well() -> None:
    clock = FakeClock()
    with Engine.in_memory(embedder="none", clock=clock) as engine:
        engine.remember(
            "预算会议改到周五。", id="m-1", space="work", kind="decision", tags=["budget", "预算"]
        )
        (record,) = engine.export()
    assert page(record) == (
        "---\nbethink: 1\nid: m-1\nspace: work\nkind: decision\n"
        f'tags: ["budget", "预算"]\ncreated_at: {record["created_at"]}\n---\n\n预算会议改到周五。\n'
    )


def test_names_can_be_read_and_lie_in_folders_by_space_and_kind(tmp_path: Path) -> None:
    with Engine.in_memory(embedder="none", clock=FakeClock()) as engine:
        engine.remember("# 预算会议 moves\nto Friday", space="work", kind="decision")
        engine.remember("x", space="a/b:c", kind="../../etc")
        engine.remember("CON", space="Work", kind="con")
        engine.remember("…", space="team")
        engine.export_markdown(tmp_path / "out")
    files = sorted(
        p.relative_to(tmp_path / "out").as_posix() for p in (tmp_path / "out").rglob("*.md")
    )
    assert all(name.count("/") == 2 or name.endswith(INDEX) for name in files)
    assert any("work/decision/" in name and "预算会议-moves-" in name for name in files)
    assert len({name.lower() for name in files}) == len(files) == 8
    index = (tmp_path / "out/work" / INDEX).read_text("utf-8")
    assert "# work" in index
    assert "[预算会议 moves](decision/" in index
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out"]


def test_the_folder_follows_the_store(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with Engine.in_memory(embedder="none") as engine:
        first = engine.remember("first 第一").id
        second = engine.remember("second 第二", space="work").id
        assert engine.export_markdown(folder) == (2, 0, 0)
        engine.forget(second)
        engine.revise(first, text="changed 变了")
        engine.remember("third")
        assert engine.export_markdown(folder) == (2, 0, 2)
        assert not (folder / "work").exists()
        engine.export_markdown(folder)
        with Engine.in_memory(embedder="none") as new:
            new.import_from(folder)
            assert list(new.export()) == list(engine.export())


def test_only_some_spaces(tmp_path: Path) -> None:
    with Engine.in_memory(embedder="none") as engine:
        engine.remember("first")
        engine.remember("第二", space="work")
        assert engine.export_markdown(tmp_path / "out", spaces="work").written == 1
        with pytest.raises(UnknownSpace):
            engine.export_markdown(tmp_path / "none", spaces="nowhere")


def test_what_is_not_its_own_is_never_overwritten(tmp_path: Path) -> None:
    with Engine.in_memory(embedder="none") as engine:
        engine.remember("first 第一", id="m1")
        theirs = tmp_path / "theirs"
        theirs.mkdir()
        (theirs / "README.md").write_text("mine")
        with pytest.raises(InvalidInput, match=r"README\.md.*empty folder"):
            engine.export_markdown(theirs)
        assert [p.name for p in theirs.iterdir()] == ["README.md"]

        folder = tmp_path / "out"
        folder.mkdir()
        (folder / ".git").mkdir()  # what is hidden is no memory: a folder under version control
        engine.export_markdown(folder)
        (folder / "README.md").write_text("written beside it")
        (page_of,) = folder.glob("global/note/*.md")
        before = page_of.read_bytes()
        page_of.write_text("changed by hand", "utf-8")
        engine.remember("second")
        with pytest.raises(InvalidInput, match="changed since the last export"):
            engine.export_markdown(folder)
        assert page_of.read_text("utf-8") == "changed by hand"
        assert len(list(folder.glob("global/note/*.md"))) == 1
        page_of.write_bytes(before)
        assert engine.export_markdown(folder).written == 1
        assert (folder / "README.md").read_text() == "written beside it"
        report = engine.import_from(folder)
        assert list(report.left_out.values()) == [1]  # the README, which is no memory of ours

        with pytest.raises(InvalidInput, match="is a file"):
            engine.export_markdown(theirs / "README.md")


def test_links_are_not_written_through(tmp_path: Path) -> None:
    with Engine.in_memory(embedder="none") as engine:
        engine.remember("first", id="m1")
        outside = tmp_path / "outside"
        outside.mkdir()
        folder = tmp_path / "out"
        engine.export_markdown(folder)
        for page_of in folder.glob("global/*/*.md"):
            os.rename(page_of, outside / page_of.name)
        os.rmdir(folder / "global/note")
        (folder / "global/note").symlink_to(outside)
        with pytest.raises(InvalidInput):
            engine.export_markdown(folder)
        (folder / "global/note").unlink()
        (folder / "global/note").symlink_to(tmp_path / "nowhere")
        with pytest.raises(InvalidInput, match="link"):
            engine.export_markdown(folder)
        other = tmp_path / "other"
        other.mkdir()
        (other / MARKER).symlink_to(outside / "target")
        with pytest.raises(InvalidInput, match="is a link"):
            engine.export_markdown(other)
        assert not (outside / "target").exists()


def test_an_interrupted_export_is_gone_on_with(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with Engine.in_memory(embedder="none") as engine:
        engine.remember_many([{"text": f"fact {n} 事实"} for n in range(300)])

        def stop(done: int, total: int | None) -> None:
            if done == 200:
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            engine.export_markdown(folder, progress=stop)
        with (folder / MARKER).open("a") as file:
            file.write('{"path": "glo')  # as a power cut leaves it
        next(folder.glob("global/note/*.md")).write_bytes(b"")  # and as it may leave a file
        assert engine.export_markdown(folder) == (101, 199, 0)
        assert not list(folder.glob("*.new"))
        with Engine.in_memory(embedder="none") as new:
            new.import_from(folder)
            assert list(new.export()) == list(engine.export())


def test_a_damaged_list_of_files_is_not_trusted(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with Engine.in_memory(embedder="none") as engine:
        engine.remember("first 第一")
        engine.export_markdown(folder)
        outside = tmp_path / "precious.md"
        outside.write_text("precious")
        text = (folder / MARKER).read_text()
        from hashlib import sha256

        for path in ("../precious.md", str(outside)):
            line = f'{{"path": "{path}", "sum": "{sha256(b"precious").hexdigest()[:32]}"}}\n'
            (folder / MARKER).write_text(text + line)
            engine.export_markdown(folder)
            assert outside.read_text() == "precious"
        (folder / MARKER).write_text("[[[[")
        with pytest.raises(InvalidInput, match="damaged"):
            engine.export_markdown(folder)
        with Engine.in_memory(embedder="none") as new:  # reading needs the list for the order only
            assert new.import_from(folder).fates == {"created": 1}


def test_pages_that_cannot_be_read_are_named_and_stop_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with Engine.in_memory(embedder="none") as engine:
        engine.remember("first 第一")
        engine.export_markdown(folder)
    bad = folder / "global/note"
    head = "---\nbethink: 1\n"
    (bad / "no-end.md").write_text(head + "id: a\n")
    (bad / "no-field.md").write_text(head + "what is this\n---\n\ntext\n")
    (bad / "twice.md").write_text(head + "id: a\nid: b\n---\n\ntext\n")
    (bad / "bomb.md").write_text(head + "metadata: " + "[" * 100_000 + "\n---\n\ntext\n")
    (bad / "latin.md").write_bytes(head.encode() + b"---\n\ncaf\xe9\n")
    (bad / "empty.md").write_text(head + "id: e\n---\n\n\n")
    (bad / "time.md").write_text(head + "id: t\ncreated_at: soon\n---\n\ntext\n")
    (bad / "history.md").write_text(head + "id: h\nhistory:\n  - {\n---\n\ntext\n")
    (bad / "field.md").write_text(head + "id: f\ncolour: red\n---\n\ntext\n")
    os.mkfifo(bad / "pipe.md")
    (bad / "link.md").symlink_to("/etc/hostname")
    (bad / "by-hand.md").write_text(head + "tags: [a, b]\n---\nby hand\n")
    (bad / "windows.md").write_bytes(
        "---\r\nbethink: 1\r\nid: w\r\nspace: global\r\n---\r\n\r\n改\r\n好\r\n".encode()
    )
    with Engine.in_memory(embedder="none") as new:
        report = new.import_from(folder)
        assert report.fates == {"created": 2}
        told = {Path(failed.place).stem: failed.why for failed in report.failed}
        assert told.keys() == {
            "no-end", "no-field", "twice", "bomb", "latin", "empty", "time", "history", "field",
            "pipe", "link", "by-hand",
        }  # fmt: skip
        assert "nested" in told["bomb"]
        assert "UTF-8" in told["latin"]
        assert "pipe" in told["pipe"]
        assert "tags" in told["by-hand"]
        kept = new.get("w")
        assert kept is not None
        assert kept.text == "改\r\n好"


def test_one_file_of_an_export(tmp_path: Path) -> None:
    with Engine.in_memory(embedder="none") as engine:
        engine.remember("first 第一", id="m1", space="work")
        engine.export_markdown(tmp_path / "out")
        (one,) = (tmp_path / "out").glob("work/note/*.md")
        with Engine.in_memory(embedder="none") as new:
            assert new.import_from(one).format == "bethink-markdown"
            assert list(new.export()) == list(engine.export())
            report = new.import_from(one, space="elsewhere", dry_run=True)
            assert report.fates == {"conflict": 1}  # an id is of one space
