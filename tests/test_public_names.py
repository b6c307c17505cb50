"""The public names: every package says which they are, and all of them can be imported cheaply."""

from __future__ import annotations

import ast
import importlib
import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path
from typing import Any, assert_type

import pytest

import bethink
from bethink import errors

SOURCE = Path(bethink.__file__).parent
PACKAGES = sorted(
    ["bethink", *(m.name for m in pkgutil.walk_packages([str(SOURCE)], "bethink.") if m.ispkg)]
)
# Programs and their parts: nobody imports anything from them.
NOTHING_PUBLIC = {
    *("bethink.doors", "bethink.doors.cli", "bethink.doors.cli.commands"),
    *("bethink.doors.hooks", "bethink.doors.web", "bethink.stores.redis"),
}
PUBLIC = [name for name in PACKAGES if name not in NOTHING_PUBLIC]
# What the engine and its parts do for each other.
INSIDES = {"settle", "let_go", "before_erasing", "troubles", "open_hot", "hot_numbers",
           "finish_erasing", "lazy_exports"}  # fmt: skip

# What somebody types who has read the README and not the code.
GUESSED = """
bethink: Action Answer BethinkError Book Candidate Check Citation CompositeStore Conflict Decision
bethink: Embedder EmbedderError Engine EngineStatus Event Faq Filter Hit InMemoryStore InvalidInput
bethink: KnowledgeBase LLM Memory MemoryRetrievalNode MemoryState NotFound Offer PRESETS Passage
bethink: PostgresStore Preset Principal Query Receipt Recollection Reranker Revision SQLiteStore
bethink: SceneMemoryContext SearchParams SearchResponse SearchResult Settings SpaceInfo Stage Status
bethink: Step Store StoreError Story Tier Trace WhyNot __version__ parse_filter retrieval_node
bethink.access: Caller Principal Reception Scope
bethink.doors.http: create_app
bethink.doors.mcp: build_server serve_stdio
bethink.embedders: Embedder HashingEmbedder OnnxEmbedder OpenAICompatible UseMultilingual
bethink.engine: Engine EngineStatus
bethink.errors: BethinkError InvalidInput MissingExtra NotFound StoreError UnknownSpace
bethink.events: Event Events Follower KINDS Subscription
bethink.filters: Filter parse_filter
bethink.formats: FORMATS ImportReport
bethink.knowledge: Answer Citation Document Faq KnowledgeBase SearchParams Turn
bethink.llms: LLM OpenAICompatibleLLM
bethink.notebook: Book Books Form SyncReport
bethink.recall: Budget Cut Hit Judge PRESETS Preset ReciprocalRanks Recollection Read Salience
bethink.recall: SearchMeaning SearchResponse SearchResult SearchWords Stage Trace as_history
bethink.recall: as_markdown preset_named render what_a_model_sees
bethink.remember: Action Receipt Revision
bethink.rerankers: CrossEncoder HttpReranker Reranker
bethink.settings: Settings
bethink.stores: CompositeStore ElasticRetriever InMemoryStore PostgresStore QdrantRetriever
bethink.stores: Retriever SQLiteStore Store
bethink.stores.postgres: PostgresStore
bethink.stores.sqlite: SQLiteStore
bethink.story: Cast Character EntityStateSnapshot SceneMemoryContext ScenePlan Story StoryTools
bethink.testing: EmbedderContract RetrieverContract StoreContract
bethink.text: count_tokens find_time_phrases redact tokenise
bethink.tiers: Decision Digest Offer Principal Tier
bethink.workflow: MemoryRetrievalNode MemoryState offering_node retrieval_node
"""


def test_what_people_guess_can_be_imported() -> None:
    for line in GUESSED.strip().splitlines():
        package, _, names = line.partition(": ")
        for name in names.split():
            program = f"from {package} import {name}"
            exec(program, {})  # as they would write it


