from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from bethink.access.audit import Audit
from bethink.access.reception import Reception
from bethink.access.server_file import ServerFile
from bethink.errors import Forbidden, InvalidInput, NotFound, StoreError, Unauthorised
from bethink.settings import Settings
from bethink.testing import FakeClock, run_at_once
from tests.access.coming_in import LONG, caller, desk

CANARY = "金丝雀 canary-4711"


@pytest.fixture
def audit(tmp_path: Path, clock: FakeClock) -> Audit:
    trail = Audit(ServerFile(tmp_path / "m.db"), clock=clock)
    for number in range(6):
        clock.advance(seconds=1)
        trail.note("forget", tenant="acme", key_id="k", door="rest", targets=[f"记忆-{number}"])
    return trail


def test_a_trail_that_nobody_touched_is_whole(audit: Audit, tmp_path: Path) -> None:
    assert audit.verify() is None
    rows = audit.list()
    assert [row.number for row in rows] == [6, 5, 4, 3, 2, 1]
    assert rows[0].targets == ("记忆-5",)
    assert [row.number for row in audit.list(before=4, limit=2)] == [3, 2]
    assert (
        audit.list(tenant="other") == audit.list(action="promote") == audit.list(key_id="x") == []
    )
    head = audit.head()
    audit.note("forget", tenant="acme")
    assert audit.verify(head=head) is None
    assert audit.verify(head=audit.head()) is None
    broken = audit.verify(head="0" * 63 + "1")
    assert broken is not None and "noted" in broken.why
    assert Audit(ServerFile(tmp_path / "none.db")).verify() is None


def _tamper(*statements: str) -> Callable[[apsw.Connection], None]:
    def do(connection: apsw.Connection) -> None:
        connection.execute("DROP TRIGGER audit_is_not_changed; DROP TRIGGER audit_is_not_erased")
        for statement in statements:
            connection.execute(statement)

    return do


@pytest.mark.parametrize(
    ("tampered", "number"),
    [
        (_tamper("UPDATE audit SET outcome = 'not_found' WHERE number = 3"), 3),
        (_tamper("UPDATE audit SET at = at + 1 WHERE number = 1"), 1),
        (_tamper("UPDATE audit SET targets = '[]' WHERE number = 6"), 6),
        (_tamper("DELETE FROM audit WHERE number = 4"), 4),
        (_tamper("DELETE FROM audit WHERE number = 1"), 1),
        (_tamper("DELETE FROM audit WHERE number > 4"), 5),  # also at its end
        (_tamper("DELETE FROM audit"), 1),
        (
            _tamper(
                "UPDATE audit SET number = 100 WHERE number = 2",
                "UPDATE audit SET number = 2 WHERE number = 3",
                "UPDATE audit SET number = 3 WHERE number = 100",
            ),
            2,
        ),
    ],
)
def test_the_first_broken_link_is_found(
    audit: Audit, tmp_path: Path, tampered: Callable[[apsw.Connection], None], number: int
) -> None:
    connection = apsw.Connection(str(tmp_path / "m.db.server"))
    tampered(connection)
    connection.close()
    broken = audit.verify()
    assert broken is not None
    assert broken.number == number


def test_the_file_itself_refuses_to_change_a_row(audit: Audit, tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "m.db.server"))
    for statement in ("DELETE FROM audit", "UPDATE audit SET outcome = ''"):
        with pytest.raises(apsw.ConstraintError, match="only grows"):
            connection.execute(statement)
    connection.close()
    assert audit.verify() is None


def test_writers_in_threads_and_other_processes_make_one_chain(settings: Settings) -> None:
    with Reception(settings) as one, Reception(settings) as other:

        def work(audit: Audit) -> None:
            for number in range(20):
                audit.note("offer", tenant="t", targets=[str(number)])

        run_at_once(work, [reception.audit for reception in (one, other, one, other)])
        assert one.audit.verify() is None
        assert len(other.audit.list(limit=1000)) == 80


