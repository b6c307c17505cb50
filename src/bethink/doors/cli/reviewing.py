"""What the commands share that look at offers and decide about them."""

from __future__ import annotations

import argparse
import getpass
from collections.abc import Sequence

from bethink.doors.cli.colour import identifier, state
from bethink.doors.cli.ids import offer_ids
from bethink.doors.cli.session import Session, clip
from bethink.records import offer_record
from bethink.vocabulary import Offer, Principal

_DOOR = "cli"


def add_who(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("--by", metavar="NAME", help=f"who {what} (default: your user name)")


def who(arguments: argparse.Namespace) -> Principal:
    """Trust comes from the setting `trusted` alone."""
    try:
        name = arguments.by or getpass.getuser()
    except (OSError, KeyError):  # a container without a user of that number
        name = "local"
    return Principal(name, _DOOR)


def add_deciding(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument(
        "ids",
        nargs="+",
        metavar="ID",
        help="as 'bethink quarantine' shows them, or their beginnings; '-' reads a pipe",
    )
    parser.add_argument("--reason", default="", help="why, for whoever looks later")
    add_who(parser, what)


def ids_of(arguments: argparse.Namespace, session: Session) -> list[str]:
    """Return the full ids of the offers that were named, or that a pipe brought."""
    if arguments.ids != ["-"]:
        return offer_ids(session.engine, arguments.ids)
    from bethink.doors.cli.inputs import piped

    return offer_ids(session.engine, piped().split())


def counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def show_offers(offers: Sequence[Offer], session: Session) -> None:
    if session.json:
        session.show_each(offer_record(offer) for offer in offers)
        return
    for offer in offers:
        decision = state(offer.decision.value)
        session.say(identifier(offer.id), "  ", decision, f": {offer.reason}")


def glimpse(text: str, columns: int) -> str:
    """One line. Of a longer text the beginning, the end and how long it is: what is hidden from
    whoever decides is best hidden at the end."""
    line = " ".join(text.split())
    if clip(line, columns) == line:
        return line
    head = clip(line, columns * 3 // 5)
    tail = clip(line[::-1], columns * 2 // 5)[::-1]
    return f"{head} {tail} ({len(text):,} characters)"


def when(offer: Offer) -> str:
    """Of what time it speaks, if it says so."""
    memory = offer.memory
    told = (
        ("happened", memory.occurred_at),
        ("from", memory.valid_from),
        ("until", memory.valid_to),
    )
    return ", ".join(f"{word} {moment:%Y-%m-%d}" for word, moment in told if moment is not None)


def say_offer(offer: Offer, session: Session, *, name_space: bool = False) -> None:
    """Three lines: whose it is, what it says, and what was decided."""
    marks = "".join(
        f"  [{mark}]"
        for mark in (
            f"risk {offer.risk:.2f}" if offer.risk else "",
            f"redacted: {', '.join(offer.redacted)}" if offer.redacted else "",
            "trusted" if offer.trusted else "",
            when(offer),
            offer.space if name_space else "",
        )
        if mark
    )
    day = offer.memory.created_at.astimezone().strftime("%Y-%m-%d %H:%M")
    session.say(identifier(offer.id), f"  {day}  {offer.by.name} ({offer.by.door}){marks}")
    session.say(f"    {glimpse(offer.memory.text, 90)}")
    session.say("    ", state(offer.decision.value), f": {offer.reason}")
