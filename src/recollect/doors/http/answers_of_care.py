"""What the routes of `care` answer with."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from recollect.doors.http.answers import Answer


class Alive(Answer):
    status: Literal["alive"]


class Ready(Answer):
    status: Literal["ready"]


class Version(Answer):
    name: str
    version: str


class SpaceAnswer(Answer):
    name: str
    memories: int
    passages: int
    pending: int = Field(description="passages that wait for their vector")


class Spaces(Answer):
    spaces: list[SpaceAnswer]


class StatusAnswer(Answer):
    memories: int
    pending: int
    spaces: list[SpaceAnswer]
    embedder: str
    indexed_by: str
    notes: list[str]


class PresetAnswer(Answer):
    name: str
    stages: list[str]


class Presets(Answer):
    presets: list[PresetAnswer]


class SettingAnswer(Answer):
    value: Any
    origin: str = Field(description="who says so: settings, store or space")


class Settings(Answer):
    space: str | None
    settings: dict[str, SettingAnswer]


class CheckAnswer(Answer):
    part: str
    ok: bool
    finding: str
    fix: str


class Checks(Answer):
    checks: list[CheckAnswer]


class Reindexed(Answer):
    embedded: int


class Imported(Answer):
    fates: dict[str, int] = Field(description="how many memories met each fate")