@pytest.mark.parametrize("package", PUBLIC)
def test_every_public_name_is_there(package: str) -> None:
    module = importlib.import_module(package)
    assert module.__all__
    for name in module.__all__:
        assert getattr(module, name) is not None
        assert name in dir(module)
    everything: dict[str, Any] = {}
    exec(f"from {package} import *", everything)
    assert set(module.__all__) <= everything.keys()


@pytest.mark.parametrize("package", PUBLIC)
def test_public_names_are_sorted_and_hold_no_inside(package: str) -> None:
    module = importlib.import_module(package)
    assert module.__all__ == sorted(set(module.__all__), key=_place)
    assert not INSIDES & set(module.__all__)
    assert [name for name in module.__all__ if name.startswith("_")] == (
        ["__version__"] if package == "bethink" else []
    )


def _place(name: str) -> tuple[int, str]:
    """Constants, classes, then the rest, as the linter sorts them."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name)


@pytest.mark.parametrize("package", PUBLIC)
def test_no_public_name_is_also_a_module(package: str) -> None:
    """Importing `package.name` would put the module in the place of the value."""
    module = importlib.import_module(package)
    modules = {found.name for found in pkgutil.iter_modules(module.__path__)}
    assert not modules & (set(module.__all__) - {"suspicion"})


def test_packages_without_public_names_say_none() -> None:
    assert set(PACKAGES) >= NOTHING_PUBLIC
    for package in NOTHING_PUBLIC:
        assert not hasattr(importlib.import_module(package), "__all__")


@pytest.mark.parametrize("package", PUBLIC)
def test_what_type_checkers_read_is_what_runs(package: str) -> None:
    """A lazy package names each export three times: `__all__`, for type checkers, and to run."""
    module = importlib.import_module(package)
    tree = ast.parse(Path(module.__file__ or "").read_text("utf-8"))
    for node in tree.body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING" and node.orelse:
            break
    else:
        assert package in EAGER
        return
    typed = {
        alias.name: one.module
        for one in node.body
        if isinstance(one, ast.ImportFrom)
        for alias in one.names
    }
    call = next(n for n in ast.walk(node) if isinstance(n, ast.Call))
    assert ast.unparse(call.func) == "lazy_exports"
    run = {
        name: where
        for where, names in ast.literal_eval(call.args[1]).items()
        for name in names.split()
    }
    assert typed == run
    assert set(module.__all__) == {*run, *(("__version__",) if package == "bethink" else ())}


# These define what they export.
EAGER = {
    *("bethink.engine", "bethink.testing", "bethink.testing.store_contract"),
    *("bethink.testing.tier_contract", "bethink.text.suspicion"),
}


def test_types_are_as_precise_as_from_the_module_itself() -> None:
    """The type checker reads this; an unknown name is an error to it (see below)."""
    with bethink.Engine.in_memory(embedder="none") as engine:
        assert_type(engine, bethink.Engine)
        answer = engine.recall("深色主题 dark mode")
        assert_type(answer, bethink.Recollection)
        assert_type(answer.as_search_response().results, tuple[bethink.SearchResult, ...])
        assert_type(bethink.PRESETS["skill"], bethink.Preset)
    assert isinstance(answer, bethink.Recollection)


def test_the_version_is_the_packages() -> None:
    from importlib.metadata import version

    assert bethink.__version__ == version("bethink")


def test_other_names_are_not_there() -> None:
    with pytest.raises(AttributeError, match="module 'bethink' has no attribute 'recal'"):
        _ = bethink.recal  # type: ignore[attr-defined]
    with pytest.raises(ImportError, match="cannot import name 'SQLStore'"):
        exec("from bethink.stores import SQLStore", {})


def test_errors_have_codes_of_their_own() -> None:
    kinds = [
        kind
        for kind in vars(errors).values()
        if isinstance(kind, type) and issubclass(kind, errors.BethinkError)
    ]
    assert len({kind.code for kind in kinds}) == len(kinds)
    assert all(1 <= kind.exit_code <= 7 for kind in kinds)
    assert all(kind.__name__ in (errors.__doc__ or "") for kind in kinds)
    names = {kind.__name__ for kind in kinds}
    assert names == set(errors.__all__) - {"DISTRIBUTION"}
    assert names <= set(bethink.__all__)


# Without extras

_BARE = """
import importlib.abc, sys

