"""How others keep memories, and how we take them: one file for each format.

A reader turns a source into `Taken` records, and names what it could not take (`Failed`) or left
aside on purpose (`LeftOut`). It decides neither spaces nor ids: `plan.py` does, for all alike.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "FORMATS",
    "Exported",
    "Failed",
    "ImportReport",
    "LeftOut",
    "Taken",
]

if TYPE_CHECKING:
    from bethink.formats.export_markdown import Exported
    from bethink.formats.names import FORMATS
    from bethink.formats.take_in import ImportReport
    from bethink.formats.taking import Failed, LeftOut, Taken
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.formats.export_markdown": "Exported",
            "bethink.formats.names": "FORMATS",
            "bethink.formats.take_in": "ImportReport",
            "bethink.formats.taking": "Failed LeftOut Taken",
        },
    )
