from __future__ import annotations

import argparse
from string import hexdigits

from bethink.access.audit import audit_record
from bethink.access.reception import Reception
from bethink.checks import shown
from bethink.doors.cli.ids import one_of
from bethink.doors.cli.session import Session, padded
from bethink.errors import InvalidInput

_HASH_LETTERS = 64

_EPILOG = """\
examples:
  bethink audit                        what was done through keys, newest first
  bethink audit --tenant acme --action forget
  bethink audit --verify               is every row as it was written, and none missing?
  bethink audit --verify --head HASH   and is the row among them that you noted then?

Every write, decision and administrative act of a server is here, and every refused key or scope,
with ids and never with a text. Questions are not: they are events (bethink events).
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("--verify", action="store_true", help="check the whole chain")
    parser.add_argument("--head", metavar="HASH", help="with --verify: a hash noted before")
    parser.add_argument("--tenant", help="only of this tenant")
    parser.add_argument(
        "--key", metavar="ID", help="only by this key; the beginning of its id is enough"
    )
    parser.add_argument("--action", help="only this action, like forget")
    parser.add_argument("--before", type=int, metavar="NUMBER", help="go on before this row")
    parser.add_argument("--limit", type=int, default=50, help="how many (default 50)")


def run(arguments: argparse.Namespace, session: Session) -> int:
    with Reception(session.loaded.settings) as reception:
        if arguments.verify:
            return _verify(reception, arguments.head, session)
        rows = reception.audit.list(
            tenant=arguments.tenant,
            key_id=arguments.key and one_of(arguments.key, (k.id for k in reception.keys.list())),
            action=arguments.action,
            before=arguments.before,
            limit=arguments.limit,
        )
    if session.json:
        session.show_each(audit_record(row) for row in rows)
        return 0
    for row in rows:
        when = row.at.astimezone().strftime("%Y-%m-%d %H:%M:%S")
        who = row.key_id or "(no key)"
        about = " ".join(row.targets)
        session.say(
            f"{row.number:>6}  {when}  {padded(row.tenant, 10)} {who:<16} {row.door:<5} "
            f"{row.action:<16} {row.outcome:<14} {about}"
        )
    if not rows:
        session.say("nothing was noted yet")
    return 0


def _verify(reception: Reception, head: str | None, session: Session) -> int:
    broken = reception.audit.verify(head=None if head is None else _hash(head))
    newest = reception.audit.head()
    empty = not reception.audit.list(limit=1)
    if session.json:
        session.show(
            {"whole": broken is None, "head": newest}
            | ({} if broken is None else {"number": broken.number, "why": broken.why})
        )
    elif broken is None:
        session.say(
            "the trail is whole" if not empty else "nothing was noted yet: the trail is empty"
        )
        session.hint(f"note its newest hash elsewhere, for --head: {newest}")
    elif empty and head is not None:
        session.say(
            f"BROKEN: the trail is empty ({broken.why}). Either its rows were removed, or this is "
            "another store than the one where the hash was noted"
        )
    else:
        session.say(f"BROKEN at row {broken.number}: {broken.why}")
    return 0 if broken is None else 1


def _hash(head: str) -> str:
    """A slip of the hand is no broken trail."""
    told = head.strip().lower()
    if len(told) != _HASH_LETTERS or not set(told) <= set(hexdigits):
        raise InvalidInput(
            f"--head: {shown(head)} is no hash of the trail; expected the {_HASH_LETTERS} letters "
            "and digits that 'bethink audit --verify' shows"
        )
    return told
