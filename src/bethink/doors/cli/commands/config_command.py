from __future__ import annotations

import argparse
from dataclasses import fields

from bethink.doors.cli.session import Session
from bethink.errors import InvalidInput

_EPILOG = """\
examples:
  bethink config                       every setting, its value and where it comes from
  bethink config get budget
  bethink config set budget 3000
  bethink config unset budget
  bethink config show --space 项目      what holds in one space of the store, and who says so
  bethink config set words_threshold 0.5 --space 项目
  bethink config set limit 5 --of-store

Settings of a store and its spaces are kept in the store: they move with it, and hold for everybody
who uses it. A question over several spaces follows the strictest.

Order: defaults, your file, the project's .bethink.toml (where to look and how
much only), BETHINK_* variables, options of a command.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("what", choices=["show", "get", "set", "unset"], nargs="?", default="show")
    parser.add_argument("name", nargs="?")
    parser.add_argument("value", nargs="?")
    whose = parser.add_mutually_exclusive_group()
    whose.add_argument("--space", help="of this space of the store")
    whose.add_argument("--of-store", action="store_true", help="of the whole store")


def run(arguments: argparse.Namespace, session: Session) -> int:
    from bethink.settings import MEANING, SECRET, config_file
    from bethink.settings_kept import save_user

    if arguments.space is not None or arguments.of_store:
        return _kept_in_store(arguments, session)
    if arguments.what == "show":
        loaded = session.loaded
        rows = {
            field.name: {
                "value": _shown(field.name, getattr(loaded.settings, field.name), SECRET),
                "from": loaded.origins[field.name],
                "meaning": MEANING[field.name],
            }
            for field in fields(loaded.settings)
        }
        if session.json:
            session.show(rows)
            return 0
        for name, row in rows.items():
            session.say(f"{name:<19} {_told(row['value']):<24} ({row['from']})  {row['meaning']}")
        session.say(f"\nyour file: {config_file()}")
        return 0
    if arguments.name not in MEANING:
        raise InvalidInput(f"which setting? known: {', '.join(MEANING)}")
    if arguments.what == "get":
        value = _shown(arguments.name, getattr(session.loaded.settings, arguments.name), SECRET)
        if session.json:
            session.show({arguments.name: value})
        else:
            session.say(_told(value))
        return 0
    if arguments.what == "set" and arguments.value is None:
        raise InvalidInput(f"to what? say: bethink config set {arguments.name} VALUE")
    value = _checked(arguments.name, arguments.value) if arguments.what == "set" else None
    path = save_user(arguments.name, value)
    if session.json:
        session.show({"config": str(path), arguments.what: arguments.name})
    else:
        session.say(f"written to {path}")
    return 0


def _kept_in_store(arguments: argparse.Namespace, session: Session) -> int:
    from bethink.settings import MEANING

    engine, name, space = session.engine, arguments.name, arguments.space
    if arguments.what in ("set", "unset"):
        if name is None or (arguments.what == "set") is (arguments.value is None):
            raise InvalidInput(f"say: bethink config {arguments.what} NAME"
                               f"{' VALUE' if arguments.what == 'set' else ''}")  # fmt: skip
        engine.set_override(name, arguments.value, space=space)
    found = engine.overrides.in_force(space)
    if name is not None:
        if name not in found:
            raise InvalidInput(f"which setting? known here: {', '.join(found)}")
        found = {name: found[name]}
    if session.json:
        session.show(
            {
                setting: {"value": value, "from": origin, "meaning": MEANING[setting]}
                for setting, (value, origin) in found.items()
            }
        )
        return 0
    for setting, (value, origin) in found.items():
        session.say(f"{setting:<19} {_told(value):<24} ({origin})  {MEANING[setting]}")
    return 0


def _checked(name: str, value: str) -> str:
    """Refused now rather than at the next question, which may be far from here."""
    from bethink.addresses import is_server
    from bethink.domains import fault_of
    from bethink.errors import SettingsError

    if why := fault_of(name, value):
        raise SettingsError(f"config set: {why}; nothing was written")
    if name not in ("routes", "store", "models") or not value or value.startswith("~"):
        return value
    if name == "store" and is_server(value):
        return value
    from pathlib import Path

    return str(Path(value).absolute())


def _told(value: object) -> str:
    if isinstance(value, list):
        return " ".join(value)
    return "" if value is None else str(value)


def _shown(name: str, value: object, secret: frozenset[str]) -> object:
    from bethink.addresses import is_server, without_password

    if name == "retrievers" and isinstance(value, tuple):
        from bethink.stores.retriever_address import shown

        return [shown(address) for address in value]
    if name == "store" and isinstance(value, str):
        try:
            return without_password(value) if is_server(value) else value
        except InvalidInput:  # nearly an address
            return "(cannot be read)"
    if (name == "hot" or name.endswith("endpoint")) and isinstance(value, str):
        return without_password(value)
    return "(set)" if name in secret and value else value
