"""How many candidates a search asks for.

Without a threshold, some more than the answer can show. With one, many more: what it cuts must not
leave the answer short of passages that would have stood it, just below the last one looked at.
"""

from __future__ import annotations

from bethink.vocabulary import Query

LEAST = 100  # passages looked at before a threshold cuts, whatever the limit
MOST = 1_000  # and never more: a threshold is no reason to look at everything


def how_many(
    candidates: int, query: Query, *, threshold: float | None, per_hit: int, exactly: bool
) -> int:
    """The question's own count is taken as it is, except that the answer must fit into it.
    `exactly`: a preset that fuses the first ten of each list wants ten, whatever the limit."""
    if query.candidates is not None:
        return max(query.candidates, query.limit)
    if exactly:
        return candidates
    if threshold is None:
        return max(candidates, 2 * query.limit)
    return min(MOST, max(candidates, LEAST, per_hit * query.limit))
