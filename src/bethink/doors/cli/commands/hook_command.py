from __future__ import annotations

import argparse
import sys

from bethink.doors.cli.session import Session
from bethink.doors.hooks.events import HARNESSES, Event
from bethink.doors.hooks.guard import SECONDS, main

_EPILOG = """\
Agents call this; 'bethink install' writes the calls into their settings. It reads what the agent
tells as JSON from standard input and prints what the agent wants to hear, or nothing.

It always exits with 0, within a few seconds, whatever happens: an agent must not wait for its
memory, nor be stopped by it. Why it was silent stands in hooks.log in your data directory.

example, to see what Claude Code would be given:
  echo '{"prompt": "which theme does Mei like?"}' | bethink hook prompt --harness claude
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("event", metavar="EVENT", help=f"what happened: {', '.join(Event)}")
    parser.add_argument(
        "--harness", metavar="NAME", help=f"which agent calls: {', '.join(HARNESSES)}"
    )
    seconds = ", ".join(f"{event} {within:g}" for event, within in SECONDS.items())
    parser.add_argument(
        "--within", metavar="SECONDS", help=f"give up after this long (default: {seconds})"
    )


def run(arguments: argparse.Namespace, session: Session) -> int:
    """Seldom reached: `main` hands hooks over before anything is parsed, for parsing can fail."""
    return main(sys.argv[1:])
