"""INDEX.md: read as people write it, and kept without touching their other lines."""

from pathlib import Path, PurePosixPath

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.notebook.forms import Form
from bethink.notebook.index_file import read_index, with_entry
from bethink.notebook.parse import About
from tests.notebook.shelf import shelf

REFUSED = {"notes/refused.md": About("连接被拒", "ERR_CONN_1042, a connection is refused")}


@pytest.mark.parametrize(
    "text",
    [
        "| Title | File | When to load |\n|---|---|---|\n"
        "| 连接被拒 | [refused](notes/refused.md) | ERR_CONN_1042, a connection is refused |\n",
        "| 文件 | 状态 | 何时加载 | 标题 |\n|:-|-|-|-:|\n"
        "| `notes/refused.md` | ok | ERR_CONN_1042, a connection is refused | 连接被拒 |\n",
        "| Title | When to load |\n| --- | --- |\n"
        "| [连接被拒](./notes/refused.md#fix) | ERR_CONN_1042, a connection is refused |\n",
        "|[连接被拒](notes/refused.md)|ERR_CONN_1042, a connection is refused|\n",
        "- [连接被拒](notes/refused.md): ERR_CONN_1042, a connection is refused\n",
        "* [连接被拒](notes/refused.md) — ERR_CONN_1042, a connection is refused\r\n",
        "1. **[连接被拒](<notes/refused.md>)** - ERR_CONN_1042, a connection is refused\n",
        "- [连接被拒](notes/refused.md)\n"
        "  - when to load: ERR_CONN_1042, a connection is refused\n",
        "- notes/refused.md\n  - 标题：连接被拒\n"
        "  - 加载时机：ERR_CONN_1042, a connection is refused\n",
    ],
)
def test_an_index_is_read_as_people_write_it(text: str) -> None:
    assert read_index("# 索引\n\nSome words.\n\n" + text) == REFUSED


def test_links_are_paths_below_the_book() -> None:
    text = (
        "- [a](notes/%E8%B6%85%E6%97%B6.md)\n- [b](<notes/a b.md>): x\n- [c](../secret.md)\n"
        "- [d](/etc/passwd.md)\n- [e](https://example.org/x.md)\n- [f](pic.png)\n- g.md: y\n"
        "```\n- [h](notes/h.md)\n```\n<!-- - [i](notes/i.md) -->\n"
    )
    assert {path: about.title for path, about in read_index(text).items()} == {
        "notes/超时.md": "a",
        "notes/a b.md": "b",
        "g.md": "",
        "notes/g.md": "",
    }


def test_bars_in_a_cell_are_kept() -> None:
    text = with_entry("", PurePosixPath("notes/a.md"), About("a | b", "x|y"))
    assert read_index(text) == {"notes/a.md": About("a | b", "x|y")}


def test_an_entry_is_added_in_the_manner_of_the_others() -> None:
    about = About("超时", "ERR_TIMEOUT_7")
    table = (
        "# I\r\n\r\n| 文件 | 标题 | 何时加载 |\r\n|-|-|-|\r\n| [a](notes/a.md) | A | b |\r\n\r\nend"
    )
    assert with_entry(table, PurePosixPath("notes/t.md"), about) == table.replace(
        "| b |\r\n", "| b |\r\n| [t](notes/t.md) | 超时 | ERR_TIMEOUT_7 |\r\n"
    )
    listed = "* [a](notes/a.md)\n  - when: b\n\nend\n"
    assert with_entry(listed, PurePosixPath("notes/t.md"), about) == listed.replace(
        "b\n", "b\n* [超时](notes/t.md): ERR_TIMEOUT_7\n", 1
    )
    unended = with_entry("- [a](notes/a.md)", PurePosixPath("notes/t.md"), about)
    assert unended == "- [a](notes/a.md)\n- [超时](notes/t.md): ERR_TIMEOUT_7\n"


