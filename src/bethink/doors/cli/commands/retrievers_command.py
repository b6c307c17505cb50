from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from bethink.doors.cli.session import Session
from bethink.errors import InvalidInput, NotFound

_EPILOG = """\
examples:
  bethink retrievers list
  bethink retrievers let-go qdrant://KEY@vectors.example:6333/memories
  bethink retrievers let-go "qdrant vectors.example:6333/memories" --keep-copies

The setting 'retrievers' names the engines that find beside the store. One that you take out of it
must be let go as well: until then the store keeps for it what changed. With its address, its copies
are erased there first, those of every tenant too. One that is gone for good, or whose copies you
erase yourself, is let go by its name; what you forget from then on stays in such copies.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("what", choices=["list", "let-go"], nargs="?", default="list")
    parser.add_argument("which", nargs="?", metavar="ADDRESS or NAME")
    parser.add_argument(
        "--keep-copies", action="store_true", help="leave what it holds; it is not asked anything"
    )
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(arguments: argparse.Namespace, session: Session) -> int:
    if arguments.what == "list":
        return _list(session)
    if not arguments.which:
        raise InvalidInput("which? say: bethink retrievers let-go ADDRESS")
    return _let_go(arguments.which, session, keep_copies=arguments.keep_copies)


class _Listed(NamedTuple):
    name: str
    used: bool
    state: str


def _listed(session: Session) -> Iterator[_Listed]:
    from bethink.stores.composite import CompositeStore
    from bethink.stores.retrievers import KeepsChanges

    store = session.engine.store
    if isinstance(store, CompositeStore):
        yield from (_Listed(name, True, state) for name, state in store.states().items())
        unused = store.unused()
    else:
        unused = list(store.feed().followers()) if isinstance(store, KeepsChanges) else []
    for name in unused:
        yield _Listed(name, False, "not in the setting; what changed is kept for it")


def _list(session: Session) -> int:
    found = list(_listed(session))
    if session.json:
        session.show_each(one._asdict() for one in found)
        return 0
    for one in found:
        session.say(f"{one.name:<40} {one.state}")
    if not found:
        session.say("none; the store finds by itself")
    return 0


def _let_go(which: str, session: Session, *, keep_copies: bool) -> int:
    from bethink.access.reception import Reception
    from bethink.access.tenant_names import DEFAULT_TENANT
    from bethink.beside import erase_copies
    from bethink.stores.retriever_address import of_tenant, parse_address
    from bethink.stores.retrievers import KeepsChanges

    settings = session.loaded.settings
    address = which if "://" in which else ""
    name = parse_address(address).name if address else which
    if name in (parse_address(one).name for one in settings.retrievers):
        raise InvalidInput(f"{name} is in use; take it out of the setting 'retrievers' first")
    if not (address or keep_copies):
        raise InvalidInput(
            "its copies can be erased by its address alone: name that, or say --keep-copies"
        )
    session.confirm(f"Let go of {name}?")
    followed: list[str] = []
    with Reception(replace(settings, retrievers=())) as reception:
        for tenant in reception.tenants.list():
            own = address if tenant == DEFAULT_TENANT or not address else of_tenant(address, tenant)
            called = parse_address(own).name if own else name
            with reception.tenants.engine(tenant) as engine:
                store = engine.store
                if not isinstance(store, KeepsChanges) or called not in store.feed().followers():
                    continue
                if own and not keep_copies:
                    erase_copies([own])
                store.feed().unfollow(called)
                followed.append(tenant)
    if not followed:
        raise NotFound(f"nothing is kept for {name}; 'bethink retrievers list' shows for whom")
    if session.json:
        session.show({"name": name, "tenants": followed, "erased": not keep_copies})
    else:
        left = "its copies are still there" if keep_copies else "its copies are erased"
        session.say(f"{name} is let go; {left}")
    return 0
