from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from bethink.checks import check_space
from bethink.doors.cli.reviewing import glimpse, when
from bethink.doors.cli.session import Session
from bethink.remember.transfer import receipt_record
from bethink.tiers.records import digest_record

if TYPE_CHECKING:
    from bethink.tiers.digest import Proposal

_OTHERS = 5  # ids on a line
_EPILOG = """\
The same things stand together, those that the rules speak for come first, and what long-term memory
says about them is shown with each. The rules: somebody in the setting 'trusted' said it, so many
independent sources did (promote_sources), or so many told it, each on their own (promote_told).

  bethink digest --apply       promote what the rules speak for, unless it is disputed
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("--space", help="of which space (default: the setting 'space')")
    parser.add_argument("--apply", action="store_true", help="promote what is proposed")


def run(arguments: argparse.Namespace, session: Session) -> int:
    space = check_space(arguments.space or session.loaded.settings.space)
    tiers = session.engine.tiers
    if arguments.apply:
        receipts = tiers.promote_by_rules(space)
        if session.json:
            session.show({"space": space, "promoted": [receipt_record(r) for r in receipts]})
        else:
            session.say(f"{len(receipts):,} promoted; 'bethink undo ID' takes one back")
            for receipt in receipts:
                session.say(f"  {receipt.id}  {receipt.action.value}")
        return 0
    digest = tiers.digest(space)
    if session.json:
        session.show(digest_record(digest))
        return 0
    if not digest.proposals:
        session.say(f"nothing waits in {space}")
    for proposal in digest.proposals:
        _say(proposal, session)
    if digest.left_out:
        session.hint(f"only the newest {digest.waiting} were looked at; decide, then ask again")
    return 0


def _say(proposal: Proposal, session: Session) -> None:
    mark = "promote" if proposal.promote else "look   "
    more = f" (+{len(proposal.offers) - 1} that say the same)" if len(proposal.offers) > 1 else ""
    first = proposal.offers[0]
    time = f"  [{when(first)}]" if when(first) else ""
    session.say(f"{mark}  {proposal.id}  {glimpse(first.memory.text, 72)}{time}{more}")
    session.say(f"         {'; '.join(proposal.reasons)}")
    others = [offer.id for offer in proposal.offers[1:]]
    if others:
        left = f" and {len(others) - _OTHERS} more" if len(others) > _OTHERS else ""
        session.say(f"         with {' '.join(others[:_OTHERS])}{left}")
    for beside in proposal.conflicts:
        session.say(
            f"         {beside.verdict.value} ({beside.why}): {beside.id}  "
            f"{glimpse(beside.text, 60)}"
        )
