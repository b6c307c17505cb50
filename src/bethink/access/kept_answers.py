"""An answer as it may be kept beside the store for a day: without any text.

What was offered is kept as its id, and shown as it stands when it is asked for again; notes and
reasons, which may quote, and the names of documents are left out. So nothing that is forgotten
stays behind in an answer.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

_OFFER = frozenset({"id", "text", "decision", "offered_at"})
_MARK = "$offer"
_SAYING: dict[str, Any] = {"notes": [], "why": "", "address": ""}


def without_text(answer: Any) -> Any:
    if isinstance(answer, dict):
        if answer.keys() >= _OFFER:
            return {_MARK: answer["id"]}
        return {
            name: _SAYING[name] if name in _SAYING else without_text(value)
            for name, value in answer.items()
        }
    if isinstance(answer, list):
        return [without_text(one) for one in answer]
    return answer


def with_offers(kept: Any, offer: Callable[[str], dict[str, Any] | None]) -> Any:
    """`offer` gives an offer by its id; None: it was forgotten since."""
    if isinstance(kept, dict):
        if kept.keys() == {_MARK}:
            return offer(kept[_MARK]) or {"id": kept[_MARK], "forgotten": True}
        return {name: with_offers(value, offer) for name, value in kept.items()}
    if isinstance(kept, list):
        return [with_offers(one, offer) for one in kept]
    return kept
