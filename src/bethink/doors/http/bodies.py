"""What requests bring. Only shapes are checked here; what fits is said by the engine, in the same
words through every door."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ModelWrapValidatorHandler,
    PrivateAttr,
    model_validator,
)

from bethink.errors import InvalidInput
from bethink.recall.asking import ALIASES, renamed


class Body(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    _came_as: dict[str, str] = PrivateAttr(default_factory=dict)

    @model_validator(mode="wrap")
    @classmethod
    def _by_other_names(cls, sent: Any, read: ModelWrapValidatorHandler[Self]) -> Self:
        """Take an option under any of its names (`ALIASES`)."""
        if not isinstance(sent, dict):
            return read(sent)
        try:
            told, came_as = renamed(sent, cls.model_fields, cls._aliases())
        except InvalidInput as e:
            raise ValueError(str(e)) from None
        body = read(told)
        body._came_as = came_as
        return body

    @classmethod
    def _aliases(cls) -> Mapping[str, str]:
        return ALIASES

    def given(self) -> dict[str, Any]:
        """The fields that the request named."""
        return self.model_dump(exclude_unset=True)


class Told(Body):
    """A memory as it is told."""

    text: str = Field(
        description="what is to be remembered, in any language",
        examples=["Mei prefers dark mode. 小美喜欢深色主题。", "预算会议改到周五上午十点"],
    )
    space: str | None = Field(
        None, description="where; by default the server's own", examples=["work", "项目/甲"]
    )
    id: str | None = Field(None, description="an id of your own; sent again, nothing changes")
    kind: str | None = Field(None, examples=["preference", "decision"])
    section: str | None = Field(None, description="a heading that it belongs under")
    tags: list[str] | None = Field(None, examples=[["ui"], ["预算"]])
    entities: list[str] | None = Field(
        None, description="who or what it is about", examples=[["Mei", "小美"]]
    )
    source: str | None = Field(None, description="where it comes from", examples=["wiki/预算"])
    confidence: float | None = Field(None, description="how sure its author is, 0 to 1")
    occurred_at: str | None = Field(
        None, description="when it happened", examples=["2026-05-01T09:00:00+08:00"]
    )
    valid_from: str | None = Field(None, description="from when on it holds")
    valid_to: str | None = Field(None, description="until when it holds")
    metadata: dict[str, Any] | None = Field(None, examples=[{"client": "甲"}])
    speaker: str | None = Field(None, description="who said it", examples=["Mei", "小美"])
    role: str | None = Field(
        None, description="of the speaker: user, assistant, tool or other", examples=["user"]
    )
    conversation: str | None = Field(
        None, description="the conversation it was said in", examples=["standup", "周会"]
    )


class ToRemember(Told):
    supersedes: str | None = Field(None, description="the id of the memory whose place it takes")
    merge: str = Field(
        "corrections",
        description="what becomes of what is known: 'corrections' are superseded, with 'words' "
        "nothing is, with 'meaning' the same in other words is counted too",
    )


class Batch(Body):
    memories: list[Told] = Field(description="written together, all or none")


class Revision(Body):
    """What changes; the rest stays, and the former form is kept as history."""

    text: str | None = Field(None, examples=["Mei prefers light mode. 小美改用浅色主题了。"])
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
    speaker: str | None = None
    role: str | None = None
    conversation: str | None = None


class Reinforcement(Body):
    times: int = Field(1, description="how often it was told")


class Options(Body):
    """How to ask."""

    spaces: list[str] | None = Field(
        None, description="where to look; by default one space", examples=[["work", "global"]]
    )
    limit: int | None = Field(None, description="how many hits at most")
    budget: int | None = Field(None, description="how many tokens the hits may cost")
    where: dict[str, Any] | None = Field(
        None, description="a filter", examples=[{"kind": "decision"}]
    )
    as_of: str | None = Field(
        None, description="what held at that moment; a day means its end", examples=["2026-05-01"]
    )
    preset: str | None = Field(None, examples=["balanced"])
    words: bool | None = Field(None, description="search by words")
    meaning: bool | None = Field(None, description="search by meaning")
    meaning_threshold: float | None = Field(
        None, description="a cosine, -1 to 1: what meaning found below it is cut"
    )
    words_threshold: float | None = Field(
        None,
        description="a share of the question's words, 0 to 1: what words found below it is cut",
    )
    floor: float | None = Field(
        None, description="a relevance, 0 to 1: what is below it is not handed out"
    )
    unverified_share: float | None = Field(None, description="how much may be unverified, 0 to 1")
    weights: str | dict[str, float] | None = Field(
        None,
        description="the order of the hits: meaning_first, words_first, equal, or two numbers",
        examples=["meaning_first", {"meaning": 0.7, "words": 0.3}],
    )
    enable_query_expansion: bool | None = Field(
        None, description="ask again in other words if little is found (preset knowledge)"
    )
    candidates: int | None = Field(None, description="how many each search looks at")
    deadline: float | None = Field(None, description="seconds")
    touch: bool | None = Field(None, description="false: no access is counted")

    def options(self) -> dict[str, Any]:
        """Those that were named."""
        return {
            name: getattr(self, name)
            for name in self.model_fields_set & Options.model_fields.keys()
            if getattr(self, name) is not None
        }


class Question(Options):
    question: str = Field(
        description="what is asked; `query` is accepted too",
        examples=["which theme does Mei like? 小美喜欢什么主题？", "预算会议改到哪天？"],
    )


class Asked(Question):
    explain: bool = Field(False, description="with what every stage did, and how long it took")


class ForContext(Question):
    language: str | None = Field(
        None, description="of headings: 'en' or 'zh'; default: the setting, else the preset's"
    )


class Offered(Told):
    parents: list[str] = Field([], description="the offers and memories that it was made from")


class Decided(Body):
    ids: list[str] = Field(description="of offers", examples=[["0f3a…"]])
    reason: str = Field("", description="kept beside the decision", examples=["已与小美确认"])


class Promoted(Decided):
    supersedes: str | None = Field(None, description="of one: the memory whose place it takes")


class FromSource(Body):
    source: str = Field(examples=["https://example.org/page"])
    spaces: list[str] | None = Field(None, description="by default all that you see")


class InSpace(Body):
    space: str | None = None


class Setting(Body):
    name: str = Field(examples=["floor"])
    value: Any = Field(description="null: as before", examples=[0.3])
    space: str | None = Field(None, description="of one space; else of all of yours")


class Reindexing(Body):
    force: bool = Field(False, description="also what has vectors already")
