"""Commands as a program runs them, in this process or another: no terminal, so answers are JSON."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from collections.abc import Callable, Mapping
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any, TypeAlias

from bethink import Engine
from bethink.doors.cli.main import main
from bethink.settings import Settings
from tests.scenarios.doors import knowledge_commands, story_commands
from tests.scenarios.doors.door import WHO, failed
from tests.scenarios.doors.in_python import InPython
from tests.scenarios.scenario import Json

COMMAND_OF = {
    "why_not": "why-not",
    "forget_space": "forget",
    "offered": "quarantine",
    "promote_by_rules": "digest",
    "from_source": "rollback",
    "roll_back": "rollback",
}
_ALWAYS = {
    "forget_space": ["--yes"],
    "promote_by_rules": ["--apply"],
    "from_source": ["--dry-run"],
    "roll_back": ["--yes", "--by", WHO],
    **{verb: ["--by", WHO] for verb in ("offer", "promote", "reject", "restore", "undo")},
}
ARGUMENTS = ("id", "ids", "source_asked", "question", "text")  # without a name, in this order
_OPTIONS = {
    "spaces": "--space",
    "tags": "--tag",
    "entities": "--entity",
    "parents": "--parent",
    "decisions": "--decision",
    "kinds": "--kind",
    "metadata": "--meta",
}
SWITCHES = {
    ("words", False): ["--meaning"],
    ("meaning", False): ["--words"],
    ("newest_first", False): ["--oldest-first"],
    ("explain", True): ["--explain"],
    ("enable_query_expansion", False): ["--no-enable-query-expansion"],
}
# Many come one on a line.
_LINES = frozenset({"promote", "reject", "restore", "events"})
_BELOW = {"promote_by_rules": "promoted", "presets": "presets"}
# Of the machine that the command runs on, and nobody else's.
_OF_THIS_MACHINE = {"status": ("store", "tenant", "books")}


Run: TypeAlias = Callable[[list[str]], tuple[int, str, str]]


def in_this_process(line: list[str]) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    with redirect_stdout(out), redirect_stderr(err):
        code = main(line)
    return code, out.getvalue(), err.getvalue()


def in_a_process_of_its_own(line: list[str]) -> tuple[int, str, str]:
    done = subprocess.run(
        [sys.executable, "-m", "bethink.doors.cli.main", *line],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    return done.returncode, done.stdout, done.stderr


class AtTheCommandLine:
    def __init__(self, store: Path, settings: Settings, run: Run | None = None) -> None:
        self._store = store
        self._settings = settings
        self._run = run or in_this_process

    def call(self, verb: str, given: Mapping[str, Json]) -> Json:
        if verb in knowledge_commands.COMMANDS:
            return self._knowledge(verb, given)
        if verb in story_commands.COMMANDS:
            return self._story(verb, given)
        code, out, err = self._run(self._line(verb, dict(given)))
        if code:
            return _refused(out, err)
        lines = [json.loads(line) for line in out.splitlines()]
        if verb in _LINES:
            return lines
        (answer,) = lines
        if "reasons" in answer:
            answer["reasons"] = [_without_options(reason) for reason in answer["reasons"]]
        if verb in _BELOW:
            return answer[_BELOW[verb]]
        for name in _OF_THIS_MACHINE.get(verb, ()):
            answer.pop(name)
        return answer

    def help_out(self, verb: str, given: Mapping[str, Json]) -> Json:
        with Engine(self._store, settings=self._settings) as engine:
            return InPython(engine).call(verb, given)

    def _knowledge(self, verb: str, given: Mapping[str, Json]) -> Json:
        folder = self._store.with_name("files")
        named, plain = knowledge_commands.options(verb, given, folder)
        line = [*knowledge_commands.COMMANDS[verb], "--json", "--quiet", *self._where(), *named]
        code, out, err = self._run([*line, "--", *plain] if plain else line)
        return knowledge_commands.in_one_form(verb, code, out) if out else _refused(out, err)

    def _story(self, verb: str, given: Mapping[str, Json]) -> Json:
        named, plain = story_commands.options(verb, given, self._store.with_name("files"))
        line = [*story_commands.COMMANDS[verb], "--json", "--quiet", *self._where(), *named]
        code, out, err = self._run([*line, "--", *plain] if plain else line)
        return _refused(out, err) if code else story_commands.in_one_form(verb, given, out)

    def _where(self) -> list[str]:
        return ["--store", str(self._store), "--embedder", self._settings.embedder]

    def _line(self, verb: str, given: dict[str, Json]) -> list[str]:
        if verb in ("from_source", "roll_back"):
            given["source_asked"] = given.pop("source")
        plain: list[str] = []
        for name in ARGUMENTS:
            if name in given and not (name == "id" and verb in ("remember", "offer")):
                value = given.pop(name)
                plain += value if isinstance(value, list) else [value]
        line = [COMMAND_OF.get(verb, verb), "--json", "--quiet", *_ALWAYS.get(verb, ())]
        line += self._where()
        for name, value in given.items():
            line += _said(name, value)
        return [*line, "--", *plain] if plain else line


def _refused(out: str, err: str) -> Json:
    assert not out, "an error leaves nothing that looks like an answer"
    told = json.loads(err.splitlines()[-1])["error"]
    return failed(told["code"], _named_as_elsewhere(told["message"]))


def option_of(name: str) -> str:
    return _OPTIONS.get(name) or "--" + name.replace("_", "-")


def _said(name: str, value: Any) -> list[str]:
    if isinstance(value, bool):
        return SWITCHES.get((name, value), [])
    option = option_of(name)
    if name == "metadata":
        pairs = (f"{key}={json.dumps(own)}" for key, own in value.items())
        return [part for pair in pairs for part in (option, pair)]
    if isinstance(value, list):
        return [part for one in value for part in (option, one)]
    return [option, json.dumps(value) if isinstance(value, dict) else str(value)]


def _without_options(reason: str) -> str:
    """A reason names the options of the command line; elsewhere the parameters."""
    for option in ("--meaning-threshold", "--words-threshold", "--unverified-share"):
        reason = reason.replace(option, option.removeprefix("--").replace("-", "_"))
    return reason


_IN_WORDS = ", or as in a question: yesterday, 昨天, last Friday"
_NAMES = {option: name for name, option in _OPTIONS.items()} | {
    "--space": "space",
    "--document": "documents",
    "--meaning-threshold": "meaning_threshold",
    "--words-threshold": "words_threshold",
    "--unverified-share": "unverified_share",
    "--as-of": "as_of",
    "--occurred-at": "occurred_at",
    "--valid-from": "valid_from",
    "--valid-to": "valid_to",
}


def _named_as_elsewhere(message: str) -> str:
    """An error names the option as people typed it: "--as-of: expected …". And here moments can be
    said in words, which is then told too."""
    message = message.removesuffix(_IN_WORDS)
    option, colon, rest = message.removeprefix("argument ").partition(":")
    if not option.startswith("--"):
        return message
    return f"{_NAMES.get(option, option.removeprefix('--'))}{colon}{rest}"
