"""What is offered, and what becomes of it."""

from __future__ import annotations

import builtins
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from bethink.checks import check_space
from bethink.engine.shared import Shared
from bethink.vocabulary import Offer, Receipt

if TYPE_CHECKING:
    from bethink.vocabulary import Principal


class Deciding(Shared):
    """The verbs of the tiers; the rest is in `tiers`."""

    def offer(
        self,
        text: str,
        *,
        space: str = "",
        confidence: float = 1.0,
        source: str = "",
        parents: Sequence[str] = (),
        by: Principal | str | None = None,
        speaker: str | None = None,
        role: str | None = None,
        conversation: str | None = None,
        **fields: Any,
    ) -> Offer:
        """Offer what an agent heard or made. It is logged in quarantine, filtered, and admitted to
        working memory or not: the offer says which, and why. Nothing of it is long-term memory
        before it is promoted.

        `parents` are the offers and memories that it was made from; `by` is who offers it: a name,
        or a `Principal` with the name, the door and whether it is trusted.
        `speaker`, `role` and `conversation` say who said it, as for `remember`.
        """
        told = {**fields, "text": text, "confidence": confidence, "source": source}
        said = {"speaker": speaker, "role": role, "conversation": conversation}
        told |= {name: value for name, value in said.items() if value is not None}
        return self.tiers.offer(
            told,
            by=by,
            parents=parents,
            space=check_space(space or self.settings.space),
        )

    def promote(
        self, ids: str | Sequence[str], *, by: Principal | str | None = None, **options: Any
    ) -> builtins.list[Receipt]:
        """Make offers long-term memory, all or none. Options: `reason`, `supersedes` (the memory
        whose place it takes), `spaces`."""
        return self.tiers.promote(ids, by=by, **options)

    def reject(
        self, ids: str | Sequence[str], *, by: Principal | str | None = None, **options: Any
    ) -> builtins.list[Offer]:
        """Let offers stay in the log only. Options: `reason`, `spaces`."""
        return self.tiers.reject(ids, by=by, **options)

    def restore(
        self, ids: str | Sequence[str], *, by: Principal | str | None = None, **options: Any
    ) -> builtins.list[Offer]:
        """Admit what was held, refused, ignored or rejected to working memory after all."""
        return self.tiers.restore(ids, by=by, **options)
