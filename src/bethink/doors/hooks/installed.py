"""Which agents have our hooks, and whether what they call is there: a hook that fails is silent."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import cast

from bethink.doors.hooks.calls import Call
from bethink.doors.hooks.events import HARNESSES, Event, harness_named
from bethink.doors.hooks.installing import Installable, Out, Place, read_text
from bethink.errors import InvalidInput, SettingsError
from bethink.vocabulary import Check


def checks(home: Path, project: Path) -> list[Check]:
    found = []
    for name in HARNESSES:
        agent = cast(Installable, harness_named(name))
        found += _of(agent, Place(home))
        if project != home and name != "openclaw":
            found += _of(agent, Place(home, project))
    if found:
        return found
    return [Check("agents", True, "none has our hooks; 'bethink install claude' puts them in")]


def _of(agent: Installable, place: Place) -> list[Check]:
    part = f"{agent.name} hooks" + (" of this project" if place.project else "")
    again = f"bethink install {agent.name}" + (" --project" if place.project else "")
    calls: list[Call] = []
    remarks = []
    for step in agent.steps(place, removing=True):
        assert not isinstance(step, Out)
        text = ""
        try:
            text = read_text(step.path) or ""
            if text.strip() and step.is_shared:
                remarks.append(step.remark(text))
            calls += step.calls_in(text) if text.strip() else []
        except SettingsError as e:
            return [Check(part, True, f"unknown: {e}")]
        except InvalidInput as e:
            if "bethink" in text:
                return [Check(part, False, f"{step.path}: {e}", f"mend it, then: {again}")]
    if not calls:
        return []
    lost = sorted({call.words[0] for call in calls if not _is_there(call.words[0])})
    if lost:
        return [Check(part, False, f"they call {', '.join(lost)}, which is not there", again)]
    events = [event.value for event in Event if event.value in {call.event for call in calls}]
    programs = sorted({" ".join(call.words) for call in calls})
    told = [f"{', '.join(events)} call {', '.join(programs)}", *filter(None, remarks)]
    return [Check(part, True, "; ".join(told))]


def _is_there(program: str) -> bool:
    if os.path.isabs(program):
        return os.path.isfile(program) and os.access(program, os.X_OK)
    return shutil.which(program) is not None
