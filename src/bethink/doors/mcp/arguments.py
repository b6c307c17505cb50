"""What a model may send to a tool. Shapes are checked here; what fits is said by the engine.

Models and the programs around them send a list as one string, or as JSON inside a string. Both are
taken for what they mean; nothing else is guessed, and an argument that nobody knows is refused: a
misspelt filter that is passed over would look like an answer to another question.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from bethink.checks import shown
from bethink.errors import InvalidInput
from bethink.recall.asking import renamed


def _from_json(value: object) -> object:
    if not isinstance(value, str) or value.lstrip()[:1] not in ("[", "{"):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return value


def _as_list(value: object) -> object:
    read = _from_json(value)
    return [read] if isinstance(read, str) else read


Names: TypeAlias = Annotated[list[str], BeforeValidator(_as_list)]
Object: TypeAlias = Annotated[dict[str, Any], BeforeValidator(_from_json)]


class Arguments(BaseModel):
    model_config = ConfigDict(extra="forbid")

    def given(self, *but: str) -> dict[str, Any]:
        """What was said, without these; null is saying nothing."""
        said = self.model_dump(exclude_unset=True, exclude_none=True)
        return {name: value for name, value in said.items() if name not in but}


class Tuning(Arguments):
    """How finely to search. The same names in every interface."""

    meaning_threshold: float | None = Field(None, description="least cosine, -1 to 1")
    words_threshold: float | None = Field(
        None, description="least share of the question's words, 0 to 1"
    )
    floor: float | None = Field(None, description="least relevance, 0 to 1; 0: all that is found")
    weights: Literal["meaning_first", "words_first", "equal"] | Object | None = Field(
        None, description='order of the hits; or {"meaning": 0.7, "words": 0.3}'
    )
    enable_query_expansion: bool | None = Field(
        None, description="false: do not ask again in other words"
    )
    candidates: int | None = Field(None, description="how many each search looks at")


class Recall(Tuning):
    question: str = Field(description="in the user's own words, in any language")
    spaces: Names | None = Field(None, description="where to look; default: the usual space")
    budget: int | None = Field(None, description="tokens that all texts together may cost")
    limit: int | None = Field(None, description="how many hits at most")
    where: Object | None = Field(
        None, description='a filter, e.g. {"kind": "decision"} or {"tags": {"has": "ui"}}'
    )
    as_of: str | None = Field(None, description="what held then (ISO 8601); a day: its end")
    preset: str | None = Field(None, description="balanced, notebook, knowledge, skill, …")
    explain: bool = Field(False, description="add where every hit came from, and the trace")


class Context(Arguments):
    question: str = Field(description="the task or question at hand, in any language")
    spaces: Names | None = Field(None, description="where to look; default: the usual space")
    budget: int | None = Field(None, description="tokens that it may cost")
    limit: int | None = Field(None, description="how many memories at most")
    language: Literal["en", "zh"] | None = Field(
        None, description="of headings (default: the preset's) and of the label (default: en)"
    )


class Remember(Arguments):
    text: str = Field(description="one fact that stands alone, with names instead of pronouns")
    space: str | None = Field(None, description="where; default: the usual space")
    kind: str | None = Field(
        None, description="preference, decision, instruction, fact, task, journal, note, …"
    )
    tags: Names | None = None
    entities: Names | None = Field(None, description="people, projects, systems it is about")
    source: str | None = Field(None, description="where it comes from: a page, file, person")
    confidence: float | None = Field(None, description="0 to 1; default 1")
    occurred_at: str | None = Field(None, description="when it happened (ISO 8601)")
    speaker: str | None = Field(None, description="who said it, by name")
    role: str | None = Field(None, description="user, assistant, tool or other")
    conversation: str | None = None
    supersedes: str | None = Field(None, description="id of the memory that is no longer true")
    heard: bool = Field(
        False,
        description="true for what a page, mail, file or another agent says: it is kept apart, "
        "marked unverified, until a person has looked at it",
    )
    made_from: Names | None = Field(
        None, description="ids that it was summarised from; it is then kept apart as if heard"
    )
    id: str | None = Field(None, description="an id of your own; sent again, nothing changes")
    metadata: Object | None = None


class Get(Arguments):
    id: str = Field(description="as recall, search or recent gave it")


class Revise(Arguments):
    id: str = Field(description="as recall, search or recent gave it")
    text: str | None = Field(None, description="the new text, whole")
    kind: str | None = None
    tags: Names | None = Field(None, description="all of them, not only new ones")
    entities: Names | None = None
    source: str | None = None
    confidence: float | None = None
    occurred_at: str | None = None
    speaker: str | None = None
    role: str | None = None
    conversation: str | None = None
    metadata: Object | None = None


class Forget(Arguments):
    id: str = Field(description="as recall, search or recent gave it")


class Recent(Arguments):
    spaces: Names | None = Field(None, description="where to look; default: the usual space")
    limit: int = Field(20, description="how many")
    cursor: str | None = Field(None, description="from the page before")


class Status(Arguments):
    pass


class Search(Arguments):
    query: str = Field(description="what to look for, in any language")


class Fetch(Arguments):
    id: str = Field(description="as search gave it")


A = TypeVar("A", bound=Arguments)


def read(kind: type[A], sent: Mapping[str, Any]) -> A:
    """Raises InvalidInput that names every fault, in our words."""
    sent, _ = renamed(sent, kind.model_fields)
    try:
        return kind.model_validate(sent)
    except ValidationError as e:
        faults = [_said(kind, fault["loc"], fault["type"], fault["msg"]) for fault in e.errors()]
        raise InvalidInput("; ".join(faults[:5])) from None


def _said(kind: type[Arguments], where: tuple[int | str, ...], fault: str, told: str) -> str:
    name = ".".join(map(str, where))
    if fault == "extra_forbidden":
        known = ", ".join(kind.model_fields) or "no arguments"
        return f"there is no argument {shown(name)}; this tool takes: {known}"
    if fault == "missing":
        return f"{name}: it is needed"
    return f"{name}: {told[:1].lower()}{told[1:]}"
