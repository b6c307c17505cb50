"""BM25 by the contract, from what Elasticsearch knows.

Its own score is another: it counts over all spaces of the index, and keeps a passage's length in
one byte. So it only chooses candidates, several times as many as are wanted; how common each term
is in the space comes with them in the same request, and the scores are computed here. So the best
are as the contract says; at the far end, a passage may be missed that its score put below all
candidates.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, Final, NamedTuple

from bethink.filters import Filter
from bethink.stores.elastic.where import Query, among
from bethink.stores.retrievers import Seen
from bethink.text.bm25 import idf, weight
from bethink.text.tokenise import stands_for_many

MOST: Final = 10_000  # what an index returns at once (index.max_result_window)
_WIDER, _AT_LEAST = 4, 200  # candidates for each that is wanted, and at least


class Statistics(NamedTuple):
    """Of one space."""

    passages: int
    length: float  # on average
    holding: Mapping[str, int]


def searches(
    terms: Sequence[str], spaces: Sequence[str], where: Filter | None, limit: int
) -> list[Query]:
    """One for the candidates, then one for the statistics of each space."""
    candidates = {
        "size": candidates_for(limit),
        "track_total_hits": False,
        "_source": ["memory", "ordinal", "version", "space", "terms"],
        "query": {
            "bool": {
                "filter": among(spaces, where),
                "should": [holds(term) for term in terms],
                "minimum_should_match": 1,
            }
        },
    }
    return [candidates, *(_statistics(terms, space) for space in spaces)]


def candidates_for(limit: int) -> int:
    return min(max(limit * _WIDER, _AT_LEAST), MOST)


def holds(term: str) -> Query:
    if stands_for_many(term):
        return {"prefix": {"terms": {"value": term}}}
    return {"term": {"terms": {"value": term}}}


def _statistics(terms: Sequence[str], space: str) -> Query:
    return {
        "size": 0,
        "track_total_hits": True,
        "query": {"bool": {"filter": [{"term": {"space": {"value": space}}}]}},
        "aggs": {
            "length": {"sum": {"field": "length"}},
            "holding": {"filters": {"filters": {str(n): holds(t) for n, t in enumerate(terms)}}},
        },
    }


def statistics(terms: Sequence[str], answer: Mapping[str, Any]) -> Statistics:
    passages: int = answer["hits"]["total"]["value"]
    buckets = answer["aggregations"]["holding"]["buckets"]
    holding = {term: int(buckets[str(n)]["doc_count"]) for n, term in enumerate(terms)}
    return Statistics(
        passages, answer["aggregations"]["length"]["value"] / max(passages, 1), holding
    )


def scored(
    terms: Sequence[str],
    hits: Sequence[Mapping[str, Any]],
    known: Mapping[str, Statistics],
    limit: int,
) -> list[Seen]:
    rarity = {
        space: {term: idf(of.passages, of.holding[term]) for term in terms}
        for space, of in known.items()
    }
    seen: list[Seen] = []
    for hit in hits:
        held = hit["_source"]
        counts = Counter(held["terms"].split())
        length = counts.total()
        average = known[held["space"]].length or length  # 0: the space came to be in between
        score = sum(
            rarity[held["space"]][term] * weight(times, length, average)
            for term in terms
            if (times := _occurs(term, counts))
        )
        seen.append(Seen(held["memory"], held["ordinal"], score, held["version"]))
    return sorted(seen, key=lambda one: -one.score)[:limit]


def _occurs(asked: str, counts: Counter[str]) -> int:
    if not stands_for_many(asked):
        return counts[asked]
    return sum(count for term, count in counts.items() if term.startswith(asked))
