"""The part of the query language that is used, by its documentation: unknown names are refused, and
what is asked is answered, ranked by a BM25 over the whole index with lengths in one byte."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from tests.stores.elastic.indexes import Index, Json, bad, only

Matcher = Callable[[str, Json], float | None]  # a score, or None: it does not match
_MOST = 10_000
_STANDARD = re.compile(r"[\u4e00-\u9fff]|[^\W\u4e00-\u9fff]+")  # Chinese one by one, no signs
_BODY = ("size", "from", "track_total_hits", "_source", "query", "sort", "search_after", "aggs",
         "knn", "timeout")  # fmt: skip


def answered(index: Index, body: Json, *, dense_vectors: bool) -> Json:
    only(body, *_BODY, at="search")
    size = body.get("size", 10)
    if not 0 <= size <= _MOST:
        raise bad(f"Result window is too large, from + size must be <= [{_MOST}] but was [{size}]")
    documents = index.searched()
    if "knn" in body:
        if not dense_vectors:
            raise bad("unknown field [knn]", "parsing_exception")
        found = _nearest(index, documents, body["knn"])
    else:
        matcher = matching(index, body.get("query", {"match_all": {}}))
        found = [
            (score, key, document)
            for key, document in documents
            if (score := matcher(key, document)) is not None
        ]
    total, aggregations = len(found), _aggregated(index, found, body.get("aggs", {}))
    hits = _page(index, sorted(found, key=lambda one: -one[0]), body, size)
    answer: Json = {
        "took": 1,
        "timed_out": False,
        "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
        "hits": {"hits": hits, "max_score": None},
        "status": 200,
    }
    if body.get("track_total_hits", True):
        answer["hits"]["total"] = {"value": total, "relation": "eq"}
    if aggregations:
        answer["aggregations"] = aggregations
    return answer


def _page(index: Index, found: list[tuple[float, str, Json]], body: Json, size: int) -> list[Json]:
    sort = body.get("sort")
    if sort is None:
        if "search_after" in body:
            raise bad("Sort must contain at least one field.")
        return [_hit(index, key, doc, body, score=score) for score, key, doc in found[:size]]
    ((field, order),) = sort[0].items()
    told = index.fields.get(field, {})
    if len(sort) != 1 or order != "asc" or told.get("type") != "keyword":
        raise bad(f"No mapping found for [{field}] in order to sort on", "query_shard_exception")
    if not told.get("doc_values", True):
        raise bad(f"Can't load fielddata on [{field}]")
    ordered = sorted(found, key=lambda one: str(one[2].get(field, "\U0010ffff")))
    if "search_after" in body:
        (after,) = body["search_after"]
        ordered = [one for one in ordered if str(one[2].get(field)) > after]
    return [
        _hit(index, key, doc, body, score=None) | {"sort": [doc.get(field)]}
        for _, key, doc in ordered[:size]
    ]


def _hit(index: Index, key: str, document: Json, body: Json, *, score: float | None) -> Json:
    wanted = body.get("_source", list(document))
    source = {name: document[name] for name in wanted if name in document}
    return {"_index": index.name, "_id": key, "_score": score, "_source": source}


# Queries


def matching(index: Index, query: Json) -> Matcher:
    if not isinstance(query, dict) or len(query) != 1:
        raise bad("[query] malformed, expected one query", "parsing_exception")
    ((kind, told),) = query.items()
    kinds: dict[str, Callable[[Index, Any], Matcher]] = {
        "bool": _bool,
        "term": _term,
        "terms": _terms,
        "prefix": _prefix,
        "range": _range,
        "exists": _exists,
        "ids": _ids,
        "match_all": lambda _index, _told: lambda _key, _doc: 1.0,
    }
    if kind not in kinds:
        raise bad(f"unknown query [{kind}]", "parsing_exception")
    return kinds[kind](index, told)


def _bool(index: Index, told: Json) -> Matcher:
    only(told, "filter", "must", "must_not", "should", "minimum_should_match", at="bool")
    filters = [matching(index, one) for one in told.get("filter", [])]
    forbidden = [matching(index, one) for one in told.get("must_not", [])]
    should = [matching(index, one) for one in told.get("should", [])]
    least = told.get("minimum_should_match", 0 if filters else 1) if should else 0

    def match(key: str, document: Json) -> float | None:
        if any(one(key, document) is None for one in filters):
            return None
        if any(one(key, document) is not None for one in forbidden):
            return None
        scores = [s for one in should if (s := one(key, document)) is not None]
        return sum(scores) if len(scores) >= least else None

    return match


def _searchable(index: Index, field: str) -> Json:
    if field not in index.fields:  # Elasticsearch would find nothing; for us it is a mistake
        raise bad(f"no mapping for [{field}]", "query_shard_exception")
    told: Json = index.fields[field]
    if not told.get("index", True):
        raise bad(f"Cannot search on field [{field}] since it is not indexed nor has doc values")
    return told


def _one_field(told: Json, at: str) -> tuple[str, Any]:
    if not isinstance(told, dict) or len(told) != 1:
        raise bad(f"[{at}] query doesn't support multiple fields", "parsing_exception")
    ((field, value),) = told.items()
    return field, value


def _tokens(index: Index, field: str, document: Json) -> list[Any]:
    value = document.get(field)
    if value is None:
        return []
    if index.fields[field]["type"] == "text":
        if index.fields[field].get("analyzer") == "whitespace":
            return str(value).split()
        return _STANDARD.findall(str(value).lower())
    return value if isinstance(value, list) else [value]


def _term(index: Index, told: Json) -> Matcher:
    field, value = _one_field(told, "term")
    _searchable(index, field)
    if isinstance(value, dict):
        only(value, "value", "boost", "case_insensitive", at="term")
        value = value["value"]
    weigh = _bm25(index, field, value)
    return lambda _key, doc: weigh(doc) if value in _tokens(index, field, doc) else None


def _terms(index: Index, told: Json) -> Matcher:
    field, values = _one_field({k: v for k, v in told.items() if k != "boost"}, "terms")
    _searchable(index, field)
    if not isinstance(values, list) or len(values) > 65_536:
        raise bad("[terms] query requires a list of at most 65536 values", "parsing_exception")
    wanted = set(values)
    return lambda _key, doc: 1.0 if wanted & set(_tokens(index, field, doc)) else None


def _prefix(index: Index, told: Json) -> Matcher:
    field, value = _one_field(told, "prefix")
    _searchable(index, field)
    only(value, "value", "rewrite", "boost", "case_insensitive", at="prefix")
    begin = value["value"]
    return lambda _key, doc: (
        1.0 if any(t.startswith(begin) for t in _tokens(index, field, doc)) else None
    )


def _range(index: Index, told: Json) -> Matcher:
    field, bounds = _one_field(told, "range")
    kind = _searchable(index, field)["type"]
    only(bounds, "gt", "gte", "lt", "lte", "boost", at="range")
    if kind not in ("long", "integer", "double"):
        raise bad(f"[range] on [{field}] of type [{kind}]", "query_shard_exception")

    def match(_key: str, document: Json) -> float | None:
        value = document.get(field)
        if value is None:
            return None
        holds = (
            value > bounds.get("gt", -math.inf)
            and value >= bounds.get("gte", -math.inf)
            and value < bounds.get("lt", math.inf)
            and value <= bounds.get("lte", math.inf)
        )
        return 1.0 if holds else None

    return match


def _exists(index: Index, told: Json) -> Matcher:
    only(told, "field", "boost", at="exists")
    field = told["field"]
    _searchable(index, field)
    return lambda _key, doc: 1.0 if doc.get(field) not in (None, []) else None


def _ids(_index: Index, told: Json) -> Matcher:
    only(told, "values", "boost", at="ids")
    wanted = set(told["values"])
    return lambda key, _doc: 1.0 if key in wanted else None


def _bm25(index: Index, field: str, term: Any) -> Callable[[Json], float]:
    if index.fields[field]["type"] != "text":
        return lambda _document: 1.0
    held = [tokens for _, doc in index.searched() if (tokens := _tokens(index, field, doc))]
    holding = sum(term in tokens for tokens in held)
    average = sum(map(len, held)) / max(len(held), 1)
    rarity = math.log(1 + (len(held) - holding + 0.5) / (holding + 0.5))

    def weigh(document: Json) -> float:
        tokens = _tokens(index, field, document)
        times, length = tokens.count(term), _in_a_byte(len(tokens))
        return rarity * times / (times + 1.2 * (0.25 + 0.75 * length / average))

    return weigh


def _in_a_byte(length: int) -> int:
    """What is left of a length: four bits of it, above 40."""
    shift = max(length.bit_length() - 4, 0)
    return length if length < 40 else length >> shift << shift


# Meaning, aggregations


def _nearest(
    index: Index, documents: list[tuple[str, Json]], told: Json
) -> list[tuple[float, str, Json]]:
    only(told, "field", "query_vector", "k", "num_candidates", "filter", "boost", at="knn")
    field, asked, k = told["field"], told["query_vector"], told["k"]
    mapped = _searchable(index, field)
    if mapped["type"] != "dense_vector" or len(asked) != mapped["dims"]:
        raise bad(f"the query vector has a different dimension [{len(asked)}]")
    if not 1 <= k <= told["num_candidates"] <= _MOST:
        raise bad("[num_candidates] must be from [k] to 10000")
    matcher = matching(index, told["filter"])
    quantised = mapped["index_options"]["type"].startswith("int8")
    length = math.hypot(*asked)
    scored = [
        ((1 + sum(map(float.__mul__, asked, held)) / length / math.hypot(*held)) / 2, key, doc)
        for key, doc in documents
        if field in doc and matcher(key, doc) is not None
        for held in (_in_a_byte_each(doc[field]) if quantised else doc[field],)
    ]
    return sorted(scored, key=lambda one: -one[0])[:k]


def _in_a_byte_each(vector: list[float]) -> list[float]:
    """What is left of the numbers where they are quantised: cosines are not the cosines."""
    most = max(map(abs, vector))
    return [round(one / most * 20) / 20 for one in vector]


def _aggregated(index: Index, found: list[tuple[float, str, Json]], aggs: Json) -> Json:
    answer: Json = {}
    for name, told in aggs.items():
        ((kind, how),) = told.items()
        if kind == "sum":
            only(how, "field", at="sum")
            if _searchable(index, how["field"])["type"] not in ("integer", "long", "double"):
                raise bad(f"Field [{how['field']}] is not supported for aggregation [sum]")
            answer[name] = {"value": float(sum(doc.get(how["field"], 0) for _, _, doc in found))}
        elif kind == "filters":
            only(how, "filters", "other_bucket", at="filters")
            buckets = {}
            for label, query in how["filters"].items():
                matcher = matching(index, query)
                count = sum(matcher(key, doc) is not None for _, key, doc in found)
                buckets[label] = {"doc_count": count}
            answer[name] = {"buckets": buckets}
        else:
            raise bad(f"Unknown aggregation type [{kind}]", "parsing_exception")
    return answer
