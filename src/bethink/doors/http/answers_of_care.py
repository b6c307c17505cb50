"""What the routes of `care` answer with."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from bethink.doors.http.answers import Answer


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


class WaitingAnswer(Answer):
    space: str
    held: int = Field(description="a person must look")
    admitted: int = Field(description="in working memory, or expired there")


class CallerAnswer(Answer):
    name: str = Field(description="as the key is named")
    scopes: list[str] = Field(examples=[["offer", "read", "write"]])
    spaces: list[str] | None = Field(description="that the key sees; null: all")


class StatusAnswer(Answer):
    memories: int
    pending: int
    spaces: list[SpaceAnswer]
    embedder: str
    indexed_by: str
    waiting: list[WaitingAnswer] = Field(description="offers that nobody decided about; to review")
    notes: list[str]
    hot: str = Field(description="what is beside the store to be faster, and whether it answers")


class StageAnswer(Answer):
    stage: str
    options: dict[str, Any]


class PresetAnswer(Answer):
    name: str
    purpose: str
    limit: int | None = Field(description="holds where neither you nor the settings name one")
    budget: int | None
    unverified_share: float | None
    form: str = Field(description="of the text for a model")
    steps: list[list[StageAnswer]] = Field(description="in order; those of one step run together")


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
