"""The call of a hook as it stands in an agent's settings: a command line that people edit.

A call is ours if the program that it starts is Bethink and it is a hook of this agent, in
whatever order its options stand. A command that only mentions us, or does more than call us, is
somebody's own.
"""

from __future__ import annotations

import os
import re
import shlex
import sys
from functools import cache
from pathlib import Path
from typing import NamedTuple

from bethink.doors.hooks.events import Event
from bethink.errors import InvalidInput, SettingsError

MODULE = "bethink.doors.cli.main"
_NAMES = ("harness", "store", "embedder", "within")
_SECONDS = 60.0  # for the program to say its version; a cold disk is slow


class Calls(NamedTuple):
    """How the hooks are to be called: a program, ready for a shell, and options for every call."""

    program: str = "bethink"
    options: tuple[tuple[str, str], ...] = ()

    def new(self, event: Event, harness: str) -> str:
        return self._with_options(f"{self.program} hook {event.value} --harness {harness}")

    def renewed(self, call: Call) -> str:
        """A call that is there, with the program and the options of today; the rest is kept."""
        start, end = call.program
        same = _values(call.text[start:end]) == _values(self.program)
        program = call.text[start:end] if same else self.program
        return self._with_options(call.text[:start] + program + call.text[end:])

    def _with_options(self, text: str) -> str:
        for name, value in self.options:
            stood = next((o for o in _options(_words(text)) if o.name == name), None)
            if stood is None:
                text = f"{text} --{name} {quoted(value)}"
            elif stood.value != value:
                text = f"{text[: stood.start]}--{name} {quoted(value)}{text[stood.end :]}"
        return text


class Call(NamedTuple):
    text: str
    program: tuple[int, int]  # from where to where it stands in the text
    words: tuple[str, ...]  # the program, as words
    event: str


class _Word(NamedTuple):
    value: str
    start: int
    end: int


class _Option(NamedTuple):
    name: str
    value: str
    start: int
    end: int
    words: tuple[int, ...]  # which of the words it is


def read(text: object, harness: str) -> Call | None:
    """The call, if it is one of ours for this agent."""
    words = _words(text) if isinstance(text, str) else []
    at = 0
    while at < len(words) and re.match(r"[A-Za-z_]\w*=", words[at].value):
        at += 1  # a variable, set for this call
    length = _length_of_program(words[at:])
    if not length or not isinstance(text, str):
        return None
    program, rest = words[at : at + length], words[at + length :]
    told = _options(rest)
    taken = {i for option in told for i in option.words}
    plain = [w.value for i, w in enumerate(rest) if i not in taken and not w.value.startswith("-")]
    named = [option.value for option in told if option.name == "harness"]
    if len(plain) < 2 or plain[0] != "hook" or plain[1] not in list(Event) or named != [harness]:
        return None
    span = (program[0].start, program[-1].end)
    return Call(text, span, tuple(word.value for word in program), plain[1])


def _options(words: list[_Word]) -> list[_Option]:
    """Those with a value, as `bethink hook` reads them."""
    found = []
    for i, word in enumerate(words):
        name, equals, value = word.value.removeprefix("--").partition("=")
        if not word.value.startswith("--") or name not in _NAMES:
            continue
        if equals:
            found.append(_Option(name, value, word.start, word.end, (i,)))
        elif i + 1 < len(words):
            after = words[i + 1]
            found.append(_Option(name, after.value, word.start, after.end, (i, i + 1)))
    return found


def _length_of_program(words: list[_Word]) -> int:
    if not words:
        return 0
    name = re.split(r"[\\/]", words[0].value)[-1].lower()
    if re.fullmatch(r"bethink(\.exe|\.cmd)?", name):
        return 1
    runs_a_module = re.fullmatch(r"(python|pypy)[\d.]*w?(\.exe)?|py(\.exe)?", name)
    return 3 if runs_a_module and [w.value for w in words[1:3]] == ["-m", MODULE] else 0


@cache
def _pieces() -> re.Pattern[str]:
    word = r"""(?:"(?:[^"\\]|\\.)*"|'[^']*'|\\.|[^\s"'\\;&|<>()])+"""
    if os.name == "nt":
        word = r"""(?:"[^"]*"|[^\s"&|<>()])+"""
    return re.compile(rf"[ \t]+|(?P<to>\d*(?:>>|>|<)(?:&\d|[ \t]*{word}))|(?P<word>{word})")


def _words(text: str) -> list[_Word]:
    """The words of one plain command, without where its output goes; none if it is more."""
    words, at = [], 0
    while at < len(text):
        found = _pieces().match(text, at)
        if found is None:  # a line end, a pipe, a second command, a quote that is not closed
            return []
        if found["word"]:
            words.append(_Word(_unquoted(found["word"]), *found.span()))
        at = found.end()
    return words


def _unquoted(word: str) -> str:
    return word.replace('"', "") if os.name == "nt" else "".join(shlex.split(word))


def _values(text: str) -> list[str]:
    return [word.value for word in _words(text)]


def quoted(word: str) -> str:
    if os.name == "nt":
        return f'"{word}"' if re.search(r"[\s&|<>()]", word) else word
    return shlex.quote(word)


def split(program: str) -> list[str]:
    """As a list, for a program that starts no shell."""
    return _values(program)


# Which program, with which options


def calls_for(*, project: bool, store: str | None, embedder: str | None) -> Calls:
    """Raises InvalidInput, SettingsError. For a file that a project shares, the program goes by its
    name; else by the whole path, for an agent that is started from a desktop has another PATH."""
    options = []
    if store is not None:
        options.append(("store", _whole(store, project=project)))
    if embedder is not None:
        options.append(("embedder", _known(embedder)))
    return Calls("bethink" if project else _running(), tuple(options))


def _whole(store: str, *, project: bool) -> str:
    if not store.strip():
        raise InvalidInput("--store names no file")
    if project and not os.path.isabs(store):
        return store  # agents start a project's hooks in the project
    return os.path.abspath(os.path.expanduser(store))


def _known(embedder: str) -> str:
    if embedder != "none" and not embedder.startswith("openai:"):
        from bethink.embedders.models import model_named

        model_named(embedder)  # a hook would be silent about a name that is wrong
    return embedder


def _running() -> str:
    """The first way to start us that does start."""
    import shutil

    beside = Path(sys.executable).with_name("bethink" + (".exe" if os.name == "nt" else ""))
    found = shutil.which("bethink")
    ways = [[str(beside)]] if beside.is_file() else []
    ways += [[os.path.abspath(found)]] if found else []
    ways.append([sys.executable, "-m", MODULE])
    faults = []
    for way in ways:
        fault = _fault(way)
        if not fault:
            return " ".join(quoted(word) for word in way)
        faults.append(f"{' '.join(way)} does not run ({fault})")
    raise SettingsError(
        f"{'; '.join(faults)}. A hook would not run either, so nothing was changed; install "
        "Bethink anew and try again"
    )


def _fault(way: list[str]) -> str:
    import subprocess

    try:
        ran = subprocess.run(  # noqa: S603  our own program
            [*way, "--version"], capture_output=True, timeout=_SECONDS, check=False, text=True
        )
    except (OSError, subprocess.TimeoutExpired) as e:
        return str(e)
    return "" if ran.returncode == 0 else f"exit code {ran.returncode}"
