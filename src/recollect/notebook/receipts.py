"""What is said to who remembers: known already, near to another, written but not indexed."""

from __future__ import annotations

from recollect.errors import StoreError
from recollect.notebook.history_file import one_line
from recollect.notebook.judging import Finding
from recollect.notebook.report import SyncReport
from recollect.notebook.sameness import Verdict
from recollect.stores.protocol import Store
from recollect.text.clip import clip
from recollect.vocabulary import Action, Receipt


def reinforced(store: Store, finding: Finding) -> Receipt:
    known = finding.memory
    assert known is not None
    store.touch(accessed={}, reinforced={known.id: 1})
    where = known.source
    if isinstance(line := known.provenance.get("line"), int):
        where = f"{known.source}:{line}"
    said = f"known already ({finding.why}){f' in {where}' if where else ''}"
    return Receipt(
        known.id,
        known.space,
        Action.REINFORCED,
        notes=(f"{said}: {clip(one_line(known.text), 80)}",),
    )


def near_note(finding: Finding) -> tuple[str, ...]:
    if finding.verdict is not Verdict.NEW or finding.memory is None:
        return ()
    near = finding.memory
    return (f"{finding.why}: {near.id} {clip(one_line(near.text), 80)}",)


def not_indexed(where: str, report: SyncReport) -> StoreError:
    why = "; ".join((*report.faults, *(r.why for r in report.refused))) or "no reason given"
    return StoreError(
        f"it is written in {where}, but could not be indexed ({why}); "
        "'recollect sync' does it again"
    )
