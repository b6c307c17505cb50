from __future__ import annotations

import argparse
import os
from shlex import quote
from typing import TYPE_CHECKING, Any

from bethink.access.tenant_names import DEFAULT_TENANT
from bethink.addresses import is_server, without_password
from bethink.doors.cli.session import Session, some
from bethink.errors import (
    BethinkError,
    Conflict,
    InvalidInput,
    NotFound,
    StoreBusy,
    StoreCorrupt,
    StoreMissing,
)

if TYPE_CHECKING:
    from bethink.relocate.move import Moved
    from bethink.relocate.proof import Proof
    from bethink.stores.protocol import Store

_EPILOG = """\
SRC and DST are files or addresses of servers:
  bethink move memory.db postgresql://bethink@db.example.org/memory
  bethink move memory.db postgresql://bethink@db.example.org/memory --all-tenants
  bethink move postgresql://bethink@db.example.org/memory memory.db
  bethink move memory.db postgresql://bethink@db.example.org/memory --to-tenant 研发部
  bethink move --verify memory.db postgresql://bethink@db.example.org/memory
a tenant of a server as a file of its own:
  bethink move postgresql://bethink@db/memory acme.db --tenant acme --to-tenant default

Of a store with tenants only 'default' goes over, or the one that --tenant names, and those left
behind are named at the end; --all-tenants takes every one.

Everything of a tenant goes over: memories with history, counters, times and provenance; vectors, so
that nothing is embedded anew; what waits for vectors; offers with every decision; working memory;
settings of spaces. Not the keys and the audit trail of a server, and not notebooks, whose truth is
in their files.

SRC is only read. DST must be empty. Stopped at any moment, the same command goes on. At the end
both are read whole and compared, by counts and digests; only then it is done. What is written to
SRC meanwhile is carried too, if that comes to an end.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("source", metavar="SRC")
    parser.add_argument("target", metavar="DST")
    which = parser.add_mutually_exclusive_group()
    which.add_argument(
        "--tenant",
        default=DEFAULT_TENANT,
        metavar="NAME",
        help="the store of this tenant, on both sides (default: default)",
    )
    which.add_argument(
        "--all-tenants", action="store_true", help="of every tenant, on both sides, one by one"
    )
    parser.add_argument(
        "--to-tenant",
        metavar="NAME",
        help="of another tenant in DST, which is made if need be; 'default' is DST itself",
    )
    parser.add_argument(
        "--events", action="store_true", help="what happened too; its numbers are given anew"
    )
    parser.add_argument("--verify", action="store_true", help="compare the two and change nothing")


def run(arguments: argparse.Namespace, session: Session) -> int:
    if arguments.all_tenants:
        return _move_all(arguments, session)
    there = arguments.to_tenant or arguments.tenant
    done = _done(arguments, session, arguments.tenant, there)
    left = [one for one in _tenants(arguments.source) if one != arguments.tenant]
    opened = _opened(arguments, there)
    record = {**_record(done), "tenant": arguments.tenant, "left_behind": left}
    if not arguments.verify:
        record = {**_places(arguments), **record, "open": opened}
    _hint(done, session)
    _tell(done.proof, record, session, moved=not arguments.verify)
    if not session.json:
        if not arguments.verify:
            session.say(f"look at it with: {opened}")
        if left:
            way = "compared" if arguments.verify else "moved"
            session.say(
                f"only the tenant {arguments.tenant} was {way}; LEFT BEHIND: {some(left)}. All of "
                f"them: {_everyone(arguments, there)}"
            )
    return 0 if done.proof.holds or not arguments.verify else 1


_OF_ONE = (Conflict, NotFound, StoreBusy, StoreCorrupt, StoreMissing)  # others can go on


def _move_all(arguments: argparse.Namespace, session: Session) -> int:
    """One after the other. What stands in the way of one tenant holds up no other."""
    if arguments.to_tenant is not None:
        raise InvalidInput("--all-tenants keeps their names; leave out --to-tenant")
    tenants = _tenants(arguments.source) or [DEFAULT_TENANT]
    done: dict[str, Moved] = {}
    failed: dict[str, BethinkError] = {}
    for tenant in tenants:
        try:
            done[tenant] = _done(arguments, session, tenant, tenant)
            _hint(done[tenant], session, f"{tenant}: ")
        except _OF_ONE as e:
            failed[tenant] = type(e)(f"the tenant {tenant!r}: {e}")
            session.fail(failed[tenant])
        except BethinkError:
            session.hint(f"stopped at the tenant {tenant!r}; {len(done)} of {len(tenants)} done")
            raise
    same = not failed and all(one.proof.holds for one in done.values())
    if session.json:
        records = {tenant: _record(one) for tenant, one in done.items()}
        errors = {t: {"error": {"code": e.code, "message": str(e)}} for t, e in failed.items()}
        told = {"same": same, "tenants": {t: {**records, **errors}[t] for t in tenants}}
        session.show({**_places(arguments), **told, "open": _opened(arguments, DEFAULT_TENANT)})
    else:
        for tenant in tenants:
            session.say(_verdict(tenant, done.get(tenant)))
        memories = sum(one.proof.memories for one in done.values())
        session.say(f"{len(done)} of {len(tenants)} tenants, {memories:,} memories")
        if not arguments.verify:
            session.say(f"look at them with: {_opened(arguments, DEFAULT_TENANT)} --tenant NAME")
    if arguments.verify:
        return 0 if same else 1
    return next((e.exit_code for e in failed.values()), 0)


def _verdict(tenant: str, done: Moved | None) -> str:
    if done is None:
        return f"FAILED   {'':>10}  {tenant}"
    proof = done.proof
    mark = "same" if proof.holds else "COUNTERS" if proof.holds_uncounted else "DIFFERS"
    differing = "" if proof.holds else f": {', '.join(proof.differing)}"
    return f"{mark:<8} {proof.memories:>10,}  {tenant}{differing}"


def _done(arguments: argparse.Namespace, session: Session, tenant: str, there: str) -> Moved:
    """One tenant's store, moved or only compared."""
    from bethink.access.places import source_at, target_at
    from bethink.relocate.move import Moved, move, refuse_a_part, verify

    named = f" {tenant}" if arguments.all_tenants else ""
    with source_at(arguments.source, tenant) as source:
        if arguments.verify:
            with (
                source_at(arguments.target, there) as target,
                session.progress(f"comparing{named}") as progress,
            ):
                proof = verify(source, target, events=arguments.events, progress=progress)
            return Moved(proof, 0, False, 0)
        _mention_notebooks(source, session)
        refuse_a_part(source)  # before there is a target
        with (
            target_at(arguments.target, there) as target,
            session.progress(f"moving{named}") as progress,
        ):
            return move(source, target, events=arguments.events, progress=progress)


