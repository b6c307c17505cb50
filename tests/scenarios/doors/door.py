"""What every translator has."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from bethink.errors import BethinkError
from tests.scenarios.scenario import Json

WHO = "tester"  # the same name at every door


class Door(Protocol):
    def call(self, verb: str, given: Mapping[str, Json]) -> Json:
        """The answer, or `{"error": {"code": …, "message": …}}`."""
        ...

    def help_out(self, verb: str, given: Mapping[str, Json]) -> Json:
        """What this door cannot do, done to its store from the outside, so that a scenario can go
        on."""
        ...


def failed(code: str, message: str) -> Json:
    return {"error": {"code": code, "message": message}}


def failed_by(error: BethinkError) -> Json:
    return failed(error.code, str(error))
