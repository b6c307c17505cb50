from __future__ import annotations

import argparse
import os
from typing import TYPE_CHECKING, Any

from recollect.addresses import is_server, without_password
from recollect.doors.cli.session import Session

if TYPE_CHECKING:
    from recollect.relocate.proof import Proof

_EPILOG = """\
SRC and DST are files or addresses of servers:
  recollect move memory.db postgresql://recollect@db.example.org/memory
  recollect move postgresql://recollect@db.example.org/memory memory.db
  recollect move memory.db postgresql://recollect@db.example.org/memory --to-tenant 研发部
  recollect move --verify memory.db postgresql://recollect@db.example.org/memory

Everything goes over: memories with history, counters, times and provenance; vectors, so that
nothing is embedded anew; what waits for vectors; offers with every decision; working memory;
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
    parser.add_argument(
        "--tenant",
        default="default",
        metavar="NAME",
        help="the store of this tenant, on both sides",
    )
    parser.add_argument(
        "--to-tenant", metavar="NAME", help="of another tenant in DST, which is made if need be"
    )
    parser.add_argument(
        "--events", action="store_true", help="what happened too; its numbers are given anew"
    )
    parser.add_argument("--verify", action="store_true", help="compare the two and change nothing")


def run(arguments: argparse.Namespace, session: Session) -> int:
    from recollect.access.places import source_at, target_at
    from recollect.relocate.move import move, verify
    from recollect.relocate.proof import proof_record

    _mention_notebooks(arguments.source, session)
    there = arguments.to_tenant or arguments.tenant
    with source_at(arguments.source, arguments.tenant) as source:
        if arguments.verify:
            with (
                source_at(arguments.target, there) as target,
                session.progress("comparing") as progress,
            ):
                proof = verify(source, target, events=arguments.events, progress=progress)
            _tell(proof, proof_record(proof), session)
            return 0 if proof.holds else 1
        with (
            target_at(arguments.target, there) as target,
            session.progress("moving") as progress,
        ):
            done = move(source, target, events=arguments.events, progress=progress)
    record = {
        "source": _shown(arguments.source),
        "target": _shown(arguments.target),
        "carried": done.carried,
        "resumed": done.resumed,
        "rounds": done.rounds,
        **proof_record(done.proof),
    }
    if done.already:
        session.hint(
            "everything was there already, and nothing was changed"
            if done.proof.holds
            else "everything was there already, and nothing was changed; the target was used "
            "since: how often memories were read or told is further there"
        )
    if done.resumed:
        session.hint("went on where an earlier move stopped")
    if done.rounds > 1:
        session.hint("something was written meanwhile; what changed in the source was carried too")
    _tell(done.proof, record, session, moved=True)
    return 0


def _tell(proof: Proof, record: dict[str, Any], session: Session, *, moved: bool = False) -> None:
    if not proof.same_order and proof.holds:
        session.hint("what changed while it was carried stands last in the order told")
    for one in proof.parts:
        if one.only_there:
            session.hint(f"{one.only_there:,} {one.name} happened in the target only; they stay")
    if proof.damaged:
        session.hint(
            f"{len(proof.damaged)} memories of the source cannot be read any more: "
            f"{', '.join(proof.damaged[:10])}"
        )
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


def _mention_notebooks(place: str, session: Session) -> None:
    if not is_server(place) and os.path.exists(f"{place}.books/books.json"):
        session.hint(
            "this store has notebooks: their memories go over as plain ones, and the files stay "
            "with this store"
        )