def test_every_write_decision_and_refusal_is_noted_and_no_text(
    reception: Reception, tmp_path: Path
) -> None:
    at = desk(reception, "admin", name="root")
    told = at.remember({"text": f"{CANARY} one"})["id"]
    at.remember_many([{"text": f"{CANARY} {n}", "source": "canary.example"} for n in range(2)])
    at.revise(told, {"text": f"{CANARY} two"})
    at.reinforce(told)
    offer = at.offer({"text": f"{CANARY} {LONG}", "source": "canary.example"})["id"]
    at.reject([offer], reason=f"{CANARY} reason")
    at.restore([offer])
    at.promote([offer], reason=CANARY)
    at.undo(offer)
    at.roll_back("canary.example")
    at.set_setting("limit", 3)
    at.forget(told)
    at.recall(f"{CANARY}?")
    at.list()
    list(at.export())
    reading = desk(reception, "read")
    with pytest.raises(Forbidden):
        reading.remember({"text": CANARY})
    with pytest.raises(Forbidden):
        reading.quarantine()
    with pytest.raises(NotFound):
        at.forget("金丝雀canary-4711-as-an-id")
    with pytest.raises(InvalidInput):
        at.revise(told, {"provenance": {"canary": CANARY}})
    rows = list(reversed(reception.audit.list(limit=1000)))
    assert [(row.action, row.outcome) for row in rows] == [
        ("create_key", "done"), ("remember", "done"), ("remember_many", "done"),
        ("revise", "done"), ("reinforce", "done"), ("offer", "done"), ("reject", "done"),
        ("restore", "done"), ("promote", "done"), ("undo", "done"), ("roll_back", "done"),
        ("set_setting", "done"), ("forget", "done"), ("export", "done"), ("create_key", "done"),
        ("remember", "forbidden"), ("quarantine", "forbidden"), ("forget", "not_found"),
        ("revise", "invalid_input"),
    ]  # fmt: skip
    by_action = {row.action: row for row in rows if row.outcome == "done"}
    assert by_action["forget"].targets == (told,)
    assert by_action["promote"].targets == (offer,)
    assert by_action["set_setting"].targets == ("limit",)
    assert by_action["forget"].key_id == at.caller.key_id
    assert reception.audit.verify() is None
    for file in tmp_path.glob("m.db.server*"):
        raw = file.read_bytes()
        assert "金丝雀".encode() not in raw and b"canary" not in raw, file


def test_refused_keys_are_noted_together_so_that_nobody_fills_the_disk(
    reception: Reception, clock: FakeClock
) -> None:
    made = reception.create_key(name="ci", scopes=["read"])
    wrong = made.key[:-4] + "0000"
    for key in [wrong, *["nonsense"] * 200, None, wrong]:
        with pytest.raises(Unauthorised):
            reception.caller(key, door="rest")
    rows = reception.audit.list(action="come_in")
    assert [row.targets for row in rows] == [(f"{made.record.id} x1",)]
    clock.advance(minutes=2)
    with pytest.raises(Unauthorised):
        reception.caller("nonsense", door="mcp")
    newest = reception.audit.list(action="come_in")[0]
    assert newest.targets == ("unknown x202", f"{made.record.id} x1")
    assert (newest.outcome, newest.door) == ("unauthorised", "mcp")


def test_what_cannot_be_audited_is_refused_from_then_on(
    settings: Settings, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Reception(settings) as reception:
        who = caller(reception)
        failing = True
        honest = ServerFile.write

        def write(self: ServerFile, **options: float) -> object:
            if failing:
                raise StoreError("the disk is gone")
            return honest(self, **options)

        with reception.desk(who) as at:
            at.remember({"text": "first 第一"})
            monkeypatch.setattr(ServerFile, "write", write)
            with pytest.raises(StoreError, match="audit trail"):
                at.remember({"text": "second 第二"})  # the one that may be missing
            for _ in range(2):
                with pytest.raises(StoreError, match="audit trail"):
                    at.remember({"text": "third 第三"})
            assert [m["text"] for m in at.list()["memories"]] == ["second 第二", "first 第一"]
            failing = False
            at.remember({"text": "third 第三"})
            assert len(at.list()["memories"]) == 3
        actions = [row.action for row in reception.audit.list()]
        assert actions == ["remember", "audit.resumed", "remember", "create_key"]
        assert reception.audit.verify() is None
