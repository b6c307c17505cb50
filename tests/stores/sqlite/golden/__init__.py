"""Stores in the form of each earlier schema, written by the code before checksums (for schemas 1
and 2 with its list of migrations cut short).

`schema-1.db` holds what `tests.contract.filled.fill` tells; `schema-2-filters.db` the memories of
`filter_memories`; `schema-3.db` the former with something in every tier, an event, and `m7`
revised. They are kept as they were written: no test may make them anew with newer code.
"""

from __future__ import annotations

import gzip
from pathlib import Path

_HERE = Path(__file__).parent


def unpack(name: str, folder: Path) -> Path:
    """Return the path of a copy of this store in the folder, with what stood beside it."""
    for packed in _HERE.glob(f"{name}*.gz"):
        with gzip.open(packed) as file:
            (folder / packed.name.removesuffix(".gz")).write_bytes(file.read())
    return folder / name