MISSING = {"pydantic", "psycopg", "qdrant_client", "fastapi", "starlette", "mcp"}

class Nothing(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path, target=None):
        if name.partition(".")[0] in MISSING:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Nothing())
"""


def _bare(program: str) -> str:
    """Run a program as if only the package itself were installed."""
    done = subprocess.run(
        [sys.executable, "-c", _BARE + program], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_without_an_extra_its_names_say_what_to_install() -> None:
    told = _bare("""
from bethink import MissingExtra
for package, name in (
    ("bethink", "Story"), ("bethink.story", "Story"), ("bethink", "PostgresStore"),
    ("bethink.stores", "QdrantRetriever"), ("bethink.doors.http", "create_app"),
):
    try:
        exec(f"from {package} import {name}")
    except MissingExtra as e:
        print(e)
""")
    assert told.splitlines() == [
        "story memory needs an optional part: pip install 'bethink[story]'",
        "story memory needs an optional part: pip install 'bethink[story]'",
        "bethink.PostgresStore needs an optional part: pip install 'bethink[postgres]'",
        "bethink.stores.QdrantRetriever needs an optional part: pip install 'bethink[qdrant]'",
        "bethink.doors.http.create_app needs an optional part: pip install 'bethink[server]'",
    ]


def test_without_an_extra_a_star_leaves_its_names_out() -> None:
    told = _bare("""
from bethink import *
from bethink.stores import *
print(Engine.__name__, SQLiteStore.__name__, "Story" in dir(), "PostgresStore" in dir())
""")
    assert told.split() == ["Engine", "SQLiteStore", "False", "False"]


# A cold start

_LOADED = """
import json, sys
before = set(sys.modules)
{program}
print()
print(json.dumps(sorted(set(sys.modules) - before)))
"""


def _loaded(program: str, folder: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", _LOADED.format(program=program)],
        capture_output=True, text=True, check=False, cwd=folder,
        env={**os.environ, "BETHINK_STORE": str(folder / "m.db"), "BETHINK_EMBEDDER": "none"},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    loaded: list[str] = json.loads(done.stdout.splitlines()[-1])
    return loaded


def _ours(loaded: list[str]) -> list[str]:
    return [name for name in loaded if name.partition(".")[0] == "bethink"]


def test_import_loads_next_to_nothing(tmp_path: Path) -> None:
    loaded = _loaded("import bethink", tmp_path)
    assert _ours(loaded) == ["bethink", "bethink.errors", "bethink.lazy_exports"]
    assert len(loaded) <= 50  # with the standard library's; it was 142 when it loaded the engine
    assert not {"numpy", "apsw", "rich", "argparse"} & set(loaded)


def test_a_recall_by_words_loads_no_more_than_it_did(tmp_path: Path) -> None:
    with bethink.Engine(tmp_path / "m.db", embedder="none") as engine:
        engine.remember("Mei prefers dark mode. 小美喜欢深色主题。")
    command = "from bethink.doors.cli.main import main; main(['recall', '--words', '深色'])"
    loaded = _loaded(command, tmp_path)
    assert "bethink.recall.pipeline" in loaded
    assert (
        len(_ours(loaded)) <= 132
    )  # four more than before: damage, own files, records, contradictions
    assert len(loaded) <= 205


# What messages say about installing


def test_only_one_place_knows_what_pip_calls_us() -> None:
    for path in SOURCE.rglob("*.py"):
        if path.name == "errors.py":
            continue
        for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
            assert "pip install" not in line or "bethink" not in line.split("pip install")[1], (
                f"{path}:{number}: take it from bethink.errors (UPGRADE, install_extra, …)"
            )
    assert errors.install_extra("mcp", "server") == "pip install 'bethink[mcp,server]'"
