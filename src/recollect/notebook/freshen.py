"""Before a question: read what changed in the books of its spaces, within a bound.

If the bound is not enough, or a folder is not there, the answer is given all the same and says that
it is stale and why.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import ClassVar

from recollect.errors import RecollectError
from recollect.notebook.report import SyncReport
from recollect.recall.draft import Draft, Kit
from recollect.vocabulary import Status

# Looking at ten thousand files takes a fifth of a second: not again for the next question at once.
_AGAIN_AFTER = 1.0  # seconds


class Freshener:
    """Remembers when it last looked, for one engine."""

    def __init__(self, sync: Callable[[Sequence[str], float], SyncReport]) -> None:
        self._sync = sync
        self._lock = threading.Lock()
        self._last: dict[tuple[str, ...], tuple[float, SyncReport | str]] = {}

    def freshen(self, spaces: tuple[str, ...], within: float) -> tuple[SyncReport | str, bool]:
        """What the last look found (as text: why there was none), and whether it was just now."""
        began = time.monotonic()
        if not self._lock.acquire(timeout=within):  # another thread is at it
            return "the books are being read at this moment", False
        try:
            key = tuple(sorted(spaces))
            at, report = self._last.get(key, (0.0, ""))
            if key in self._last and began - at < _AGAIN_AFTER:
                return report, False
            try:
                report = self._sync(spaces, max(0.0, within - (time.monotonic() - began)))
            except (RecollectError, OSError) as e:  # a question is answered whatever the files do
                report = str(e)
            self._last[key] = (time.monotonic(), report)
            return report, True
        finally:
            self._lock.release()


@dataclass(frozen=True, slots=True)
class Freshen:
    """The first stage of a question to a store that has books."""

    name: ClassVar[str] = "freshen"
    freshener: Freshener
    seconds: float

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        within = min(self.seconds, kit.deadline.left() / 2)
        report, now = self.freshener.freshen(draft.query.spaces, within)
        if isinstance(report, str):
            return draft.fault(Status.STALE, f"the files could not be looked at: {report}")
        if not report.complete:
            reason = "; ".join(report.faults)
            draft = draft.fault(Status.STALE, f"the index is behind the files: {reason}")
        if report.behind:
            old = "; ".join(f"{r.book / r.path}: {r.why}" for r in report.behind[:3])
            more = f"; and {len(report.behind) - 3} more" if len(report.behind) > 3 else ""
            draft = draft.fault(
                Status.STALE,
                f"files cannot be read now, what they said before is kept: {old}{more}",
            )
        if report.refused:
            draft = draft.note(
                f"{len(report.refused)} files are not read; 'recollect doctor' says why"
            )
        if not now:
            return draft.note("the files were looked at less than a second ago")
        changed = f", {report.changed} of them changed" if report.changed else ""
        return draft.note(f"{report.files} files looked at{changed}")
