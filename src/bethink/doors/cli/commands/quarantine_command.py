from __future__ import annotations

import argparse

from bethink.doors.cli.ids import offer_ids
from bethink.doors.cli.reviewing import say_offer
from bethink.doors.cli.session import Session
from bethink.errors import no_such_offer
from bethink.recall.asking import space_names
from bethink.records import offer_record
from bethink.tiers.records import ruling_record
from bethink.vocabulary import Decision

_EPILOG = """\
examples:
  bethink quarantine                          everything that was offered, newest first
  bethink quarantine --decision held          what waits for you
  bethink quarantine ID                       one offer: its text, why, and every decision

Then: bethink promote ID, bethink reject ID, bethink restore ID, bethink undo ID
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument(
        "id", nargs="?", metavar="ID", help="show this one; its beginning is enough"
    )
    parser.add_argument("--space", action="append", help="of which space; may be repeated")
    parser.add_argument(
        "--decision",
        action="append",
        choices=[decision.value for decision in Decision],
        help="only these; may be repeated",
    )
    parser.add_argument("--limit", type=int, default=20, help="how many (default 20)")
    parser.add_argument("--cursor", help="go on where the last list ended")
    parser.add_argument("--oldest-first", action="store_true")


def run(arguments: argparse.Namespace, session: Session) -> int:
    if arguments.id is not None:
        return _one(offer_ids(session.engine, [arguments.id])[0], session)
    page = session.engine.tiers.quarantine(
        spaces=space_names(arguments.space, session.loaded.settings),
        decisions=arguments.decision,
        newest_first=not arguments.oldest_first,
        cursor=arguments.cursor,
        limit=arguments.limit,
    )
    if session.json:
        records = [offer_record(offer) for offer in page.offers]
        session.show({"offers": records, "cursor": page.cursor})
        return 0
    several = len({offer.space for offer in page.offers}) > 1
    for offer in page.offers:
        say_offer(offer, session, name_space=several)
    if not page.offers:
        session.say("nothing was offered here, or nothing that was decided so")
    if page.cursor is not None:
        session.hint(f"there is more: --cursor {page.cursor}")
    return 0


def _one(offer_id: str, session: Session) -> int:
    tiers = session.engine.tiers
    offer = tiers.get(offer_id)
    if offer is None:
        raise no_such_offer(offer_id)
    rulings = tiers.rulings(offer_id)
    if session.json:
        session.show({**offer_record(offer), "rulings": [ruling_record(r) for r in rulings]})
        return 0
    session.say(offer.memory.text)
    session.say()
    for name, value in offer_record(offer).items():
        if name != "text" and value not in (None, "", [], {}):
            told = "; ".join(map(str, value)) if isinstance(value, list) else value
            session.say(f"{name:>14}  {told}")
    session.say()
    for ruling in rulings:
        when = ruling.at.astimezone().strftime("%Y-%m-%d %H:%M:%S")
        session.say(f"  {when}  {ruling.decision.value} by {ruling.by}: {ruling.reason}")
    return 0
