"""The public names of a package, each loaded when it is first used (PEP 562).

A hook starts the program at every turn of an agent, so a package must not import all its modules to
export their names. A package's `__init__` names them three times, and `tests/test_public_names.py`
checks that the three agree:

    __all__ = ["PostgresStore", "Store"]

    if TYPE_CHECKING:  # what type checkers and editors read
        from bethink.stores.postgres.store import PostgresStore
        from bethink.stores.protocol import Store
    else:  # what runs
        __getattr__, __dir__ = lazy_exports(
            __name__,
            {"bethink.stores.postgres.store": "PostgresStore", "bethink.stores.protocol": "Store"},
            extras={"bethink.stores.postgres.store": "postgres"},
        )

`__getattr__` is hidden from type checkers on purpose: with it they would accept any name.

For a name that does not exist the error names the one that was probably meant, also if that is in
another package: `from bethink.stores import KnowledgeBase` says that it is in `bethink`. Plain
modules get the same by `no_such_name`, and objects for their attributes by `hinting`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Mapping
from importlib import import_module
from types import FrameType

from bethink.errors import MissingExtra

_EXPORTED: dict[str, Mapping[str, str]] = {}  # by package, as far as packages were imported


def lazy_exports(
    package: str, names: Mapping[str, str], *, extras: Mapping[str, str] | None = None
) -> tuple[Callable[[str], object], Callable[[], list[str]]]:
    """Return `__getattr__` and `__dir__` for a package that has set its `__all__`.

    `names` maps a module to the names that the package exports from it, separated by spaces.
    `extras` maps a module to the extra that it needs. Without that extra its names raise
    `MissingExtra`, and `from package import *` leaves them out.
    """
    module_of = {name: module for module, listed in names.items() for name in listed.split()}
    _EXPORTED[package] = module_of
    needs = extras or {}
    namespace = vars(sys.modules[package])
    # Removed from the module: `get` is then asked for it, and leaves out what cannot be loaded.
    declared: list[str] = namespace.pop("__all__") if needs else []

    def load(name: str) -> object:
        module = module_of[name]
        try:
            return getattr(import_module(module), name)
        except ModuleNotFoundError as error:
            if module not in needs or (error.name or "").startswith("bethink"):
                raise
            raise MissingExtra(f"{package}.{name}", needs[module]) from error

    def is_installed(name: str) -> bool:
        try:
            load(name)
        except MissingExtra:
            return False
        return True

    def get(name: str) -> object:
        if name == "__all__" and needs:
            return [n for n in declared if module_of.get(n) not in needs or is_installed(n)]
        if name not in module_of:
            raise no_such_name(package, name)
        value = namespace[name] = load(name)  # from now on found without this function
        return value

    def list_names() -> list[str]:
        return sorted({*namespace, *module_of, *declared})

    return get, list_names


# Names that people try, and what there is instead; names that are only misspelt need no entry.
_INSTEAD: Mapping[str, str] = {
    **dict.fromkeys(
        ("Bethink", "Client", "MemoryClient", "MemoryEngine", "connect", "open"),
        "open a memory with bethink.Engine(path)",
    ),
    "MemoryStore": "bethink.InMemoryStore keeps nothing on disk; bethink.Engine(path) is a memory",
    **dict.fromkeys(
        ("RedisStore", "RedisCache", "Redis"),
        "Redis stands beside a store and makes it faster: Engine(path, hot='redis://...')",
    ),
    **dict.fromkeys(
        ("QdrantStore", "ElasticStore", "ElasticsearchStore"),
        "it stands beside a store: bethink.stores.QdrantRetriever or ElasticRetriever in a "
        "bethink.CompositeStore",
    ),
    **dict.fromkeys(
        ("OpenAIEmbedder", "HTTPEmbedder", "HttpEmbedder", "RemoteEmbedder"),
        "it is bethink.embedders.OpenAICompatible",
    ),
    **dict.fromkeys(("OpenAILLM", "OpenAI", "ChatModel"), "it is bethink.llms.OpenAICompatibleLLM"),
    **dict.fromkeys(
        ("create_server", "make_server", "MCPServer", "create_mcp_server"),
        "bethink.doors.mcp.build_server is for MCP, bethink.create_app for REST",
    ),
    **dict.fromkeys(
        ("MemoryStorageNode", "MemoryStoreNode", "MemoryWriteNode", "storage_node"),
        "a workflow offers what it made: bethink.workflow.offering_node(engine, takes='output')",
    ),
    **dict.fromkeys(
        ("recall", "remember", "forget", "search"), "it is a method: Engine(path).recall(text) etc."
    ),
    **dict.fromkeys(("Config", "Configuration"), "it is bethink.Settings"),
    **dict.fromkeys(("Pipeline", "Recipe"), "a pipeline of stages is a bethink.Preset"),
    **dict.fromkeys(("ValidationError", "BadRequest"), "wrong input raises bethink.InvalidInput"),
    **dict.fromkeys(("app", "App", "Server", "serve"), "bethink.create_app(engine) makes the app"),
    "Document": "it is in bethink.knowledge; KnowledgeBase(engine, space).add(path) makes them",
}
_LEAST_HELD = 4  # letters; shorter names are held in too many others
_PACKAGES = (
    "bethink", "bethink.access", "bethink.doors.http", "bethink.doors.mcp", "bethink.embedders",
    "bethink.events", "bethink.formats", "bethink.knowledge", "bethink.llms", "bethink.notebook",
    "bethink.recall", "bethink.relocate", "bethink.remember", "bethink.rerankers", "bethink.stores",
    "bethink.story", "bethink.text", "bethink.tiers", "bethink.workflow",
)  # fmt: skip


def no_such_name(package: str, name: str) -> Exception:
    """Return the error for a name that a package or module lacks, with what to use instead.

    `from package import name` replaces an AttributeError by one of its own that says less, so it
    gets an ImportError. `hasattr` and `getattr` need the AttributeError.
    """
    if name.startswith("_"):
        return AttributeError(f"module {package!r} has no attribute {name!r}")
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_name in ("get", "__getattr__"):
        frame = frame.f_back
    of_package = hasattr(sys.modules[package], "__path__")
    asked_by = frame.f_globals.get("__name__")
    if not (asked_by == "importlib._bootstrap" if of_package else _imports(frame)):
        return AttributeError(
            f"module {package!r} has no attribute {name!r}{_advice(name, package)}"
        )
    from importlib.util import find_spec

    if of_package and find_spec(f"{package}.{name}") is not None:  # a module, imported next
        return AttributeError(name)
    return ImportError(
        f"cannot import name {name!r} from {package!r}{_advice(name, package)}", name=package
    )


def _imports(frame: FrameType) -> bool:
    """Return True if the frame is at `from module import name`."""
    from opcode import opmap

    return frame.f_code.co_code[frame.f_lasti] == opmap["IMPORT_FROM"]


def _advice(name: str, package: str) -> str:
    """Return `; what to do`, or nothing if no public name is like this one."""
    places: dict[str, str] = {}
    for place in (package, *_PACKAGES):
        module = import_module(place)
        for one in _EXPORTED.get(place) or module.__all__:
            places.setdefault(one, place)
    if name in places:
        return f"; it is in {places[name]}"
    if name in _INSTEAD:
        return f"; {_INSTEAD[name]}"
    said = [f"{places[one]}.{one}" for one in _alike(name, places)]
    return f"; did you mean {' or '.join(said)}?" if said else ""


def _alike(name: str, names: Iterable[str]) -> list[str]:
    """Return up to three names that are spelt nearly so, nearest first; if none is, those that
    hold this one or are held in it."""
    from difflib import SequenceMatcher, get_close_matches

    spelt = {one.lower().replace("_", ""): one for one in names}
    asked = name.lower().replace("_", "")
    near = get_close_matches(asked, spelt, n=3, cutoff=0.75)
    if not near:
        long = [one for one in spelt if min(len(one), len(asked)) >= _LEAST_HELD]
        near = [one for one in long if asked in one or one in asked]
        near.sort(key=lambda one: -SequenceMatcher(None, asked, one).ratio())
    return [spelt[one] for one in near[:3]]


def hinting(instead: Mapping[str, str]) -> Callable[[object, str], object]:
    """Return a `__getattr__` for a class, whose error says what to use.

    `instead` maps names that people try to what there is. Other names get the attributes that are
    spelt like them. Hide it from type checkers, which would accept any name.
    """

    def refuse(self: object, name: str) -> object:
        said = f"{type(self).__name__!r} object has no attribute {name!r}"
        if name in instead:
            said += f"; use {instead[name]}"
        elif not name.startswith("_"):
            near = _alike(name, [one for one in dir(type(self)) if one[0] != "_"])
            said += f"; did you mean {' or '.join(map(repr, near))}?" if near else ""
        raise AttributeError(said)

    return refuse
