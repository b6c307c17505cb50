"""Over stdio: the memory of whoever started the process, without a key.

The agent waits for `initialize` and the list of tools before its first turn, so nothing is opened
before the first call: no store, no model. Only the protocol goes to standard output; while it is
served, whatever else is printed goes to standard error (the SDK sees to it).
"""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from bethink.access.caller import Caller, Scope
from bethink.checks import store_is_there
from bethink.errors import (
    BethinkError,
    Forbidden,
    InvalidInput,
    MissingExtra,
    StoreMissing,
)
from bethink.vocabulary import GLOBAL_SPACE

if TYPE_CHECKING:
    from bethink.access.desk import Desk
    from bethink.doors.mcp.tools import Tool
    from bethink.engine import Engine
    from bethink.settings import Settings

DOOR = "mcp"


def local_caller(*, spaces: Sequence[str] = (), read_only: bool = False) -> Caller:
    """Trust comes from the setting `trusted` alone, as on the command line."""
    import getpass

    from bethink.access.tenant_names import DEFAULT_TENANT

    try:
        name = getpass.getuser()
    except (OSError, KeyError):  # a container without a user of that number
        name = "local"
    return Caller(
        tenant=DEFAULT_TENANT,
        name=name,
        scopes=frozenset({Scope.READ}) if read_only else frozenset(Scope),
        door=DOOR,
        spaces=tuple(dict.fromkeys(spaces)) or None,
    )


def without_the_story(caller: Caller, story: str, default: str) -> Caller:
    """Who sees the caller's spaces but this one; of a caller who sees all, the default space."""
    seen = (default, GLOBAL_SPACE) if caller.spaces is None else caller.spaces
    left = tuple(dict.fromkeys(space for space in seen if space != story))
    if caller.spaces is None:
        left = left[:1]
    if not left:
        raise InvalidInput(
            f"with --chapter, {story} is seen through the tools of the story alone, and "
            "no space is left for the others; name one with --space"
        )
    return replace(caller, spaces=left)


class LocalDesks:
    def __init__(self, settings: Settings, caller: Caller) -> None:
        self._settings = settings
        self._caller = caller
        self._engine: Engine | None = None
        self._lock = threading.Lock()

    def caller(self, request: object) -> Caller:
        return self._caller

    @contextmanager
    def desk(self, caller: Caller, *, writes: bool) -> Iterator[Desk]:
        from bethink.access.desk import Desk

        try:
            yield Desk(self._opened(writes), caller)
        except BethinkError as e:
            e.args = (_without_a_key(e, caller),)
            raise

    def close(self) -> None:
        with self._lock:
            if self._engine is not None:
                self._engine.close()

    def _opened(self, writes: bool) -> Engine:
        from bethink.engine import Engine

        with self._lock:
            if self._engine is None:
                if not writes:
                    self._refuse_a_missing_store()
                self._engine = Engine(settings=self._settings)
            return self._engine

    def _refuse_a_missing_store(self) -> None:
        """Asking a store that is not there must not look like "nothing known"."""
        if self._settings.server is not None:  # it says itself when it is not there
            return
        path = self._settings.store_path
        if not store_is_there(path):
            raise StoreMissing(
                f"there is no memory at {path} yet (or it is empty): the first 'remember' creates "
                "it; if there should be one, check --store and BETHINK_STORE"
            )


def _without_a_key(error: BethinkError, caller: Caller) -> str:
    """A desk speaks to whoever has a key. Here nobody has one: what an agent may do was said when
    this was started."""
    if isinstance(error, Forbidden) and Scope.WRITE not in caller.scopes:
        return (
            "this agent only reads: 'bethink mcp' was started with --read-only; leave it out "
            "where the agent should write"
        )
    return str(error).replace("this key sees", "this agent sees")


def _refuse_a_place_for_no_store(settings: Settings) -> None:
    """What can be seen without opening anything. An agent shows little of an error in its first
    call, and whoever starts this by hand would see none."""
    path = settings.store_path
    if settings.server is None and (
        path.is_dir() or (settings.store and not path.parent.is_dir())  # our own place is made
    ):
        from bethink.stores.sqlite.connection import cannot_open

        raise cannot_open(path)


def serve_stdio(
    settings: Settings,
    caller: Caller,
    *,
    knowledge: str = "",
    story: str = "",
    chapter: int | None = None,
    scene: int | None = None,
) -> None:
    """Until standard input ends. With a knowledge base or a story, its tools too; of a story as of
    a scene, if one is named: then no other tool sees the story, for `recall` knows no scenes."""
    import gc
    import signal

    _refuse_a_place_for_no_store(settings)
    # A thread waits for standard input and cannot be called back: Ctrl+C would wait for it. What
    # was acknowledged is on disk.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # Of the many thousand objects that the SDK makes while it is loaded nearly all stay: looking
    # for garbage among them takes a sixth of the start.
    gc.disable()
    try:
        import anyio
        from mcp.server.stdio import stdio_server

        from bethink.doors.mcp.server import build_server
    except ModuleNotFoundError as e:
        raise MissingExtra("MCP", "mcp") from e
    finally:
        gc.freeze()
        gc.enable()
    writer = caller
    if story and chapter is not None:
        caller = without_the_story(caller, story, settings.space)
    desks = LocalDesks(settings, caller)
    more: tuple[Tool, ...] = ()
    if knowledge:
        from bethink.doors.mcp.knowledge import knowledge_tools

        more = knowledge_tools(knowledge)
    if story:
        from bethink.doors.mcp.stories import story_tools

        at = partial(desks.desk, writer, writes=False)
        more = (*more, *story_tools(story, chapter, scene, at=at))
    server = build_server(desks, more)

    async def serve() -> None:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())

    try:
        anyio.run(serve)
    finally:
        desks.close()
