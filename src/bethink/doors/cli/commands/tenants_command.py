from __future__ import annotations

import argparse

from bethink.access.reception import Reception
from bethink.doors.cli.session import Session, padded
from bethink.errors import InvalidInput

_EPILOG = """\
examples:
  bethink tenants list
  bethink tenants create acme
  bethink keys create ci --tenant acme --scope write
  bethink tenants remove acme

A tenant has a store of its own, so nothing is shared with others. 'default' is the store that the
settings name. Removing a tenant erases its store and revokes its keys; there is no undo.
"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = _EPILOG
    parser.add_argument("what", choices=["list", "create", "remove"])
    parser.add_argument("name", nargs="?", metavar="NAME")
    parser.add_argument("--yes", action="store_true", help="do not ask")


def run(arguments: argparse.Namespace, session: Session) -> int:
    with Reception(session.loaded.settings) as reception:
        if arguments.what == "list":
            names = reception.tenants.list()
            if session.json:
                session.show_each(
                    {"tenant": name, "store": reception.tenants.homes.shown(name)} for name in names
                )
            else:
                for name in names:
                    session.say(f"{padded(name, 24)} {reception.tenants.homes.shown(name)}")
            return 0
        name = arguments.name
        if name is None:
            raise InvalidInput(f"which? say: bethink tenants {arguments.what} NAME")
        if arguments.what == "create":
            reception.create_tenant(name)
            if session.json:
                session.show({"tenant": name, "store": reception.tenants.homes.shown(name)})
            else:
                session.say(f"{name} is there; give it a key: bethink keys create CI "
                            f"--tenant {name} --scope read")  # fmt: skip
            return 0
        reception.tenants.must_be_removable(name)
        session.confirm(f"Erase the tenant {name!r} with everything that it remembers?")
        revoked = reception.remove_tenant(name)
        if session.json:
            session.show({"tenant": name, "removed": True, "revoked": [k.id for k in revoked]})
        else:
            session.say(f"{name} is gone, and {len(revoked)} of its keys are revoked")
        return 0
