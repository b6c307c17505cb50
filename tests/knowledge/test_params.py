"""What a knowledge base can be asked, as data."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from bethink.errors import InvalidInput
from bethink.knowledge.params import FIELDS, SearchParams, schema
from bethink.settings import OVERRIDABLE, RANGES, Settings

FULL: dict[str, Any] = {
    "query_text": "离职通知期 notice period",
    "vector_threshold": 0.25,
    "keyword_threshold": 0.5,
    "match_count": 3,
    "disable_keywords_match": False,
    "disable_vector_match": True,
    "floor": 0.2,
    "weights": {"meaning": 0.7, "words": 0.3},
    "enable_query_expansion": False,
    "candidates": 200,
    "budget": 900,
    "knowledge_bases": ["handbook", "手册"],
    "documents": ["hr/handbook.pdf", "人事/手册.docx"],
    "tags": ["hr", "人事"],
    "where": {"metadata.author": "小李"},
}


def test_data_and_back() -> None:
    params = SearchParams.from_data(FULL)
    assert params.as_data() == FULL
    assert SearchParams.from_data(params.as_data()) == params
    assert SearchParams("预算").as_data() == {"query_text": "预算"}
    assert SearchParams.from_data({"query_text": "预算", "match_count": None}) == SearchParams(
        "预算"
    )


def test_a_question_or_other_parameters_with_changes() -> None:
    params = SearchParams.of("预算 budget", match_count=2)
    assert params == SearchParams("预算 budget", match_count=2)
    assert SearchParams.of(params, match_count=5, tags="hr").tags == ("hr",)
    assert SearchParams.of({"query_text": "预算"}, match_count=5).match_count == 5


def test_the_names_of_recall_are_accepted_too() -> None:
    params = SearchParams.of(
        {"query": "预算", "meaning_threshold": 0.4, "words_threshold": 0.2, "limit": 3}
    )
    assert params == SearchParams(
        "预算", vector_threshold=0.4, keyword_threshold=0.2, match_count=3
    )
    assert SearchParams.of("预算", limit=3) == SearchParams("预算", match_count=3)
    named = SearchParams.of("预算", weights="meaning first").weights
    assert named == SearchParams.of("预算", weights="meaning_first").weights == (0.7, 0.3)


def test_every_field_is_described_and_every_default_can_be_set() -> None:
    assert list(FIELDS) == [one.name for one in fields(SearchParams)]
    settings = {told.setting for told in FIELDS.values() if told.setting}
    assert settings == {
        "meaning_threshold", "words_threshold", "limit", "match_words", "match_meaning", "budget",
        "floor", "enable_query_expansion",
    }  # fmt: skip
    assert settings <= OVERRIDABLE


def test_the_schema_says_the_same() -> None:
    described = schema()["properties"]
    assert list(described) == list(FIELDS) and schema()["additionalProperties"] is False
    ranged = [name for name in described if "minimum" in described[name]]
    assert ranged == [
        "vector_threshold", "keyword_threshold", "match_count", "floor", "candidates", "budget",
    ]  # fmt: skip
    for name in ranged:
        least, most = described[name]["minimum"], described[name]["maximum"]
        assert (least, most) == RANGES[FIELDS[name].setting or name]
        for value in (least, most):
            SearchParams.from_data({"query_text": "x", name: value})
        for value in (least - 1, most + 1):
            with pytest.raises(InvalidInput, match=f"{name}: expected"):
                SearchParams.from_data({"query_text": "x", name: value})
    kinds = {"string": str, "number": float, "integer": int, "boolean": bool, "array": list,
             "object": dict}  # fmt: skip
    for name, value in FULL.items():
        kind = described[name]["type"]
        allowed = kind if isinstance(kind, list) else [kind]
        assert type(value) in [kinds[one] for one in allowed], name
    assert described["documents"]["items"] == {"type": "string"}


@pytest.mark.parametrize(
    ("told", "message"),
    [
        ({}, '"query_text" is missing'),
        ({"query_text": " \n"}, "the question is empty"),
        ({"query_text": 7}, "expected the question, got 7"),
        ({"query_text": None}, "expected the question, got None"),
        ({"query_text": "x", "vector_threshold": float("nan")}, "vector_threshold: expected a num"),
        ({"query_text": "x", "vector_threshold": "0.5"}, "a number from -1 to 1"),
        ({"query_text": "x", "keyword_threshold": True}, "keyword_threshold: expected a number"),
        ({"query_text": "x", "keyword_threshold": -0.1}, "from 0 to 1"),
        ({"query_text": "x", "match_count": 2.5}, "match_count: expected a whole number"),
        ({"query_text": "x", "match_count": 0}, "from 1 to 1,000"),
        ({"query_text": "x", "disable_vector_match": "no"}, "expected true or false, got 'no'"),
        ({"query_text": "x", "documents": 5}, "documents: expected a list of names"),
        ({"query_text": "x", "documents": [5]}, "documents: expected names, got 5"),
        ({"query_text": "x", "documents": [["a"]]}, "documents: expected names"),
        ({"query_text": "x", "documents": [str(n) for n in range(101)]}, "at most 100"),
        ({"query_text": "x", "tags": ["a", ""]}, "tags: expected names, got ''"),
        ({"query_text": "工资", "tags": []}, "tags: the list is empty"),
        ({"query_text": "salaries", "documents": []}, "documents: the list is empty"),
        ({"query_text": "x", "knowledge_bases": ["a b"]}, "is no name for a space"),
        ({"query_text": "x", "where": "kind"}, "where: expected a filter"),
        ({"query_text": "x", "top_k": 5}, "no search parameter 'top_k'; known: query_text, "),
        ({"query": "x", "limit": 0}, "limit: expected a whole number from 1 to 1,000"),
        ({"question": "x", "query": "x"}, "query: the same as question; give one of them"),
        ({"query": "x", "weights": "most"}, "weights: expected meaning_first, words_first, equal"),
        ({"query": "x", "weights": {"meaning": 2, "words": 0}}, "weights: expected numbers from 0"),
        ({"query": "x", "weights": {"meaning": 0, "words": 0}}, "weights: both are 0"),
        ({"query": "x", "candidates": 1001}, "candidates: expected a whole number from 1 to 1,000"),
        ("x", 'expected an object with a "query_text", got'),
    ],
)
def test_what_is_wrong_is_told(told: object, message: str) -> None:
    with pytest.raises(InvalidInput) as error:
        SearchParams.from_data(told)
    assert message in str(error.value)


def test_an_unknown_name_is_wrong_everywhere() -> None:
    with pytest.raises(InvalidInput, match="no search parameter 'top_k'"):
        SearchParams.of("x", top_k=5)


@pytest.mark.parametrize("asked", ["预算", None])
def test_a_question_that_is_given_twice(asked: Any) -> None:
    with pytest.raises(InvalidInput, match="given twice"):
        SearchParams.of(asked, query_text="budget")


def test_which_searches_are_made() -> None:
    quiet = Settings(match_words=False, match_meaning=False)
    assert SearchParams("x").searches(Settings()) == {"words": True, "meaning": True}
    assert SearchParams("x").searches(quiet) == {"words": False, "meaning": False}
    loud = SearchParams("x", disable_keywords_match=False, disable_vector_match=False)
    assert loud.searches(quiet) == {"words": True, "meaning": True}
    off = SearchParams("x", disable_keywords_match=True, disable_vector_match=True)
    assert off.searches(Settings()) == {"words": False, "meaning": False}
