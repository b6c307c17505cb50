"""Take a source in, or say what would be taken; and what became of every record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from bethink.errors import BethinkError, Conflict
from bethink.formats.plan import KEPT_FAILURES, Plan
from bethink.formats.taking import Failed


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What was found, where it went, and what could not be taken and why."""

    format: str
    what: str
    found: int
    # created, unchanged (was here), conflict (here, with another text), revised
    fates: Mapping[str, int]
    spaces: Mapping[str, str]  # owner in the source ("" where it names none) -> space
    owners: Mapping[str, int]
    left_out: Mapping[str, int]
    failed: tuple[Failed, ...]  # the first thousand
    failures: int
    differing: tuple[str, ...]  # where those were read that are here with another text
    dry_run: bool


def take_in(
    plan: Plan,
    write: Callable[
        [Iterable[Mapping[str, Any]], Callable[[int, BethinkError], None]], Counter[str]
    ],
    *,
    dry_run: bool,
    revise: Callable[[set[int]], Counter[str]] | None = None,
) -> ImportReport:
    """`write` takes the records, and a place to tell what it refuses. `revise` is given the numbers
    of those that are here with another text, and says what became of them."""

    differing: list[str] = []
    numbers: set[int] = set()

    def refused(number: int, error: BethinkError) -> None:
        place = plan.places[number - 1]
        if not isinstance(error, Conflict):
            plan.failures.add(Failed(place, str(error)))
            return
        numbers.add(number)
        if len(differing) < KEPT_FAILURES:
            differing.append(place)

    fates = write(plan.records(), refused)
    if revise is not None and numbers:
        fates.subtract({"conflict": len(numbers)})
        fates += revise(numbers)  # which leaves out what is 0
    return ImportReport(
        format=plan.format,
        what=plan.what,
        found=plan.memories,
        fates=dict(fates),
        spaces=plan.spaces,
        owners=dict(plan.owners),
        left_out=dict(plan.left_out),
        failed=tuple(plan.failures.told),
        failures=plan.failures.count,
        differing=tuple(differing),
        dry_run=dry_run,
    )
