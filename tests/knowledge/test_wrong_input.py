"""Wrong input is told as such, with what to do, and nothing is done."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bethink import Engine
from bethink.errors import InvalidInput
from bethink.knowledge import KnowledgeBase


@pytest.fixture
def base(engine: Engine) -> KnowledgeBase:
    return KnowledgeBase(engine, "handbook")


@pytest.mark.parametrize(
    "what",
    [None, 5, [5], ["手册.md", None], [b"text"], bytearray(b"x"), "hand\0book.md", ["手\0册"]],
)
def test_what_is_no_path_is_not_added(base: KnowledgeBase, what: Any) -> None:
    with pytest.raises(InvalidInput, match=r"expected|is no path"):
        base.add(what)
    assert base.documents() == []


@pytest.mark.parametrize("name", ["\0", "手册\0.md", None, 5])
def test_what_is_no_name_of_a_document(base: KnowledgeBase, tmp_path: Path, name: Any) -> None:
    (tmp_path / "手册.md").write_text("# 手册\n\nNotice: 30 days. 三十天。", "utf-8")
    base.add(tmp_path / "手册.md")
    for call in (base.document, base.remove_documents, base.disable_documents):
        with pytest.raises(InvalidInput, match=r"name a document|NUL"):
            call(name)
    wrong: list[Any] = [None, 5, "a\0b"]
    for what in wrong:
        with pytest.raises(InvalidInput, match=r"expected the path|is no path"):
            base.replace_document("手册.md", what)
    (kept,) = base.documents()
    assert kept.enabled
