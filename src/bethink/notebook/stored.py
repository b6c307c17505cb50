"""Pieces of a file as the store holds them.

The file is a person's own and stays as it is, secrets and all; what is kept, embedded or compared
with the store is without them. So a line that holds one is still known again by its place and by
the words around it.
"""

from __future__ import annotations

from collections.abc import Sequence

from bethink.notebook.parse import Piece

_TEXTS = ("text", "kind", "section", "tags", "entities", "metadata")


def as_stored(pieces: Sequence[Piece], *, redact: bool) -> list[Piece]:
    if not redact:
        return list(pieces)
    from bethink.remember.redacting import redacted_fields

    done: list[Piece] = []
    for piece in pieces:
        fields = {name: getattr(piece, name) for name in _TEXTS}
        cleaned = redacted_fields(fields)
        same = cleaned == fields
        done.append(piece if same else piece._replace(**{n: cleaned[n] for n in _TEXTS}))
    return done
