"""What newcomers write before they have read the documentation: it works, or the error says what
to write instead."""

from __future__ import annotations

import copy
import json
import subprocess
import sys
from pathlib import Path

import pytest

import bethink
from bethink import (
    Engine,
    InMemoryStore,
    InvalidInput,
    KnowledgeBase,
    Notebook,
    Preset,
    Principal,
    Settings,
    Story,
    errors,
)
from bethink.embedders import HashingEmbedder
from bethink.recall import PRESETS, Budget
from bethink.recall.draft import Draft, Kit
from bethink.stores import SQLiteStore

CHINESE, ENGLISH = "预算会议改到周五。", "Mei prefers dark mode."


# Names that do not exist


@pytest.mark.parametrize(
    ("program", "says"),
    [
        ("from bethink import Notebok", "did you mean bethink.Notebook"),
        ("from bethink import sqlite_store", "did you mean bethink.SQLiteStore?"),
        ("from bethink.stores import KnowledgeBase", "it is in bethink"),
        ("from bethink import CrossEncoder", "it is in bethink.rerankers"),
        ("from bethink.workflow import MemoryStorageNode", "bethink.workflow.offering_node"),
        ("from bethink import Client", "bethink.Engine(path)"),
        ("from bethink import recall_", ""),
        ("from bethink.embedders import OpenAIEmbedder", "bethink.embedders.OpenAICompatible"),
        ("from bethink.recall import Fuse", "bethink.recall.FuseAdaptively"),
        ("from bethink.story import EntityState", "EntityStateSnapshot"),
        ("from bethink.stores import RedisStore", "hot='redis://...'"),
        ("from bethink.stores import MemoryStore", "bethink.InMemoryStore"),
        ("from bethink.doors.mcp import create_server", "bethink.doors.mcp.build_server"),
        ("from bethink.errors import NotFoundError", "bethink.errors.NotFound"),
        ("from bethink.errors import Engine", "it is in bethink"),
        ("from bethink.filters import parse_filters", "bethink.filters.parse_filter"),
        ("from bethink.settings import Setting", "bethink.settings.Settings"),
    ],
)
def test_an_import_names_what_was_meant(program: str, says: str) -> None:
    with pytest.raises(ImportError, match="cannot import name") as caught:
        exec(program, {})
    assert says in str(caught.value)


def test_attributes_are_missing_as_python_expects() -> None:
    assert not hasattr(bethink, "Notebok")
    assert getattr(bethink, "Notebok", 5) == 5
    with pytest.raises(AttributeError, match=r"has no attribute 'Notebok'; did you mean bethink\."):
        _ = bethink.Notebok  # type: ignore[attr-defined]


def test_modules_can_still_be_imported_by_name() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from bethink import filters; print(filters.__name__)"],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "bethink.filters"


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("search", "use recall(text)"),
        ("add", "use remember(text)"),
        ("delete", "use forget(id)"),
        ("remembr", "did you mean 'remember'?"),
        ("notebooks", "use Notebook(engine, folder)"),
    ],
)
def test_an_engine_names_the_method_that_was_meant(name: str, says: str) -> None:
    with Engine.in_memory(embedder="none") as engine:
        assert not hasattr(engine, name)
        with pytest.raises(AttributeError) as caught:
            getattr(engine, name)
    assert says in str(caught.value)


@pytest.mark.parametrize(
    ("name", "says"),
    [
        ("story.entities", "use cast()"),
        ("story.state", "use state_of(name)"),
        ("story.add_scen", "did you mean 'add_scene'"),
        ("base.query", "use search(text)"),
        ("base.add_document", "use add(path), or add_text(text, name=...)"),
        ("base.documnts", "did you mean 'documents'"),
        ("notebook.search", "use recall(text)"),
        ("answer.results", "use hits"),
        ("answer.statuses", "did you mean 'status'"),
        ("hit.created_at", "use memory.created_at"),
        ("hit.speaker", "use memory.speaker"),
        ("engine.tiers.pending", "use quarantine()"),
        ("errors.NotFoundError", "did you mean bethink.errors.NotFound"),
        ("engine.remember_mny", "did you mean 'remember_many'"),
    ],
)
def test_objects_name_the_attribute_that_was_meant(tmp_path: Path, name: str, says: str) -> None:
    with Engine(tmp_path / "m.db", embedder="none") as engine:
        engine.remember(CHINESE)
        answer = engine.recall("预算会议")
        objects = {
            "engine": engine,
            "story": Story(engine, "河边"),
            "base": KnowledgeBase(engine, "handbook"),
            "notebook": Notebook(engine, tmp_path / "notes", space="team"),
            "answer": answer,
            "hit": answer[0],
            "errors": errors,
        }
        with pytest.raises(AttributeError) as caught:
            eval(name, objects)
    assert says in str(caught.value)


