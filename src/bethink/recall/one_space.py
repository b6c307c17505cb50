"""Refuse to look in more than one space: what belongs to one story is nothing to another."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from bethink.errors import InvalidInput
from bethink.recall.draft import Draft, Kit


@dataclass(frozen=True, slots=True)
class OneSpace:
    name: ClassVar[str] = "one_space"

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        spaces = draft.query.spaces
        if len(spaces) > 1:
            raise InvalidInput(
                f"this preset answers within one space, and {len(spaces)} are named "
                f"({', '.join(spaces[:5])}); name one, or use another preset"
            )
        return draft
