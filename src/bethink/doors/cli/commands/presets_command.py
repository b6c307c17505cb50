from __future__ import annotations

import argparse

from bethink.doors.cli.session import Session
from bethink.recall.presets import PURPOSES


def add_arguments(parser: argparse.ArgumentParser) -> None:
    name = parser.add_argument(
        "name", nargs="?", metavar="NAME", help=f"one of {', '.join(PURPOSES)}; without it, all"
    )
    name.completer = lambda **_: list(PURPOSES)  # type: ignore[attr-defined]  # argcomplete's


def run(arguments: argparse.Namespace, session: Session) -> int:
    from bethink.recall.preset_outline import as_record, outline
    from bethink.recall.presets import PRESETS, preset_named

    chosen = [preset_named(arguments.name)] if arguments.name else list(PRESETS.values())
    if session.json:
        session.show({"presets": [as_record(preset) for preset in chosen]})
        return 0
    for preset in chosen:
        session.say(f"{preset.name}: {PURPOSES[preset.name]}")
        for line in outline(preset):
            session.say(f"  {line}")
    return 0
