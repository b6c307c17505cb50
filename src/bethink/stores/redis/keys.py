"""Names of our keys. Nothing of one store or tenant is ever looked for under the name of another.
The part in braces keeps them on one node of whatever distributes keys by it."""

from __future__ import annotations

from hashlib import blake2b
from typing import NamedTuple


class Keys(NamedTuple):
    identity: str  # of the store and tenant

    @property
    def _ours(self) -> str:
        return f"bethink:{{{self.identity}}}:"

    def answer(self, key: str) -> str:
        return f"{self._ours}answer:{_short(key)}"

    @property
    def answers(self) -> str:
        """Which answers are there, by when they go."""
        return f"{self._ours}answers"

    @property
    def erasures(self) -> str:
        """How often anything was erased: whoever read the truth before that writes nothing."""
        return f"{self._ours}erasures"

    @property
    def tried(self) -> str:
        """Written to see whether anything can be."""
        return f"{self._ours}tried"


def _short(text: str) -> str:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
