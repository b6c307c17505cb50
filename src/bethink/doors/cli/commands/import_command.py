from __future__ import annotations

import argparse
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bethink.doors.cli.session import Session
from bethink.errors import InvalidInput

if TYPE_CHECKING:
    from bethink.engine import Engine
    from bethink.formats.take_in import ImportReport

_EPILOG = """\
formats (found out by looking, unless you say which):
  bethink            what 'bethink export' wrote, JSON lines
  bethink-markdown   what 'bethink export --format markdown' wrote
  markdown             any folder or file of Markdown, by sections
  claude               CLAUDE.md, .claude/rules and the memory folders of Claude Code
  mem0                 what mem0's get_all or export gave, as JSON
  langgraph            items of a LangGraph store, or states of threads, as JSON
  chat                 messages with roles: JSON lines, transcripts of Claude Code, exports of chats

examples:
  bethink import ~/notes --space notes --dry-run
  bethink import CLAUDE.md --space project
  bethink import CLAUDE.md --space project --update
  bethink import mem0.json --map alice=mei --map 'team-*=work'
  bethink import conversations.json --space chats

What is here already stays as it is, so importing twice does no harm. What the source has changed
since is named; --update revises it, and keeps its history. One bad record stops nothing; the answer
names it.
"""
_SHOWN = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    from bethink.formats.names import FORMATS

    parser.epilog = _EPILOG
    parser.add_argument("path", metavar="PATH", help="a file or folder; '-' reads a pipe")
    parser.add_argument("--format", choices=FORMATS, default="auto", help="what it is")
    parser.add_argument("--space", help="where it goes (default: the setting 'space')")
    parser.add_argument(
        "--map",
        action="append",
        metavar="OWNER=SPACE",
        help="where the memories of a user, namespace or space of the source go; may be repeated",
    )
    parser.add_argument(
        "--own-spaces", action="store_true", help="give every owner a space of that name"
    )
    parser.add_argument(
        "--update", action="store_true", help="revise what the source has changed since"
    )
    parser.add_argument("--dry-run", action="store_true", help="say what would be taken; take none")


def run(arguments: argparse.Namespace, session: Session) -> int:
    with _as_file(arguments.path) as path, session.progress("importing") as progress:
        report = _engine(arguments, session).import_from(
            path,
            format=arguments.format,
            space=arguments.space,
            spaces=_mapping(arguments.map),
            own_spaces=arguments.own_spaces,
            dry_run=arguments.dry_run,
            update=arguments.update,
            progress=progress,
        )
    if session.json:
        session.show(_record(report))
    else:
        for line in _lines(report):
            session.say(line)
    for failed in report.failed[:_SHOWN]:
        session.hint(f"{failed.place}: {failed.why}")
    if report.failures > _SHOWN:
        session.hint(f"and {report.failures - _SHOWN:,} more; --json lists them")
    if report.differing and report.fates.get("conflict"):
        some = ", ".join(report.differing[:5]) + (", …" if len(report.differing) > 5 else "")
        session.hint(
            f"here with another text, kind or space, and stays as it is: {some}; --update revises "
            "it, and keeps its history"
        )
    if not report.dry_run:
        session.mention_move()
    return 2 if report.failures else 0


def _engine(arguments: argparse.Namespace, session: Session) -> Engine:
    settings = session.loaded.settings
    there = settings.server is not None or session.tenant is not None
    if arguments.dry_run and not there and not settings.store_path.exists():
        # a look must not leave a store behind
        from bethink.engine import Engine

        return Engine.in_memory(settings=settings, embedder="none")
    return session.engine


def _mapping(pairs: list[str] | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for pair in pairs or []:
        owner, equals, space = pair.rpartition("=")  # a space has no '=', an owner may
        if not equals or not space:
            raise InvalidInput(f"--map: expected OWNER=SPACE, got {pair!r}")
        found[owner] = space
    return found


@contextmanager
def _as_file(name: str) -> Iterator[Path]:
    """A pipe is kept in a file for as long as it takes: what it holds is looked at before it is
    taken."""
    path = Path(name).expanduser()
    from_shell = name.startswith("/dev/") and path.exists() and stat.S_ISFIFO(os.stat(path).st_mode)
    if name != "-" and not from_shell:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="bethink-") as folder:
        copy = Path(folder) / "standard-input"
        with copy.open("wb") as file:
            if name == "-":
                shutil.copyfileobj(sys.stdin.buffer, file)
            else:
                with path.open("rb") as pipe:
                    shutil.copyfileobj(pipe, file)
        yield copy


def _record(report: ImportReport) -> dict[str, Any]:
    return {
        "format": report.format,
        "found": report.found,
        **report.fates,
        "spaces": [
            {"owner": owner, "space": space, "memories": report.owners.get(owner, 0)}
            for owner, space in report.spaces.items()
        ],
        "left_out": dict(report.left_out),
        "failures": report.failures,
        "failed": [{"place": failed.place, "error": failed.why} for failed in report.failed],
        "differing": list(report.differing),
        "dry_run": report.dry_run,
    }


def _lines(report: ImportReport) -> Iterator[str]:
    yield f"{report.format} ({report.what}): {report.found:,} found"
    for owner, space in report.spaces.items():
        whose = f" of {owner}" if owner and owner != space else ""
        yield f"  {report.owners.get(owner, 0):,}{whose} → space {space}"
    for what, count in report.left_out.items():
        yield f"  left out: {count:,} × {what}"
    words = _WOULD if report.dry_run else _DID
    told = [f"{count:,} {words.get(fate, fate)}" for fate, count in report.fates.items()]
    if report.failures:
        told.append(f"{report.failures:,} not taken")
    yield ", ".join(told) or "nothing to take"


_DID = {
    "created": "created",
    "unchanged": "here already",
    "conflict": "here with another text, kind or space: it stays",
}
_WOULD = {**_DID, "created": "would be created", "revised": "would be revised"}
