"""The command line. Every command is a module of its own, imported only when it is called: an
agent's hook starts this program at every turn, so what is not needed is not loaded.

Answers go to standard output, everything else to standard error. JSON when asked (--json) or when
standard output is no terminal. Exit codes: 0 well, 1 something else, 2 wrong input or settings,
3 not found, 4 conflict, 5 the store, 6 the embedder, 7 an optional part is missing, 130 stopped.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from typing import Any, NoReturn, Protocol, cast

from bethink.doors.cli.session import Session
from bethink.errors import BethinkError, InvalidInput
from bethink.text.visible import visible

COMMANDS = {
    "init": "create your store and your notebooks; explains, asks, never overwrites",
    "demo": "show the whole of it on a small bilingual set",
    "remember": "tell it something (an argument, a file, a pipe, or many as JSONL)",
    "recall": "ask; get what matters, within a token budget, with reasons",
    "ask": "ask your documents; get an answer with citations, or the cited passages",
    "why-not": "say at which stage a memory lost, and by how much",
    "presets": "show the presets, the stages of each, and what they are for",
    "get": "show a memory by its id",
    "list": "show memories, newest first",
    "history": "show how a memory read before, and what took whose place",
    "revise": "change a memory, keeping its history",
    "reinforce": "count that something was told again",
    "forget": "erase a memory or a whole space, everywhere",
    "offer": "offer what an agent heard: logged, filtered, and not yet known",
    "quarantine": "show what was offered, and every decision about it",
    "working": "show what is recent",
    "digest": "propose what to promote, with reasons and conflicts",
    "promote": "make what was offered long-term memory",
    "reject": "keep an offer out",
    "restore": "let what was held, refused or rejected into working memory after all",
    "undo": "take the last decision about an offer back",
    "rollback": "remove all that came from one source, and what was made from it",
    "events": "show what happened: tier changes, workflow nodes, traces of recalls",
    "documents": "take in files and folders to be asked about: add, list, show, enable, remove",
    "faq": "keep frequent questions with their answers: add, import, export, list, enable",
    "story": "tell a story: cast, scenes, states, threads; and look at them",
    "scene": "what to know before a scene is written: states, memories, timeline, threads",
    "spaces": "show the spaces and what they hold",
    "status": "a quick look: how much there is, which embedder, what waits",
    "doctor": "check every part and print a fix for each fault",
    "reindex": "fill in vectors, change embedder, rebuild what is derived",
    "sync": "read what changed in your notebooks and other folders of Markdown",
    "watch": "go on reading what changes, as it changes",
    "source": "add, list and remove folders of Markdown that are read",
    "export": "write every memory as JSONL or a folder of Markdown, without loss",
    "import": "take in Markdown, Claude's memory, mem0, LangGraph, chats, or an export",
    "move": "take a store, or all its tenants, to another place: a file, PostgreSQL, and back",
    "retrievers": "show the engines that find beside the store; let go of one",
    "migrate": "bring the tables of a store to those of this version",
    "serve": "answer over HTTP: REST, live events, MCP and a page",
    "mcp": "answer an agent over standard input and output (MCP)",
    "install": "put Bethink into an agent: claude, cursor, codex or openclaw",
    "uninstall": "take it out again, and nothing else",
    "hook": "what an agent's hooks call: a primer, memories for a prompt, what was learned",
    "models": "list, pull and choose local models",
    "config": "show and change settings",
    "keys": "make, list and revoke the keys of a server",
    "tenants": "create, list and remove tenants, each with a store of its own",
    "audit": "show what was done through keys, and verify that nothing was changed",
    "completion": "print shell completion for bash, zsh or fish",
}

_EXAMPLES = """\
start here:
  bethink remember "Mei prefers dark mode"
  bethink remember "预算会议改到周五" --space work --kind decision --tag budget
  bethink recall "which theme does Mei like?" --explain
  git log -1 --format=%B | bethink remember --kind journal
  bethink remember --jsonl notes.jsonl

Every command has its own help: bethink COMMAND --help
"""


_COMMANDS = "bethink.doors.cli.commands"
_TWO_WORDS = frozenset({"story", "source", "faq", "documents"})  # the second may be left out

# those that look after a store, of whichever tenant
_OF_TENANT = frozenset({"spaces", "status", "doctor", "reindex", "export", "import"})


class Command(Protocol):
    """What a command's module offers."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None: ...
    def run(self, arguments: argparse.Namespace, session: Session) -> int: ...


def _module(name: str) -> Command:
    return cast(Command, import_module(f"{_COMMANDS}.{name.replace('-', '_')}_command"))


class _Misused(Exception):
    """What argparse found wrong, and in which command."""

    def __init__(self, message: str, command: str) -> None:
        super().__init__(message)
        self.command = command

    def told(self, arguments: Sequence[str]) -> int:
        """In our words, with where to look; in the form that was asked for, as all wrong input."""
        where = f"try: {self.command} --help"
        if "--json" in arguments or not ("--text" in arguments or sys.stdout.isatty()):
            import json

            error = {"code": InvalidInput.code, "message": f"{self}; {where}"}
            told = json.dumps({"error": error}, ensure_ascii=False)
        else:
            told = f"bethink: {self}\n{where}"
        print(visible(told), file=sys.stderr)
        return InvalidInput.exit_code