@pytest.mark.parametrize("text", [CHINESE, ENGLISH])
def test_hints_do_not_break_copies(text: str) -> None:
    with Engine.in_memory(embedder="none") as engine:
        engine.remember(text, tags=["预算"], source="chat", metadata={"n": 1})
        answer = engine.recall(text)
    hit = answer[0]
    assert copy.deepcopy(hit.memory) == hit.memory
    assert copy.copy(answer) == answer
    assert (hit.kind, hit.space, hit.tags, hit.source) == ("note", "global", ("预算",), "chat")
    assert hit.metadata == {"n": 1}
    assert not hasattr(hit, "__deepcopy__")


def test_an_error_as_json() -> None:
    with Engine.in_memory(embedder="none") as engine, pytest.raises(InvalidInput) as caught:
        engine.recall("预算", limit=0)
    error = caught.value
    assert error.to_dict() == {"code": "invalid_input", "message": str(error)}


def test_the_embedder_can_be_seen() -> None:
    mine = HashingEmbedder()
    with Engine.in_memory(embedder=mine) as engine:
        assert engine.embedder is mine
        with pytest.raises(AttributeError):
            engine.embedder = mine  # type: ignore[misc]
    with Engine.in_memory(embedder="none") as engine:
        assert engine.embedder is None
    with Engine.in_memory(embedder="hashing") as engine:
        assert engine.embedder is not None and engine.embedder.name == mine.name


@pytest.mark.parametrize("who", ["mei", "小美"])
def test_who_decides_may_be_a_name(who: str) -> None:
    with Engine.in_memory(embedder="none") as engine:
        offer = engine.offer(CHINESE * 3, source="chat", by=who)
        assert offer.by == Principal(who, "python")
        engine.promote(offer.id, by=who)
        engine.tiers.undo(offer.id)
        assert [one.by for one in engine.tiers.rulings(offer.id)][1:] == [who, "local"]
        with pytest.raises(InvalidInput, match="give a text, or a Principal"):
            engine.promote(offer.id, by=5)  # type: ignore[arg-type]


# Stores


def test_memory_is_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with (
        Engine(":memory:", embedder="none") as engine,
        Engine(":memory:", embedder="none") as other,
    ):
        engine.remember(CHINESE)
        assert isinstance(engine.store, InMemoryStore)
        assert (engine.count(), other.count()) == (1, 0)
    assert not list(tmp_path.iterdir())


