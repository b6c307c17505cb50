"""What was measured for an embedder: whoever interprets cosines has a table of it.

Keys are the beginnings of fingerprints, so another version of a model is measured anew. Where two
models share a vector, a text that both read and one that only the first reads are told apart.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")


class ByScript(NamedTuple, Generic[T]):
    latin: T
    other: T


def measured(
    table: Mapping[str, T | ByScript[T]], fingerprint: str | None, text: str, otherwise: T
) -> T:
    """What holds for this embedder and text; `otherwise` for an embedder that nobody measured."""
    for beginning, found in table.items():
        if fingerprint is not None and fingerprint.startswith(beginning):
            if not isinstance(found, ByScript):
                return found
            from bethink.text.scripts import mostly_latin

            chosen: T = found.latin if mostly_latin(text) else found.other
            return chosen
    return otherwise
