from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, cast

from bethink.doors.cli.colour import diff_line, state
from bethink.doors.cli.session import Session
from bethink.doors.hooks.events import HARNESSES, harness_named
from bethink.doors.hooks.installing import BACKUP

if TYPE_CHECKING:
    from bethink.doors.hooks.calls import Calls
    from bethink.doors.hooks.changes import Change
    from bethink.doors.hooks.installing import Installable, Place

_EPILOG = """\
Adds hooks (a primer when a session starts, memories beside a prompt, what was learned when a turn
ends) and a skill to the agent's own settings, and prints one line for each file. What is there
stays, character by character; a file is copied once, as NAME.before-bethink; running it again
changes nothing. All files are written or none. --store and --embedder are written into the calls of
the hooks, and stay there until you say otherwise. 'bethink uninstall' takes out what is ours.

examples:
  bethink install claude --dry-run          show which files would change
  bethink install claude --dry-run --diff   show every line that would change
  bethink install claude                    for you, in every project
  bethink install codex --embedder none     hooks that look by words alone, which is faster
  bethink install cursor --project          for this project; the files are usually committed
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("agent", choices=HARNESSES, help="which agent")
    add_place(parser)


def add_place(parser: argparse.ArgumentParser) -> None:
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--user", action="store_true", help="for you, everywhere (the default)")
    where.add_argument("--project", action="store_true", help="for the project in this directory")
    parser.add_argument(
        "--dry-run", action="store_true", help="show what would change and change nothing"
    )
    parser.add_argument("--diff", action="store_true", help="show every changed line of the files")


def chosen(arguments: argparse.Namespace) -> tuple[Installable, Place]:
    from bethink.doors.hooks.installing import Place

    agent = cast("Installable", harness_named(arguments.agent))
    return agent, Place(Path.home(), Path.cwd() if arguments.project else None)


def run(arguments: argparse.Namespace, session: Session) -> int:
    from bethink.doors.hooks.calls import calls_for
    from bethink.doors.hooks.changes import apply, to_install

    agent, place = chosen(arguments)
    project = place.project is not None
    calls = calls_for(project=project, store=arguments.store, embedder=arguments.embedder)
    place = place._replace(calls=calls)
    changes = to_install(agent.steps(place))
    if not arguments.dry_run:
        apply(changes)
    advice = [*agent.advice(place), *(_of_sharing(calls) if project else [])]
    report(session, changes, dry=arguments.dry_run, diff=arguments.diff, advice=advice)
    return 0


def _of_sharing(calls: Calls) -> list[str]:
    """What is not so on every machine that a project's files come to."""
    import os
    import shutil

    told = []
    if shutil.which("bethink") is None:
        told.append(
            "'bethink' is not on your PATH, and the project's files call it by that name: the "
            "hooks fail until it is there; installed with 'uv tool' or 'pipx', it is"
        )
    if os.path.isabs(dict(calls.options).get("store", "")):
        told.append("the calls name a store by a path of this machine; others will not have it")
    return told


def _what(path: Path) -> str:
    """Say what of ours is in a file that `install` writes."""
    if path.name == "SKILL.md":
        return "the skill"
    if path.suffix == ".mdc":
        return "the rules"
    return "the plugin" if "openclaw" in path.name or "extensions" in path.parts else "the hooks"


def report(
    session: Session,
    changes: list[Change],
    *,
    dry: bool,
    diff: bool,
    advice: list[str] | None = None,
) -> None:
    """Print one line for each file; with `diff`, the changed lines before."""
    if session.json:
        files = [
            {"path": str(c.path), "action": c.action, "diff": c.diff(), "note": c.note}
            for c in changes
        ]
        session.show({"files": files, "dry_run": dry, "next": advice or []})
        return
    changed = [change for change in changes if change.action != "unchanged"]
    for change in changed if diff else []:
        for line in change.diff().split("\n"):
            session.say(diff_line(line))
    for change in changes:
        notes = [change.note] if change.note else []
        if change.backup and not dry:
            notes.append(f"the file as it was: {change.path.name}{BACKUP}")
        told = f" ({'; '.join(notes)})" if notes else ""
        action = f"would be {change.action}" if dry and change in changed else change.action
        session.say(
            state(f"{action:<{16 if dry else 9}}"), f" {_what(change.path):<10} {change.path}{told}"
        )
    if dry:
        more = "" if diff or not changed else " --diff shows every line."
        session.say(f"Nothing was written: this was a dry run.{more}")
    elif not changed:
        session.say("Everything was in place already." if advice else "Nothing of ours was there.")
    for line in advice or []:
        session.hint(line)
