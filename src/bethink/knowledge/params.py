"""What a knowledge base is asked, as data: one value for Python, REST, MCP and the command line.

Whatever is left out is taken from what holds for the knowledge base, else for the store (in a
server: the tenant), else from the settings, else from the preset (docs/reference/knowledge.md).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, fields, replace
from typing import Any, NamedTuple

from bethink.checks import check_encodable, check_space, shown
from bethink.errors import InvalidInput
from bethink.recall.asking import renamed, weights_of
from bethink.settings import RANGES, Settings
from bethink.vocabulary import Weights

MOST_DOCUMENTS = 100  # named in one question
_MOST_TAGS = 50


class Field(NamedTuple):
    """What a parameter is, for whoever describes it."""

    kind: str  # as JSON Schema calls it
    meaning: str
    setting: str = ""  # which says what holds where the question says nothing


FIELDS: Mapping[str, Field] = {
    "query_text": Field("string", "the question, in any language"),
    "vector_threshold": Field(
        "number",
        "the least cosine between the question and a passage found by meaning, -1 to 1; what is "
        "usual depends on the embedder",
        "meaning_threshold",
    ),
    "keyword_threshold": Field(
        "number",
        "the least share of the question's telling words in a passage found by words, 0 to 1; "
        "whoever holds an identifier of the question exactly is left alone",
        "words_threshold",
    ),
    "match_count": Field("integer", "the most passages that are handed out", "limit"),
    "disable_keywords_match": Field(
        "boolean", "true: nothing is looked for by words or identifiers", "match_words"
    ),
    "disable_vector_match": Field(
        "boolean", "true: nothing is looked for by meaning", "match_meaning"
    ),
    "floor": Field(
        "number",
        "a relevance, 0 to 1: what is below it is not handed out; 0 hands out all",
        "floor",
    ),
    "weights": Field(
        "object",
        'the order of the passages: "meaning_first", "words_first", "equal", or two numbers like '
        '{"meaning": 0.7, "words": 0.3}',
    ),
    "enable_query_expansion": Field(
        "boolean",
        "false: the question is not asked again in other words if little is found",
        "enable_query_expansion",
    ),
    "candidates": Field("integer", "how many passages each search looks at, 1 to 1,000"),
    "budget": Field("integer", "the most tokens that the passages have together", "budget"),
    "knowledge_bases": Field("array", "search these instead of this one alone, by their names"),
    "documents": Field("array", "only these documents, by id or by address"),
    "tags": Field("array", "only what has one of these tags"),
    "where": Field("object", "only what fits this filter (docs/reference/filters.md)"),
}
_RANGED = (
    "vector_threshold", "keyword_threshold", "match_count", "floor", "candidates", "budget",
)  # fmt: skip
_SWITCHES = ("disable_keywords_match", "disable_vector_match", "enable_query_expansion")
# The names that `Engine.recall` and the other interfaces have for them.
PARAMETER_ALIASES: Mapping[str, str] = {
    "question": "query_text",
    "query": "query_text",
    "meaning_threshold": "vector_threshold",
    "words_threshold": "keyword_threshold",
    "limit": "match_count",
}
_LISTS = ("knowledge_bases", "documents", "tags")


@dataclass(frozen=True, slots=True)
class SearchParams:
    """A question to a knowledge base. `FIELDS` says what each is, and on which scale."""

    query_text: str
    vector_threshold: float | None = None
    keyword_threshold: float | None = None
    match_count: int | None = None
    disable_keywords_match: bool | None = None
    disable_vector_match: bool | None = None
    floor: float | None = None
    weights: str | Mapping[str, Any] | Weights | None = field(default=None, hash=False)
    enable_query_expansion: bool | None = None
    candidates: int | None = None
    budget: int | None = None
    knowledge_bases: tuple[str, ...] = ()
    documents: tuple[str, ...] | None = None  # None: all
    tags: tuple[str, ...] | None = None
    where: Mapping[str, Any] | None = field(default=None, hash=False)

    def __post_init__(self) -> None:
        if not isinstance(self.query_text, str):
            raise InvalidInput(f"query_text: expected the question, got {shown(self.query_text)}")
        if not self.query_text.strip():
            raise InvalidInput("the question is empty; ask for something")
        for name in _RANGED:
            _check_range(name, getattr(self, name))
        for name in _SWITCHES:
            value = getattr(self, name)
            if value is not None and not isinstance(value, bool):
                raise InvalidInput(f"{name}: expected true or false, got {shown(value)}")
        if self.weights is not None:
            object.__setattr__(self, "weights", weights_of(self.weights))
        for name in _LISTS:
            told = getattr(self, name)
            if told is not None or name == "knowledge_bases":
                object.__setattr__(self, name, _names(name, told))
        for space in self.knowledge_bases:
            check_space(space)
        _some("documents", self.documents, MOST_DOCUMENTS)
        _some("tags", self.tags, _MOST_TAGS)
        if self.where is not None and not isinstance(self.where, Mapping):
            raise InvalidInput(f"where: expected a filter as an object, got {shown(self.where)}")

    @classmethod
    def of(cls, asked: SearchParams | Mapping[str, Any] | str, **changes: Any) -> SearchParams:
        """Out of a question, out of data, or out of other parameters; `changes` come on top."""
        changes, came_as = renamed(changes, FIELDS, PARAMETER_ALIASES)
        _known(changes)
        if "query_text" in changes and not isinstance(asked, SearchParams | Mapping):
            raise InvalidInput("the question is given twice; leave query_text out")
        with _named_as(came_as):
            if isinstance(asked, SearchParams):
                return replace(asked, **changes)
            if isinstance(asked, Mapping):
                told, said = renamed(asked, FIELDS, PARAMETER_ALIASES)
                with _named_as(said):
                    return cls.from_data({**told, **changes})
            return cls(asked, **changes)

    @classmethod
    def from_data(cls, data: object) -> SearchParams:
        """As a door receives it. An unknown name is an error: a limit that is not understood would
        not hold."""
        if not isinstance(data, Mapping):
            raise InvalidInput(f'expected an object with a "query_text", got {shown(data)}')
        data, came_as = renamed(data, FIELDS, PARAMETER_ALIASES)
        _known(data)
        if "query_text" not in data:
            raise InvalidInput('"query_text" is missing: what is asked?')
        told = {name: value for name, value in data.items() if value is not None}
        with _named_as(came_as):
            return cls(**{"query_text": data["query_text"], **told})

    def as_data(self) -> dict[str, Any]:
        """What is set, as `from_data` reads it."""
        told = {one.name: getattr(self, one.name) for one in fields(self)}
        return {name: _plain(v) for name, v in told.items() if v is not None and v != ()}

    to_dict = as_data

    def searches(self, settings: Settings) -> dict[str, bool]:
        """By words, by meaning: as asked, else as set."""
        words, meaning = self.disable_keywords_match, self.disable_vector_match
        return {
            "words": settings.match_words if words is None else not words,
            "meaning": settings.match_meaning if meaning is None else not meaning,
        }


def schema() -> dict[str, Any]:
    """JSON Schema of the parameters, for doors that describe themselves."""
    described: dict[str, Any] = {}
    for name, told in FIELDS.items():
        described[name] = {"type": told.kind, "description": told.meaning}
        if name in _RANGED:
            least, most = RANGES[told.setting or name]
            described[name] |= {"minimum": least, "maximum": most}
        if name in _LISTS:
            described[name]["items"] = {"type": "string"}
    described["weights"]["type"] = ["string", "object"]
    described["documents"]["maxItems"] = MOST_DOCUMENTS
    described["tags"]["maxItems"] = _MOST_TAGS
    return {
        "type": "object",
        "properties": described,
        "required": ["query_text"],
        "additionalProperties": False,
    }


@contextmanager
def _named_as(came_as: Mapping[str, str]) -> Iterator[None]:
    """Make an error name a parameter as the caller named it."""
    try:
        yield
    except InvalidInput as e:
        name, colon, rest = str(e).partition(":")
        if name not in came_as:
            raise
        raise InvalidInput(f"{came_as[name]}{colon}{rest}") from None


def _plain(value: object) -> Any:
    if isinstance(value, Weights):
        return value._asdict()
    return list(value) if isinstance(value, tuple) else value


def _known(names: Iterable[str]) -> None:
    for name in names:
        if name not in FIELDS:
            raise InvalidInput(
                f"there is no search parameter {shown(name)}; known: {', '.join(FIELDS)}"
            )


def _check_range(name: str, value: object) -> None:
    if value is None:
        return
    kinds = int if FIELDS[name].kind == "integer" else int | float
    least, most = RANGES[FIELDS[name].setting or name]
    # not a number (NaN) is in no range
    if isinstance(value, bool) or not isinstance(value, kinds) or not least <= value <= most:
        what = "a whole number" if kinds is int else "a number"
        raise InvalidInput(
            f"{name}: expected {what} from {least:,} to {most:,} ({FIELDS[name].meaning}), "
            f"got {shown(value)}"
        )


def _names(name: str, value: object) -> tuple[str, ...]:
    listed = (value,) if isinstance(value, str) else value
    if not isinstance(listed, Iterable) or isinstance(listed, Mapping | bytes):
        raise InvalidInput(f"{name}: expected a list of names, got {shown(value)}")
    told = tuple(listed)
    for one in told:
        if not isinstance(one, str) or not one.strip():
            raise InvalidInput(f"{name}: expected names, got {shown(one)}")
        check_encodable(one, name=name)
    return tuple(dict.fromkeys(told))


def _some(name: str, told: tuple[str, ...] | None, most: int) -> None:
    """Whoever may see none of them must not get all, so an empty list is not the same as none."""
    if told is None:
        return
    if not told:
        raise InvalidInput(
            f"{name}: the list is empty, so nothing could be found; name some, or leave it out to "
            "search everything"
        )
    if len(told) > most:
        raise InvalidInput(
            f"{name}: {len(told)} are named; at most {most} can be asked for at once"
        )
