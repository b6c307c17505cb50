"""What is told, batch by batch, checked and cut into passages and terms.

Where the store is another process, the next batch is made ready while that one writes this one.
Only of a list: of anything else the next batch may be long in coming, or come only once what was
told before is acknowledged.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from bethink.errors import InvalidInput
from bethink.vocabulary import Entry

Told: TypeAlias = Mapping[str, Any]
Making: TypeAlias = Callable[[Told], Entry]


class Batch(NamedTuple):
    size: int  # as many were told
    entries: list[Entry]
    numbers: list[int]  # of the entries, as they were told, from 1
    refusals: list[tuple[int, InvalidInput]]


def batches(
    told: Iterable[Told], make: Making, *, size: int, ahead: bool
) -> Generator[Batch, None, None]:
    """`ahead`: the next one while the caller writes this one. Close it when you stop early."""
    if ahead and isinstance(told, list | tuple) and len(told) > size:
        return _ahead(told, make, size)
    return _in_turn(told, make, size)


def _made(told: Iterable[Told], make: Making, *, first: int) -> Batch:
    entries: list[Entry] = []
    numbers: list[int] = []
    refusals: list[tuple[int, InvalidInput]] = []
    number = first - 1
    for number, item in enumerate(told, start=first):
        try:
            entries.append(make(item))
            numbers.append(number)
        except InvalidInput as e:
            refusals.append((number, e))
    return Batch(number + 1 - first, entries, numbers, refusals)


def _in_turn(told: Iterable[Told], make: Making, size: int) -> Generator[Batch, None, None]:
    """Each item is let go of once its entry is made."""
    items = iter(told)
    first = 1
    while (made := _made(islice(items, size), make, first=first)).size:
        yield made
        first += made.size


def _ahead(told: Sequence[Told], make: Making, size: int) -> Generator[Batch, None, None]:
    """One batch ahead and no more. Whoever stops asking waits for the one that is being made."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1, thread_name_prefix="bethink-prepare") as helper:
        coming = helper.submit(_made, told[:size], make, first=1)
        for start in range(size, len(told), size):
            made = coming.result()
            coming = helper.submit(_made, told[start : start + size], make, first=start + 1)
            yield made
        yield coming.result()
