"""All that one store holds, taken to another: `move.py` is the front.

It goes through the contracts of stores and tiers only, so that any two of them will do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "Compared",
    "Contents",
    "Moved",
    "Proof",
    "verify",
]

if TYPE_CHECKING:
    from bethink.relocate.move import Moved, verify
    from bethink.relocate.proof import Compared, Contents, Proof
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.relocate.move": "Moved verify",
            "bethink.relocate.proof": "Compared Contents Proof",
        },
    )