def test_what_outlives_the_process_is_never_kept_in_memory(tmp_path: Path) -> None:
    """A command would forget with its end what it has just said to be on disk."""
    for place in (":memory:", Path(":memory:")):
        with pytest.raises(InvalidInput, match="is no file, and this store needs one"):
            SQLiteStore(place)
    with pytest.raises(InvalidInput, match="name a file"):
        Engine(settings=Settings(store=":memory:"))
    done = subprocess.run(
        [sys.executable, "-m", "bethink", "remember", CHINESE, "--store", ":memory:"],
        capture_output=True, text=True, cwd=tmp_path, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "name a file" in done.stderr
    assert not (tmp_path / ":memory:").exists()


def test_a_file_may_be_named_as_an_address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for address, place in (
        ("sqlite:///here.db", tmp_path / "here.db"),
        (f"sqlite:///{tmp_path}/记忆.db", tmp_path / "记忆.db"),
    ):
        with Engine(address, embedder="none") as engine:
            engine.remember(ENGLISH)
        assert Settings(store=address).store_path.absolute() == place
        with Engine(place, embedder="none") as engine:
            assert engine.count() == 1


# Asking


@pytest.mark.parametrize("place", [":memory:", "m.db"])
def test_count(tmp_path: Path, place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with Engine(place, embedder="none") as engine:
        assert engine.count() == 0
        engine.remember_many([{"text": f"第 {n} 条", "kind": "task"} for n in range(3)])
        engine.remember(ENGLISH, space="work")
        assert engine.count() == 4
        assert engine.count(spaces="work") == engine.count(spaces=["work"]) == 1
        assert engine.count(where={"kind": "task"}) == 3
        assert engine.count(spaces="work", where={"kind": "task"}) == 0


def test_count_of_more_than_one_page() -> None:
    with Engine.in_memory(embedder="none") as engine:
        engine.remember_many([{"text": f"note {n}", "kind": "task"} for n in range(1_001)])
        assert engine.count(where={"kind": "task"}) == 1_001


@pytest.mark.parametrize("text", [CHINESE, ENGLISH])
def test_every_value_of_an_answer_becomes_json(text: str) -> None:
    with Engine.in_memory(embedder="none") as engine:
        engine.remember(text, tags=["预算"], metadata={"n": 1})
        answer = engine.recall(text)
        told = json.loads(json.dumps(answer.to_dict(explain=True)))
        assert told["hits"][0] == json.loads(json.dumps(answer.hits[0].to_dict()))
        assert (told["hits"][0]["text"], told["status"]) == (text, "answered")
        assert told["trace"]["steps"]
        memory = answer.hits[0].memory.to_dict()
        assert (memory["text"], memory["tags"], memory["metadata"]) == (text, ["预算"], {"n": 1})
        response = answer.as_search_response()
        assert json.loads(json.dumps(response.to_dict()))["results"][0]["content"] == text
        assert response.results[0].to_dict() == response.to_dict()["results"][0]


def test_the_default_preset_has_a_second_name() -> None:
    assert PRESETS["default"] is PRESETS["balanced"]
    assert "default" not in list(PRESETS)
    with Engine.in_memory(embedder="none") as engine:
        engine.remember(CHINESE)
        assert engine.recall("预算会议", preset="default").trace.preset == "balanced"


def test_a_function_is_a_stage() -> None:
    def longest_first(draft: Draft, kit: Kit) -> Draft:
        return draft._replace(hits=tuple(sorted(draft.hits, key=lambda hit: -len(hit.text))))

    stages = [*PRESETS["ranks"].stages, longest_first]
    mine = Preset("mine", stages)  # type: ignore[arg-type]  # a list, and a function in it
    with Engine.in_memory(embedder="none") as engine:
        engine.remember("预算会议")
        engine.remember("预算会议改到周五下午三点，在三楼。")
        answer = engine.recall("预算会议", preset=mine)
    assert [len(hit.text) for hit in answer.hits] == [17, 4]
    assert answer.trace.steps[-1].stage == "longest_first"


def test_what_is_no_stage_is_refused() -> None:
    with Engine.in_memory(embedder="none") as engine:
        for wrong in (Budget, "budget"):
            with pytest.raises(InvalidInput, match="an object like Budget"):
                engine.recall("x", preset=Preset("mine", (wrong,)))  # type: ignore[arg-type]
        nothing = Preset("mine", (lambda draft, kit: None,))  # type: ignore[arg-type]
        with pytest.raises(InvalidInput, match="a stage returns a draft"):
            engine.recall("x", preset=nothing)


# Titles


@pytest.mark.parametrize(
    ("title", "space"), [("The Lighthouse", "The-Lighthouse"), (" 河边  往事 ", "河边-往事")]
)
def test_a_story_may_be_called_by_its_title(title: str, space: str) -> None:
    with Engine.in_memory(embedder="none") as engine:
        Story(engine, title).add_scene(1, 1, "Mara found the key. 玛拉找到了钥匙。")
        assert Story(engine, title).project == space
        assert engine.count(spaces=space) > 0
        with pytest.raises(InvalidInput, match=f"for instance '{space}'"):
            engine.remember("x", space=title)


# The command


def test_the_package_runs_as_a_program(tmp_path: Path) -> None:
    def run(*words: str) -> str:
        command = [sys.executable, "-m", "bethink", "--store", "m.db", "--json", *words]
        done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=True)
        return done.stdout

    run("remember", CHINESE)
    assert json.loads(run("recall", "预算会议"))["hits"][0]["text"] == CHINESE
    assert (tmp_path / "m.db").exists()