def test_an_entry_is_mended_in_its_own_line() -> None:
    head = "| Title | File | Status | When to load |\n|-|-|-|-|\n"
    table = head + "| A | [a](notes/a.md) |  ok  | b |\nx\n"
    changed = with_entry(table, PurePosixPath("notes/a.md"), About("A", "c"))
    assert changed == table.replace("| b |", "| c |")
    assert with_entry(changed, PurePosixPath("notes/a.md"), About("A", "c")) is changed
    listed = with_entry("+ [a](notes/a.md)\r\n", PurePosixPath("notes/a.md"), About("甲", "c"))
    assert listed == "+ [甲](notes/a.md): c\r\n"


def test_a_changed_index_is_found_by_and_only_its_note_is_read_again(tmp_path: Path) -> None:
    with shelf(tmp_path, form=Form.NOTES) as at:
        at.write("notes/a.md", "# Pool\n\nRestart the workers.\n\n## 之后\n\nWait.\n")
        at.write("notes/b.md", "# Other\n\n别的事情\n")
        at.write("INDEX.md", "- [连接池](notes/a.md): ERR_POOL_7\n")
        assert at.sync().added == 3
        ids = {m.source + m.section: m.id for m in at.memories().values()}
        assert at.engine.recall("ERR_POOL_7", spaces="work").hits[0].id == ids["notes/a.mdPool"]
        at.write("INDEX.md", "- [连接池](notes/a.md): 端口耗尽 EADDRNOTAVAIL\n")
        report = at.sync()
        assert (report.added, report.removed, report.revised) == (0, 0, 2)
        assert {m.source + m.section: m.id for m in at.memories().values()} == ids
        found = at.engine.recall("EADDRNOTAVAIL", spaces="work").hits[0]
        assert found.id == ids["notes/a.mdPool"]
        assert found.memory.metadata["when_to_load"] == "端口耗尽 EADDRNOTAVAIL"
        (at.root / "INDEX.md").unlink()
        at.sync()
        assert not any("EADDRNOTAVAIL" in text for text in at.memories())


_WORDS = st.text(
    alphabet=st.characters(exclude_categories=["C", "Z"], exclude_characters="[]()<>|\\*_-–—:：#%"),
    min_size=1,
    max_size=12,
)
_INDEXES = st.sampled_from(
    [
        "",
        "# 索引\n\ntext",
        "| Title | File | When to load |\n|---|---|---|\n",
        "| 标题 | 何时加载 | 文件 |\r\n|-|-|-|\r\n| x | y | notes/x.md |\r\n",
        "- [x](notes/x.md): y\n\nafter\n",
    ]
)


@given(_INDEXES, _WORDS, _WORDS, _WORDS)
def test_what_is_written_is_read_again(text: str, name: str, title: str, when: str) -> None:
    path = PurePosixPath(f"notes/{name}.md")
    about = About(title, when)
    written = with_entry(text, path, about)
    assert read_index(written)[str(path)] == about
    assert with_entry(written, path, about) == written
    before = {k: v for k, v in read_index(text).items() if k != str(path)}
    assert before.items() <= read_index(written).items()


@given(st.text() | st.text(alphabet="|-[]().md \n*:"))
def test_any_text_is_read_as_an_index(text: str) -> None:
    read_index(text)
    with_entry(text, PurePosixPath("notes/a.md"), About("a", "b"))


@pytest.mark.parametrize(
    "start",
    [
        "",
        "# I\n\n- [a](notes/a.md): x\n",
        "| File | When to load |\n|---|---|\n| [a](notes/a.md) | x |\n",
    ],
)
@pytest.mark.parametrize(
    "title",
    ["a | b", "[x] y [z]", "C [a](b.md) d", "back\\slash | `c`", "ends \\", "表 | [格]", "]x["],
)
def test_a_title_with_marks_of_tables_and_links_comes_back(start: str, title: str) -> None:
    path = PurePosixPath("notes/n.md")
    text = with_entry(start, path, About(title, "when | [q] 何时"))
    assert read_index(text)["notes/n.md"] == About(title, "when | [q] 何时")
    mended = with_entry(text, path, About(title, "later 以后"))
    assert read_index(mended)["notes/n.md"] == About(title, "later 以后")
    assert len(mended.splitlines()) == len(text.splitlines())
