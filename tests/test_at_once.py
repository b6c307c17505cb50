"""The helper that other tests trust: no fault of a thread is lost, and no thread is waited for
without end."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

import pytest

from bethink.testing import run_at_once, working


class Wrong(Exception):
    pass


def test_answers_come_in_the_order_of_what_was_given() -> None:
    last = threading.Event()

    def work(word: str) -> str:
        if word == "末 last":
            last.set()
        assert last.wait(30)
        return word * 2

    assert run_at_once(work, ["一", "two", "末 last"]) == ["一一", "twotwo", "末 last末 last"]
    assert run_at_once(work, []) == []


def test_they_are_under_way_together() -> None:
    together = threading.Barrier(5)
    numbers = run_at_once(lambda _: together.wait(30), range(5))
    assert sorted(numbers) == [0, 1, 2, 3, 4]


def test_the_one_fault_is_raised_as_it_is() -> None:
    def work(number: int) -> None:
        if number == 1:
            raise Wrong("错了")

    with pytest.raises(Wrong, match="错了"):
        run_at_once(work, range(3))


@pytest.mark.parametrize("exits", [lambda: sys.exit(3), lambda: pytest.fail("不行")])
def test_what_a_thread_would_swallow_is_raised(exits: Callable[[], object]) -> None:
    """Python says nothing of an exit in a thread, and the failure of a test is no Exception."""
    with pytest.raises(BaseException) as caught:
        run_at_once(lambda exit_: exit_(), [exits])
    assert isinstance(caught.value, SystemExit | pytest.fail.Exception)


def test_several_faults_are_all_in_the_group() -> None:
    together = threading.Barrier(3)

    def work(number: int) -> None:
        together.wait(30)
        raise Wrong(f"错 {number}")

    with pytest.raises(ExceptionGroup) as caught:
        run_at_once(work, range(3))
    assert {str(one) for one in caught.value.exceptions} == {"错 0", "错 1", "错 2"}


def test_the_fault_of_the_block_comes_with_theirs() -> None:
    def work(_: int) -> None:
        raise Wrong("the cause 原因")

    with pytest.raises(ExceptionGroup) as caught, working(work, [0]):
        raise AssertionError("what was seen of it")
    assert [type(one) for one in caught.value.exceptions] == [AssertionError, Wrong]


def test_the_fault_of_the_block_alone_is_raised_as_it_is() -> None:
    end = threading.Event()
    with pytest.raises(Wrong), working(lambda _: end.wait(30), range(2), end=end) as workers:
        raise Wrong
    assert end.is_set()  # or they would still work
    assert not workers.busy
    assert workers.answers() == [True, True]


def test_whoever_looks_meanwhile_is_told_once() -> None:
    failed = threading.Event()

    def work(_: int) -> None:
        try:
            raise Wrong
        finally:
            failed.set()

    with pytest.raises(Wrong), working(work, [0]) as workers:
        workers.check()
        assert failed.wait(30)
        assert workers.wait(30)
        workers.check()
        raise AssertionError("went on")


def test_one_that_hangs_is_named_with_the_line_where_it_stands() -> None:
    let_go = threading.Event()

    def hangs(number: int) -> None:
        if number:
            let_go.wait(30)

    try:
        with (
            pytest.raises(TimeoutError) as caught,
            working(hangs, range(2), within=0.05) as workers,
        ):
            assert not workers.wait(0.01)
    finally:
        let_go.set()
    said = str(caught.value)
    assert said.startswith("worker 1 was not done within 0.05 s")
    assert "let_go.wait(30)" in said