def _tenants(place: str) -> list[str]:
    from bethink.access.places import tenants_at
    from bethink.settings import Settings

    return tenants_at(Settings(store=place))


def _places(arguments: argparse.Namespace) -> dict[str, Any]:
    return {"source": _shown(arguments.source), "target": _shown(arguments.target)}


def _record(done: Moved) -> dict[str, Any]:
    from bethink.relocate.proof import proof_record

    if not done.rounds:  # only compared
        return proof_record(done.proof)
    return {
        "carried": done.carried,
        "resumed": done.resumed,
        "rounds": done.rounds,
        **proof_record(done.proof),
    }


def _opened(arguments: argparse.Namespace, tenant: str) -> str:
    """The command that looks at what was made."""
    of = "" if tenant == DEFAULT_TENANT else f" --tenant {tenant}"
    return f"bethink status --store {quote(_shown(arguments.target))}{of}"


def _everyone(arguments: argparse.Namespace, there: str) -> str:
    """The command that carries every tenant. Where one was given another name, the target may be
    none for the rest."""
    target = quote(_shown(arguments.target)) if there == arguments.tenant else "DST"
    more = "".join(f" {o}" for o in ("--verify", "--events") if getattr(arguments, o[2:]))
    return f"bethink move {quote(_shown(arguments.source))} {target} --all-tenants{more}"


def _hint(done: Moved, session: Session, who: str = "") -> None:
    """What is worth knowing beside the verdict."""
    if done.already:
        session.hint(
            f"{who}everything was there already, and nothing was changed"
            if done.proof.holds
            else f"{who}everything was there already, and nothing was changed; the target was used "
            "since: how often memories were read or told is further there"
        )
    if done.resumed:
        session.hint(f"{who}went on where an earlier move stopped")
    if done.rounds > 1:
        session.hint(
            f"{who}something was written meanwhile; what changed in the source was carried too"
        )
    proof = done.proof
    if not proof.same_order and proof.holds:
        session.hint(f"{who}what changed while it was carried stands last in the order told")
    for one in proof.parts:
        if one.only_there:
            session.hint(
                f"{who}{one.only_there:,} {one.name} happened in the target only; they stay"
            )
    if proof.damaged:
        session.hint(
            f"{who}{len(proof.damaged)} memories of the source cannot be read any more: "
            f"{', '.join(proof.damaged[:10])}"
        )


def _tell(proof: Proof, record: dict[str, Any], session: Session, *, moved: bool = False) -> None:
    if session.json:
        session.show(record)
        return
    for one in (*proof.spaces, *proof.parts):
        mark = "same" if one.same else "COUNTERS" if one.same_uncounted else "DIFFERS"
        session.say(f"{mark:<8} {one.source.number:>10,} {one.in_target:>10,}  {one.name}")
    if proof.holds:
        session.say(f"{proof.memories:,} memories, the same on both sides")
    elif moved:
        session.say(
            f"{proof.memories:,} memories, the same on both sides but for how often they were read "
            "or told"
        )
    else:
        session.say(f"not the same: {', '.join(proof.differing)}")


def _shown(place: str) -> str:
    return without_password(place) if is_server(place) else place


def _mention_notebooks(source: Store, session: Session) -> None:
    place = getattr(source, "path", None)
    if place is not None and os.path.exists(f"{place}.books/books.json"):
        session.hint(
            f"{place} has notebooks: their memories go over as plain ones, and the files stay with "
            "this store"
        )