class _Parser(argparse.ArgumentParser):
    mixed = False  # may an option stand between two words?
    _mixing = False

    def error(self, message: str) -> NoReturn:
        raise _Misused(message, self.prog)

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """`story cast --project P cast.json`: argparse takes the second word for left out as soon
        as it has seen the first, unless it looks for options first. What a command does not know,
        it says itself: argparse would leave that to the parser of all."""
        if self._mixing:
            return super().parse_known_args(args, namespace)
        self._mixing = self.mixed
        try:
            parse = self.parse_known_intermixed_args if self.mixed else super().parse_known_args
            parsed, unknown = parse(args, namespace)
        finally:
            self._mixing = False
        if unknown:
            self.error(_unknown(unknown, self))
        return parsed, unknown


def _unknown(words: Sequence[str], command: argparse.ArgumentParser) -> str:
    """Without what stands after an option or in an address: it may be secret."""
    from difflib import get_close_matches

    options = [word.partition("=")[0] for word in words if word.startswith("-")]
    told = options or [f"{w.partition('://')[0]}://…" if "://" in w else w for w in words]
    near = [n for one in options for n in get_close_matches(one, command._option_string_actions, 1)]
    meant = f" (did you mean {' '.join(near)}?)" if near else ""
    return f"unrecognized arguments: {' '.join(told)}{meant}"


def _shared(parser: argparse.ArgumentParser, *, of_tenant: bool) -> None:
    if of_tenant:
        parser.add_argument(
            "--tenant",
            dest="of_tenant",
            metavar="NAME",
            help="the store of this tenant (see 'bethink tenants list'; default: default)",
        )
    group = parser.add_argument_group("everywhere")
    group.add_argument("--store", metavar="FILE", help="the store to use (see 'bethink config')")
    group.add_argument(
        "--embedder", metavar="NAME", help="the embedder to use; 'none' for words only"
    )
    group.add_argument(
        "--retriever",
        action="append",
        metavar="ADDRESS",
        help="an engine that finds beside the store: qdrant://…, elasticsearch://…, opensearch://…",
    )
    form = group.add_mutually_exclusive_group()
    form.add_argument("--json", action="store_true", help="print JSON (the default in a pipe)")
    form.add_argument("--text", action="store_true", help="print text for people, even in a pipe")
    group.add_argument("--quiet", action="store_true", help="no progress and no hints")


class _Help(argparse.RawDescriptionHelpFormatter):
    """Knows the width itself: argparse would load `shutil` and every compressor to ask for it, with
    the first argument that is added."""

    def __init__(self, prog: str) -> None:
        try:
            columns = int(os.environ.get("COLUMNS") or 0) or os.get_terminal_size().columns
        except (OSError, ValueError):
            columns = 80
        super().__init__(prog, width=columns - 2)


def build_parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser; with `only`, knowing the arguments of that one command and loading no other."""
    parser = _Parser(
        prog="bethink",
        description="A memory for AI agents: tell it things, ask, get what matters, with reasons.",
        epilog=_EXAMPLES,
        formatter_class=_Help,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name, summary in COMMANDS.items():
        wanted = only is None or only == name
        if only and not wanted:
            continue  # only one command is parsed: the others need no parser
        sub = commands.add_parser(
            name,
            help=summary,
            description=summary[0].upper() + summary[1:] + ".",
            formatter_class=_Help,
            allow_abbrev=False,
            add_help=wanted,
        )
        if wanted:
            _module(name).add_arguments(sub)
            _shared(sub, of_tenant=name in _OF_TENANT)
            sub.mixed = name in _TWO_WORDS
    return parser


def _one_thread() -> None:
    """One thread for linear algebra: more make a small process slower to start and a busy machine
    slower to answer. Set before NumPy is loaded; whoever set them already knows better."""
    for variable in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
        os.environ.setdefault(variable, "1")


def main(argv: Sequence[str] | None = None) -> int:
    _one_thread()
    arguments_given = list(sys.argv[1:] if argv is None else argv)
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete

        argcomplete.autocomplete(build_parser())
    first = next((a for a in arguments_given if not a.startswith("-")), None)
    if first == "hook" and not {"-h", "--help"} & set(arguments_given):
        from bethink.doors.hooks.guard import main as hook

        return hook(arguments_given)  # before anything can fail: an agent must not be stopped
    parser = build_parser(first if first in COMMANDS else "")
    try:
        arguments = parser.parse_args(arguments_given)
    except _Misused as e:
        return e.told(arguments_given)
    if arguments.version:
        import bethink

        print(bethink.__version__)
        return 0
    if arguments.command is None:
        parser.print_help(sys.stderr)
        return 2
    session = Session(arguments)
    try:
        with session:
            return _module(arguments.command).run(arguments, session)
    except BethinkError as e:
        session.fail(e)
        return e.exit_code
    except BrokenPipeError:  # the reader of our output went away, as `head` does
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as e:  # most often a full disk behind a redirection of the answer
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        print(visible(f"bethink: stopped by the system: {e}"), file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("bethink: stopped; what was acknowledged is kept", file=sys.stderr)
        return 130


if __name__ == "__main__":
    raise SystemExit(main())
