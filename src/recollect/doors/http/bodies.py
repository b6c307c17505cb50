"""What requests bring. Only shapes are checked here; what fits is said by the engine, in the same
words through every door."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    def given(self) -> dict[str, Any]:
        """The fields that the request named."""
        return self.model_dump(exclude_unset=True)


class Told(Body):
    """A memory as it is told."""

    text: str = Field(examples=["Mei prefers dark mode. 小美喜欢深色主题。"])
    space: str | None = Field(None, description="where; by default the server's own")
    id: str | None = Field(None, description="an id of your own; sent again, nothing changes")
    kind: str | None = Field(None, examples=["preference"])
    section: str | None = None
    tags: list[str] | None = Field(None, examples=[["ui"]])
    entities: list[str] | None = None
    source: str | None = None
    confidence: float | None = Field(None, description="0 to 1")
    occurred_at: str | None = Field(None, examples=["2026-05-01T09:00:00+08:00"])
    valid_from: str | None = None
    valid_to: str | None = None
    metadata: dict[str, Any] | None = None


class ToRemember(Told):
    supersedes: str | None = Field(None, description="the id of the memory whose place it takes")
    merge: str = Field("words", description="'words' or 'meaning'")


class Batch(Body):
    memories: list[Told] = Field(description="written together, all or none")


class Revision(Body):
    """What changes; the rest stays, and the former form is kept as history."""

    text: str | None = None
    kind: str | None = None
    section: str | None = None
    tags: list[str] | None = None
    entities: list[str] | None = None
    source: str | None = None
    confidence: float | None = None
    occurred_at: str | None = None
    valid_from: str | None = None
    valid_to: str | None = None
    metadata: dict[str, Any] | None = None


class Reinforcement(Body):
    times: int = 1


class Options(Body):
    """How to ask."""

    spaces: list[str] | None = Field(None, description="where to look; by default one space")
    limit: int | None = Field(None, description="how many hits at most")
    budget: int | None = Field(None, description="how many tokens the hits may cost")
    where: dict[str, Any] | None = Field(None, examples=[{"kind": "decision"}])
    as_of: str | None = Field(None, description="what held at that moment")
    preset: str | None = Field(None, examples=["balanced"])
    words: bool | None = None
    meaning: bool | None = None
    meaning_threshold: float | None = None
    words_threshold: float | None = None
    floor: float | None = None
    unverified_share: float | None = Field(None, description="how much may be unverified, 0 to 1")
    deadline: float | None = Field(None, description="seconds")
    touch: bool | None = Field(None, description="false: no access is counted")


class Question(Options):
    question: str = Field(examples=["which theme does Mei like? 小美喜欢什么主题？"])
    explain: bool = Field(False, description="with what every stage did, and how long it took")

    def options(self) -> dict[str, Any]:
        return {
            name: value
            for name, value in self.given().items()
            if name not in ("question", "explain", "language", "memory") and value is not None
        }


class ForContext(Question):
    language: str = Field("en", description="of headings: 'en' or 'zh'")


class Offered(Told):
    parents: list[str] = Field([], description="the offers and memories that it was made from")


class Decided(Body):
    ids: list[str]
    reason: str = ""


class Promoted(Decided):
    supersedes: str | None = Field(None, description="of one: the memory whose place it takes")


class FromSource(Body):
    source: str
    spaces: list[str] | None = None


class InSpace(Body):
    space: str | None = None


class Setting(Body):
    name: str
    value: Any = Field(description="null: as before")
    space: str | None = Field(None, description="of one space; else of all of yours")


class Reindexing(Body):
    force: bool = False
