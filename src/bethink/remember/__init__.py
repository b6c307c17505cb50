"""Writing: what a write did, and how it is decided whether something is known already."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "Action",
    "Bounds",
    "Judgement",
    "Receipt",
    "Revision",
    "Verdict",
    "judge",
]

if TYPE_CHECKING:
    from bethink.remember.sameness import Bounds, Judgement, Verdict, judge
    from bethink.vocabulary import Action, Receipt, Revision
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.remember.sameness": "Bounds Judgement Verdict judge",
            "bethink.vocabulary": "Action Receipt Revision",
        },
    )
