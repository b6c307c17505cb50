"""Before a question: read what changed in the books of its spaces, within a bound.

What the question needs is read first: the file of its route, the days that it names. Then the
newest files.

If the bound is not enough, or a folder is not there, the answer is given all the same and says that
it is stale and why.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import ClassVar

from bethink.errors import BethinkError
from bethink.notebook.layout import day_of
from bethink.notebook.report import SyncReport, Wanted
from bethink.recall.draft import Draft, Kit
from bethink.recall.timeline import FindPeriod
from bethink.vocabulary import Status

# Looking takes a millisecond for a notebook and a fifth of a second for ten thousand files. So many
# times as long as it took it is not done again: who asks on and on pays a twentieth for it.
_TIMES = 20
_AGAIN_AFTER = 1.0  # seconds, at most
_AFTER_A_CHANGE = 0.1  # then it took longer than a look does
_NOTHING = Wanted()


class Freshener:
    """Remembers when it last looked, for one engine."""

    def __init__(self, sync: Callable[[Sequence[str], float, Wanted], SyncReport]) -> None:
        self._sync = sync
        self._lock = threading.Lock()
        self._last: dict[tuple[str, ...], tuple[float, SyncReport | str]] = {}

    def freshen(
        self, spaces: tuple[str, ...], within: float, wanted: Wanted = _NOTHING
    ) -> tuple[SyncReport | str, bool]:
        """What the last look found (as text: why there was none), and whether it was just now."""
        began = time.monotonic()
        if not self._lock.acquire(timeout=within):  # another thread is at it
            return "the books are being read at this moment", False
        try:
            key = tuple(sorted(spaces))
            until, report = self._last.get(key, (0.0, ""))
            if key in self._last and began < until and not _lacks(report, wanted):
                return report, False
            try:
                report = self._sync(spaces, max(0.0, within - (time.monotonic() - began)), wanted)
            except (BethinkError, OSError) as e:  # a question is answered whatever the files do
                report = str(e)
            now = time.monotonic()
            pause = _TIMES * (now - began)
            if isinstance(report, SyncReport) and report.changed:
                pause = _AFTER_A_CHANGE
            self._last[key] = (now + min(pause, _AGAIN_AFTER), report)
            return report, True
        finally:
            self._lock.release()


def _lacks(report: SyncReport | str, wanted: Wanted) -> bool:
    """Return True if the last look left out a file that this question needs."""
    return isinstance(report, SyncReport) and any(map(wanted.holds, report.unread))


def wanted_by(draft: Draft, kit: Kit) -> Wanted:
    """Return the files that the question needs: that of its route, and the days that it names."""
    from bethink.recall.route import file_of_route

    text = draft.query.text
    file = file_of_route(text, kit)
    period = FindPeriod()(draft, kit).period
    days: tuple[date, date] | None = None
    if period is not None:
        last = period.end - timedelta(microseconds=1)
        days = period.start.astimezone(kit.zone).date(), last.astimezone(kit.zone).date()
    return Wanted(frozenset({file} if file else ()), days)


def behind(report: SyncReport | str) -> list[str]:
    """Why the store does not say what the files say; nothing where it does."""
    if isinstance(report, str):
        return [f"the files could not be looked at: {report}"]
    reasons: list[str] = []
    if not report.complete:
        reasons.append(f"the index is behind the files: {'; '.join(report.faults)}")
    if report.behind:
        old = "; ".join(f"{r.book / r.path}: {r.why}" for r in report.behind[:3])
        more = f"; and {len(report.behind) - 3} more" if len(report.behind) > 3 else ""
        reasons.append(f"files cannot be read now, what they said before is kept: {old}{more}")
    return reasons


@dataclass(frozen=True, slots=True)
class Freshen:
    """The first stage of a question to a store that has books."""

    name: ClassVar[str] = "freshen"
    freshener: Freshener
    seconds: float

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        within = min(self.seconds, kit.deadline.left() / 2)
        report, now = self.freshener.freshen(draft.query.spaces, within, wanted_by(draft, kit))
        for reason in behind(report):
            draft = draft.fault(Status.STALE, reason)
        if isinstance(report, str):
            return draft
        days = (day_of(path) for path in report.unread)
        draft = draft._replace(unread=frozenset(day for day in days if day is not None))
        if report.refused:
            draft = draft.note(
                f"{len(report.refused)} files are not read; 'bethink doctor' says why"
            )
        if not now:
            return draft.note("the files were looked at a moment ago")
        changed = f", {report.changed} of them changed" if report.changed else ""
        return draft.note(f"{report.files} files looked at{changed}")
