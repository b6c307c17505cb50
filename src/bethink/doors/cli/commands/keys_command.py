from __future__ import annotations

import argparse
from datetime import datetime

from bethink.access.caller import Scope
from bethink.access.keys import KeyRecord, key_record
from bethink.access.reception import Reception
from bethink.doors.cli.colour import identifier, state
from bethink.doors.cli.ids import one_of
from bethink.doors.cli.session import Session
from bethink.errors import InvalidInput

_EPILOG = """\
examples:
  bethink keys create ci --scope read                          may ask, and nothing else
  bethink keys create mei --scope write --scope review         may tell, offer and decide
  bethink keys create 小美 --scope read --space 项目 --expires 2027-01-01
  bethink keys list
  bethink keys revoke 3f9a1c0de4b27a55

scopes: read (ask), offer (into quarantine only), write (tell, change, forget; offer too), review
(decide about offers), admin (all of it, with settings, import and export).

A key is shown once, when it is made; only a hash of it is kept. What it may do and see is fixed:
make another and revoke the first to change that. A revoked key is refused from the next request on.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("what", choices=["create", "list", "revoke"])
    parser.add_argument(
        "name",
        nargs="?",
        metavar="NAME",
        help="whose key, or (revoke) its id or the beginning of it",
    )
    parser.add_argument(
        "--scope",
        action="append",
        choices=[scope.value for scope in Scope],
        help="what it may do; may be repeated",
    )
    parser.add_argument("--space", action="append", help="only this space; may be repeated")
    parser.add_argument("--tenant", help="of which tenant (default: default; list: all)")
    parser.add_argument(
        "--trusted", action="store_true", help="what its holder offers may be promoted by rule"
    )
    parser.add_argument("--expires", metavar="DATE", help="until when it holds, like 2027-01-01")
    parser.add_argument("--per-minute", type=int, metavar="N", help="requests (default 600)")


def run(arguments: argparse.Namespace, session: Session) -> int:
    with Reception(session.loaded.settings) as reception:
        if arguments.what == "list":
            return _list(reception, arguments.tenant, session)
        if arguments.name is None:
            what = "NAME --scope read" if arguments.what == "create" else "ID"
            raise InvalidInput(f"whose? say: bethink keys {arguments.what} {what}")
        if arguments.what == "revoke":
            known = (record.id for record in reception.keys.list())
            record = reception.revoke_key(one_of(arguments.name, known))
            if session.json:
                session.show(key_record(record))
            else:
                session.say(f"{record.id} ({record.name}) is refused from now on")
            return 0
        return _create(reception, arguments, session)


def _create(reception: Reception, arguments: argparse.Namespace, session: Session) -> int:
    if not arguments.scope:
        known = ", ".join(scope.value for scope in Scope)
        raise InvalidInput(f"what may it do? give at least one --scope; known: {known}")
    made = reception.create_key(
        name=arguments.name,
        tenant=arguments.tenant or "default",
        scopes=arguments.scope,
        spaces=arguments.space,
        trusted=arguments.trusted,
        expires_at=arguments.expires,
        per_minute=arguments.per_minute,
    )
    if session.json:
        session.show({"key": made.key, **key_record(made.record)})
        return 0
    session.say(made.key)
    session.hint("this is the only time that it is shown; keep it where secrets are kept")
    session.hint(_said(made.record))
    return 0


def _list(reception: Reception, tenant: str | None, session: Session) -> int:
    records = reception.keys.list(tenant)
    if session.json:
        session.show_each(key_record(record) for record in records)
        return 0
    now = reception.clock()
    for record in records:
        ended = "" if record.holds(now) else "  REVOKED" if record.revoked_at else "  EXPIRED"
        session.say(identifier(record.id), f"  {record.name}", state(ended))
        session.say(f"    {_said(record)}")
    if not records:
        session.say("there are no keys; 'bethink keys create NAME --scope read' makes one")
    return 0


def _said(record: KeyRecord) -> str:
    """What a key may do, in one line."""
    parts = [
        "may " + ", ".join(scope.value for scope in record.scopes),
        "in every space" if record.spaces is None else f"in {', '.join(record.spaces)}",
        f"of tenant {record.tenant}",
    ]
    if record.trusted:
        parts.append("is trusted")
    if record.per_minute is not None:
        parts.append(f"{record.per_minute} requests a minute")
    if record.expires_at is not None:
        parts.append(f"until {_moment(record.expires_at)}")
    if record.last_used_at is not None:
        parts.append(f"last used about {_moment(record.last_used_at)}")
    return "; ".join(parts)


def _moment(moment: datetime) -> str:
    return moment.astimezone().strftime("%Y-%m-%d %H:%M")
