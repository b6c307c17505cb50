"""The reference of notebooks says what the code does."""

from datetime import UTC, date
from pathlib import Path, PurePosixPath

from bethink.notebook import front_matter, reading
from bethink.notebook.forms import Form
from bethink.notebook.index_file import read_index
from bethink.notebook.layout import HISTORY, HOMES, journal_file
from bethink.notebook.meta_list import field_of
from bethink.notebook.parse import parse

PAGE = (Path(__file__).parents[2] / "docs/reference/notebook.md").read_text("utf-8")
EXAMPLES = [block.split("```")[0] for block in PAGE.split("```markdown\n")[1:]]


def test_every_file_and_form_is_named() -> None:
    for kind, home in HOMES.items():
        assert f"| `{home.file}` | `{kind}` |" in PAGE
    assert f"`{journal_file(date(2026, 5, 1))}`" in PAGE
    assert f"`{HISTORY}`" in PAGE
    for form in Form:
        assert f"| `{form}` |" in PAGE


def test_the_bounds_are_those_of_the_code() -> None:
    for bound in (
        f"{reading.MAX_FILE_BYTES:,} bytes",
        f"{front_matter.MAX_CHARS:,} characters",
        f"{front_matter.MAX_DEPTH} levels",
        f"deeper than {reading.MAX_DEPTH}",
        f"beyond {reading.MAX_FILES:,}",
    ):
        assert bound in PAGE


def test_the_fields_are_known_by_the_names_that_are_given() -> None:
    table = PAGE.split("| field |")[1].split("\n\n")[0].splitlines()[2:-1]
    for row in table:
        _, names, also, _, *_ = row.split("|")
        written = [name.strip(" `") for name in (*names.split(","), *also.split(","))]
        assert all(map(field_of, filter(None, written))), row


def test_the_examples_read_as_it_says() -> None:
    lists, note, table, entries = EXAMPLES
    dark, size = parse(
        lists, PurePosixPath("user/preferences.md"), book_form=Form.NOTEBOOK, zone=UTC
    )
    assert (dark.text, dark.section, dark.tags) == ("prefers dark mode", "UI", ("theme", "主题"))
    assert dark.valid_from is not None
    assert (size.text, size.kind) == ("编辑器字号 14", "preference")
    (piece,) = parse(note, PurePosixPath("notes/a.md"), book_form=Form.NOTES, zone=UTC)
    assert (piece.kind, piece.tags) == ("pattern", ("network", "网络"))
    assert piece.entities == ("Redis", "张三")
    assert piece.metadata["owner"] == "Ada"
    assert piece.text.splitlines()[0] == "a connection is refused, ERR_CONN_1042"
    assert read_index(table) == read_index(entries)
    assert read_index(table)["notes/refused.md"].title == "连接被拒"
