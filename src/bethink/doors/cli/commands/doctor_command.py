from __future__ import annotations

import argparse
import sys
from pathlib import Path

from bethink.doors.cli.colour import state
from bethink.doors.cli.session import Session, some
from bethink.errors import REINSTALL, BethinkError, NotFound
from bethink.vocabulary import Check


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.epilog = "Exit code 0: all is well. 1: something is not, and the fix is printed with it."


def run(arguments: argparse.Namespace, session: Session) -> int:
    from bethink.doors.hooks.installed import checks as of_agents

    tenant = session.tenant  # before all else: a name that none can have is no finding
    checks = [*_surroundings(session), *of_agents(Path.home(), Path.cwd())]
    try:
        if session.before_first_use:
            checks.append(_no_store_yet(session))
        else:
            engine = session.engine
            checks += [*_whose(tenant, session), *engine.doctor()]
    except NotFound:  # no such tenant: there is nothing to check
        raise
    except BethinkError as e:
        checks.append(Check("store", False, str(e), "do what is said there, then run doctor again"))
    if session.json:
        session.show(
            [{"part": c.part, "ok": c.ok, "finding": c.finding, "fix": c.fix} for c in checks]
        )
    else:
        for check in checks:
            verdict = state("ok  " if check.ok else "FAIL")
            session.say(verdict, f"  {check.part}: {check.finding}")
            if not check.ok:
                session.say(f"      fix: {check.fix}")
    return 0 if all(check.ok for check in checks) else 1


def _no_store_yet(session: Session) -> Check:
    path = session.loaded.settings.store_shown
    made_by = "'bethink init' or the first 'bethink remember' creates it"
    return Check("store", True, f"there is none yet at {path}; {made_by}")


def _whose(tenant: str | None, session: Session) -> list[Check]:
    """Whose store is checked, where there are several."""
    others = session.other_tenants()
    if not others and tenant is None:
        return []
    finding = f"this is {tenant or 'default'}"
    if others:
        finding += f"; not looked at: {some(others)} (bethink doctor --tenant NAME)"
    return [Check("tenant", True, finding)]


def _surroundings(session: Session) -> list[Check]:
    """What the store stands on: the interpreter, the settings, the packages that matter."""
    from importlib.util import find_spec

    version = ".".join(map(str, sys.version_info[:3]))
    checks = [
        Check(
            "python", sys.version_info >= (3, 11), version,
            "" if sys.version_info >= (3, 11) else "use Python 3.11 or newer",
        )
    ]  # fmt: skip
    try:
        from bethink.domains import faults

        loaded = session.loaded
        mend = "mend it there, or: bethink config set NAME VALUE"
        checks += [Check("settings", False, fault, mend) for fault in faults(loaded)]
        withheld = loaded.withheld and loaded.withheld.warning
        for warning in loaded.warnings:
            fix = "run 'bethink init' there" if warning == withheld else "remove that line"
            checks.append(Check("settings", False, warning, fix))
        if len(checks) == 1:
            checks.append(Check("settings", True, f"store {loaded.settings.store_shown}"))
    except BethinkError as e:
        checks.append(Check("settings", False, str(e), "mend the file or variable it names"))
    for package, purpose in (("numpy", "meaning"), ("faiss", "speed in large spaces")):
        there = find_spec(package) is not None
        checks.append(
            Check(
                package, there, f"for {purpose}" if there else f"missing; needed for {purpose}",
                "" if there else REINSTALL,
            )
        )  # fmt: skip
    return checks
