"""Offers beside files of Markdown: what stands in a file is its owner's, and is edited there."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from bethink import Engine
from bethink.errors import InvalidInput
from bethink.notebook.books import Form
from bethink.settings import Settings
from tests.engines_of_tests import existing
from tests.tiers.offered import ANNA, BO, BUDGET, PORT


@pytest.fixture
def engine(tmp_path: Path) -> Iterator[Engine]:
    (tmp_path / "book" / "agent").mkdir(parents=True)
    (tmp_path / "book" / "agent" / "decisions.md").write_text(
        "# Decisions\n\n- The staging database listens on port 5432.\n- 预算由财务部决定。\n",
        "utf-8",
    )
    with Engine(tmp_path / "m.db", settings=Settings(), embedder="hashing") as engine:
        assert engine.books is not None
        engine.books.add(
            tmp_path / "book", space="global", form=Form.NOTEBOOK, writable=True, project=True
        )
        engine.sync()
        yield engine


def test_no_offer_takes_the_place_of_a_line(engine: Engine) -> None:
    line = next(m for m in engine.list().memories if "5432" in m.text)
    offer = engine.offer(PORT, by=BO, kind="decision")
    with pytest.raises(InvalidInput, match=r"stands in the file .*decisions\.md"):
        engine.promote(offer.id, supersedes=line.id)
    assert existing(engine, line.id).valid_to is None
    assert engine.get(offer.id) is None


def test_a_rollback_leaves_files_alone_and_says_so(engine: Engine, tmp_path: Path) -> None:
    line = engine.list().memories[0]
    engine.promote(engine.offer(BUDGET, by=BO, source=line.source).id)
    before = (tmp_path / "book" / "agent" / "decisions.md").read_bytes()
    done = engine.tiers.roll_back(line.source, by=ANNA)
    assert (done.rejected, done.forgotten, done.in_files) == (1, 1, 2)
    assert existing(engine, line.id).text == line.text
    assert (tmp_path / "book" / "agent" / "decisions.md").read_bytes() == before


def test_what_is_promoted_is_in_no_file(engine: Engine, tmp_path: Path) -> None:
    before = (tmp_path / "book" / "agent" / "decisions.md").read_bytes()
    engine.promote(engine.offer(BUDGET, by=BO, kind="decision").id)
    engine.sync()
    assert (tmp_path / "book" / "agent" / "decisions.md").read_bytes() == before
    assert BUDGET in [memory.text for memory in engine.list().memories]
