"""No secret reaches the disk, by whatever way it is told; the receipt and the memory say so."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as trial
from hypothesis import strategies as st

from bethink import Engine
from bethink.remember.redacting import redacted_fields
from bethink.settings import Settings
from bethink.testing import ToyEmbedder
from bethink.vocabulary import Action
from tests.engines_of_tests import STORES, engine_on, existing
from tests.text.made_up_secrets import KEYS

TOKEN = "gh" + "p_" + "aB3" * 12
MARK = "[redacted: github token]"
MAKERS = [maker for makers in KEYS.values() for maker in makers]


@pytest.fixture(params=STORES)
def engine(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Engine]:
    with engine_on(request.param, tmp_path, embedder=ToyEmbedder("toy", 8)) as one:
        yield one


def files_with(folder: Path, secret: str) -> list[Path]:
    """Files below a folder that hold these bytes, as they are or as JSON writes them."""
    needles = {secret.encode(), json.dumps(secret)[1:-1].encode()}
    found = [path for path in folder.rglob("*") if path.is_file()]
    return [path for path in found if any(n in path.read_bytes() for n in needles)]


def test_the_receipt_and_the_memory_say_what_was_redacted(engine: Engine) -> None:
    receipt = engine.remember(f"部署用 {TOKEN}，密码是 Abc@1234。 Then {TOKEN} again.")
    assert "redacted: 2 github token, 1 password" in receipt.notes
    memory = existing(engine, receipt.id)
    assert memory.text == f"部署用 {MARK}，密码是 [redacted: password]。 Then {MARK} again."
    assert memory.provenance == {"redacted": ["github token", "password"]}
    assert [hit.id for hit in engine.recall("部署", floor=0).hits] == [receipt.id]


def test_what_has_no_secret_is_not_marked(engine: Engine) -> None:
    receipt = engine.remember("The token limit is 4096. 密码长度为 20。")
    assert receipt.notes == ()
    memory = existing(engine, receipt.id)
    assert (memory.text, memory.provenance) == ("The token limit is 4096. 密码长度为 20。", {})


def test_told_again_it_is_known(engine: Engine) -> None:
    first = engine.remember(f"Deploy with {TOKEN}.")
    again = engine.remember(f"Deploy with {TOKEN}.")
    assert (again.id, again.action) == (first.id, Action.REINFORCED)
    assert again.notes == ("redacted: 1 github token",)
    marked = engine.remember(f"Deploy with {MARK}.")
    assert (marked.id, marked.action) == (first.id, Action.REINFORCED)


def test_every_field_counts(engine: Engine) -> None:
    receipt = engine.remember(
        "plain 普通",
        kind=TOKEN,
        section=f"Keys > {TOKEN}",
        tags=[f"t {TOKEN}", "ui"],
        entities=[TOKEN],
        source=f"https://example.com/?token={TOKEN}",
        metadata={
            "deep": [{"er": [f"x {TOKEN}"]}],
            TOKEN: 1,
            "password": "Hunter2x",
            "card": 4111111111111111,
            "tokens": 4096,
        },
        provenance={"who": TOKEN},
    )
    memory = existing(engine, receipt.id)
    assert TOKEN not in repr(memory)
    assert memory.tags == (f"t {MARK}", "ui")
    assert memory.entities == (MARK,)
    assert memory.metadata == {
        "deep": [{"er": [f"x {MARK}"]}],
        MARK: 1,
        "password": "[redacted: password]",
        "card": "[redacted: card number]",
        "tokens": 4096,
    }
    assert memory.provenance["who"] == MARK
    assert memory.provenance["redacted"] == ["github token", "password", "card number"]


def test_a_mark_that_does_not_fit_is_cut(engine: Engine) -> None:
    tag = "x" * 90 + " " + "password: Hunter2x"
    (cut,) = existing(engine, engine.remember("a", tags=[tag]).id).tags
    assert cut.startswith("x" * 90) and "Hunter2x" not in cut and len(cut) <= 128


def test_a_revision_is_redacted_and_takes_the_mark_along(engine: Engine) -> None:
    one = engine.remember("Deploy by hand. 手动部署。").id
    receipt = engine.revise(one, text=f"Deploy with {TOKEN}. 用令牌部署。")
    assert receipt.notes == ("redacted: 1 github token",)
    assert existing(engine, one).text == f"Deploy with {MARK}. 用令牌部署。"
    assert existing(engine, one).provenance == {"redacted": ["github token"]}
    engine.revise(one, text="Deploy by hand again.")
    assert existing(engine, one).provenance == {}
    assert TOKEN not in repr(engine.history(one))


def test_imports_are_redacted_with_their_history(engine: Engine) -> None:
    record = {
        "id": "one",
        "space": "global",
        "text": f"now {TOKEN}",
        "history": [{"text": f"before {TOKEN}", "replaced_at": "2026-01-01T00:00:00+00:00"}],
    }
    assert engine.import_many([record]) == {"created": 1}
    assert engine.import_many([record]) == {"unchanged": 1}
    assert existing(engine, "one").text == f"now {MARK}"
    (former,) = engine.history("one")
    assert former.memory.text == f"before {MARK}"
    exported = list(engine.export())
    with Engine.in_memory(settings=Settings(), embedder="none") as other:
        other.import_many(exported)
        assert list(other.export()) == exported


def test_a_folder_that_is_imported_is_redacted(engine: Engine, tmp_path: Path) -> None:
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.md").write_text(f"# 部署\n\nUse {TOKEN} here.\n", "utf-8")
    assert engine.import_from(folder, dry_run=True).fates == {"created": 1}
    assert engine.import_from(folder).fates == {"created": 1}
    assert engine.import_from(folder, dry_run=True).fates == {"unchanged": 1}
    assert engine.import_from(folder, update=True).fates == {"unchanged": 1}
    (memory,) = engine.list().memories
    assert MARK in memory.text and TOKEN not in repr(memory)


def test_it_can_be_switched_off(tmp_path: Path) -> None:
    with Engine(tmp_path / "m.db", settings=Settings(redact=False), embedder="none") as engine:
        receipt = engine.remember(f"Deploy with {TOKEN}.")
        assert receipt.notes == ()
        assert existing(engine, receipt.id).text == f"Deploy with {TOKEN}."
        assert engine.import_many([{"id": "b", "text": TOKEN}]) == {"created": 1}
        assert existing(engine, "b").text == TOKEN


def test_what_is_no_text_is_left_for_others_to_check() -> None:
    fields = {"text": 5, "tags": "password: Hunter2x", "metadata": [TOKEN], "provenance": TOKEN}
    done = redacted_fields({**fields, "section": TOKEN})
    assert done == {**fields, "section": MARK}


AROUND = st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=40)
WAYS: dict[str, Callable[[Engine, str, str], object]] = {
    "remember": lambda engine, text, _: engine.remember(text),
    "by meaning": lambda engine, text, _: engine.remember(text, merge="meaning"),
    "fields": lambda engine, text, secret: engine.remember(
        "a thing 一件事", section=secret[:400], metadata={"a": [text]}, provenance={"b": text}
    ),
    "many": lambda engine, text, _: engine.remember_many([{"text": text}, {"text": "b " + text}]),
    "revise": lambda engine, text, _: engine.revise(engine.remember("old 旧").id, text=text),
    "import": lambda engine, text, _: engine.import_many(
        [{"text": text, "history": [{"text": text, "replaced_at": "2026-01-01T00:00:00Z"}]}]
    ),
}


@trial(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    before=AROUND,
    after=AROUND,
    maker=st.sampled_from(MAKERS),
    seed=st.integers(0, 10**6),
    way=st.sampled_from(sorted(WAYS)),
)
def test_no_secret_is_on_disk(
    tmp_path_factory: pytest.TempPathFactory,
    before: str,
    after: str,
    maker: Callable[[random.Random], str],
    seed: int,
    way: str,
) -> None:
    """Neither in a column, an index, the write-ahead log, nor in a file beside the store: looked
    at while it is open and after."""
    folder = tmp_path_factory.mktemp("disk")
    secret = maker(random.Random(seed))
    lines = [secret, *(line for line in secret.splitlines() if len(line) > 30 and line[0] != "-")]
    options: dict[str, Any] = {"settings": Settings(), "embedder": ToyEmbedder("toy", 8)}
    with Engine(folder / "m.db", **options) as engine:
        WAYS[way](engine, f"{before} {secret} {after}", secret)
        engine.rebuild_files()
        assert not any(files_with(folder, line) for line in lines)
        assert secret not in repr(list(engine.export()))
    assert not any(files_with(folder, line) for line in lines)
