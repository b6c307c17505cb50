from __future__ import annotations

import argparse

from bethink.doors.cli.session import Session

_EPILOG = """\
Without options: gives vectors to memories that have none, and changes over to the embedder that
the settings name. The old index goes on answering until the new one is complete. Stopped halfway,
it goes on where it stopped. Files of notebooks and sources are read again first, all of them.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--words", action="store_true", help="rebuild the words index instead")
    which.add_argument(
        "--files", action="store_true", help="rebuild the files beside the store instead"
    )
    which.add_argument(
        "--force", action="store_true", help="throw all vectors away and make them anew"
    )


def run(arguments: argparse.Namespace, session: Session) -> int:
    engine = session.engine
    if arguments.words:
        done, what = engine.rebuild_words(), "passages are in the words index"
    elif arguments.files:
        engine.rebuild_files()
        done, what = sum(i.passages for i in engine.spaces()), "passages are in sound files"
    else:
        with session.progress("embedding") as progress:
            done = engine.reindex(force=arguments.force, progress=progress)
        what = f"vectors were made by {engine.status().embedder}"
    if session.json:
        named = {"tenant": session.tenant or "default"}
        session.show({"done": done, "index": engine.status().indexed_by, **named})
    else:
        session.say(f"{done:,} {what}")
    session.mention_others("reindexed")
    return 0
