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

# The commands with their summaries, in the groups and the order in which --help shows them.
GROUPS = {
    "use": {
        "init": "create your store and your notebooks; asks first, never overwrites",
        "demo": "show what Bethink does, on a small bilingual example",
        "remember": "store a memory (from an argument, a file, a pipe, or JSONL)",
        "recall": "search memories: the best hits within a token budget, with reasons",
        "why-not": "explain why a question did not find a memory",
        "get": "show a memory by its id",
        "list": "show memories, newest first",
        "history": "show the former versions of a memory, and what superseded it",
        "revise": "change a memory and keep its history",
        "reinforce": "count that a memory was told again",
        "forget": "erase a memory or a whole space",
        "presets": "show the presets, the stages of each, and what they are for",
    },
    "review": {
        "offer": "offer a memory for review: logged and filtered, not yet stored",
        "quarantine": "show the offers and every decision about them",
        "working": "show working memory, newest first",
        "digest": "propose what to promote, with reasons and conflicts",
        "promote": "store an offer as a long-term memory",
        "reject": "reject an offer",
        "restore": "admit a held, refused or rejected offer to working memory",
        "undo": "undo the last decision about an offer",
        "rollback": "remove everything that came from one source",
    },
    "documents": {
        "ask": "ask your documents: an answer with citations, or the passages",
        "documents": "add, list, show, enable and remove documents",
        "faq": "add, import, export and list frequent questions with answers",
        "source": "add, list and remove folders of Markdown",
        "sync": "read what changed in your notebooks and folders of Markdown",
        "watch": "keep reading notebooks and folders as they change",
    },
    "stories": {
        "story": "add and show the cast, scenes, states and threads of a story",
        "scene": "show the context of a scene: states, memories, timeline, threads",
    },
    "agents": {
        "install": "add Bethink to an agent: claude, cursor, codex or openclaw",
        "uninstall": "remove from an agent what 'install' added",
        "hook": "the command that an agent's hooks call",
        "mcp": "serve an agent over standard input and output (MCP)",
    },
    "store": {
        "status": "show how much the store holds, the embedder and open work",
        "doctor": "check every part and print a fix for each fault",
        "spaces": "show the spaces and what they hold",
        "events": "show events: tier changes, workflow nodes, traces of recalls",
        "config": "show and change settings",
        "models": "list, pull and choose local models",
        "reindex": "add missing vectors, change the embedder, rebuild indexes",
        "export": "write every memory as JSONL or as a folder of Markdown",
        "import": "read Markdown, Claude's memory, mem0, LangGraph, chats, exports",
        "move": "copy a store or all tenants to another place, and verify it",
        "retrievers": "show and detach the search engines beside the store",
        "migrate": "upgrade the tables of a store to this version",
        "completion": "print shell completion for bash, zsh or fish",
    },
    "server": {
        "serve": "serve HTTP: REST, live events, MCP and a web page",
        "keys": "create, list and revoke the keys of a server",
        "tenants": "create, list and remove tenants, each with a store of its own",
        "audit": "show and verify the log of what was done through keys",
    },
}
COMMANDS = {name: summary for group in GROUPS.values() for name, summary in group.items()}

_DESCRIPTION = "A memory for AI agents: tell it things, ask, get what matters, with reasons."
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

            join = " " if str(self).endswith("?") else "; "
            error = {"code": InvalidInput.code, "message": f"{self}{join}{where}"}
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


class _TopParser(_Parser):
    """The parser of the whole command line; its help lists the commands in groups."""

    def format_help(self) -> str:
        from textwrap import TextWrapper

        column = max(map(len, COMMANDS)) + 4
        lines = [_DESCRIPTION]
        for group, commands in GROUPS.items():
            lines += ["", f"{group}:"]
            for name, summary in commands.items():
                wrapper = TextWrapper(
                    width=max(_columns() - 2, column + 20),
                    initial_indent=f"  {name}".ljust(column),
                    subsequent_indent=" " * column,
                )
                lines += wrapper.wrap(summary)
        self.description = "\n".join(lines)
        return super().format_help()


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
        super().__init__(prog, width=_columns() - 2)


def _columns() -> int:
    try:
        return int(os.environ.get("COLUMNS") or 0) or os.get_terminal_size().columns
    except (OSError, ValueError):
        return 80


def build_parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser; with `only`, knowing the arguments of that one command and loading no other."""
    parser = _TopParser(
        prog="bethink",
        usage="bethink [-h] [--version] COMMAND ...",
        epilog=_EXAMPLES,
        formatter_class=_Help,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="store_true", help="print the version")
    # The help of this action would be one flat list; `_TopParser` prints the groups instead.
    commands = parser.add_subparsers(
        prog="bethink",
        parser_class=_Parser,
        dest="command",
        metavar="COMMAND",
        help=argparse.SUPPRESS,
    )
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


_WITH_VALUE = frozenset({"--store", "--embedder", "--retriever"})
_WITHOUT_VALUE = frozenset({"--json", "--text", "--quiet"})


def _command_first(words: list[str]) -> list[str]:
    """Options that hold everywhere may stand before the command: `bethink --store FILE list`."""
    at = 0
    while at < len(words):
        if words[at] in _WITH_VALUE:
            at += 2
        elif words[at] in _WITHOUT_VALUE or words[at].partition("=")[0] in _WITH_VALUE:
            at += 1
        else:
            break
    if at == 0 or at >= len(words) or words[at].startswith("-"):
        return words
    return [words[at], *words[:at], *words[at + 1 :]]


def main(argv: Sequence[str] | None = None) -> int:
    _one_thread()
    arguments_given = _command_first(list(sys.argv[1:] if argv is None else argv))
    if "_ARGCOMPLETE" in os.environ:
        import argcomplete

        argcomplete.autocomplete(build_parser())
    first = next((a for a in arguments_given if not a.startswith("-")), None)
    if first == "hook" and not {"-h", "--help"} & set(arguments_given):
        from bethink.doors.hooks.guard import main as hook

        return hook(arguments_given)  # before anything can fail: an agent must not be stopped
    if first is not None and first not in COMMANDS and arguments_given[0] == first:
        from bethink.doors.cli.suggestions import unknown_command

        return _Misused(unknown_command(first, COMMANDS), "bethink").told(arguments_given)
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
