"""What is told, batch by batch, checked and cut into passages and terms.

Where the store is another process, the next batch is made ready while that one writes this one.
Only of a list: of anything else the next batch may be long in coming, or come only once what was
told before is acknowledged.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, NamedTuple, TypeAlias

from recollect.errors import InvalidInput
from recollect.vocabulary import Entry

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
    drawn = _drawn(told, size)
    if ahead and isinstance(told, list | tuple) and len(told) > size:
        return _ahead(drawn, make)
    return (_made(some, make) for some in drawn)


class _Drawn(NamedTuple):
    first: int  # the number of the first, from 1
    items: list[Told]


def _drawn(told: Iterable[Told], size: int) -> Iterator[_Drawn]:
    first = 1
    items = iter(told)
    while some := list(islice(items, size)):
        yield _Drawn(first, some)
        first += len(some)


def _made(some: _Drawn, make: Making) -> Batch:
    made = Batch(len(some.items), [], [], [])
    for number, item in enumerate(some.items, start=some.first):
        try:
            made.entries.append(make(item))
            made.numbers.append(number)
        except InvalidInput as e:
            made.refusals.append((number, e))
    return made


def _ahead(drawn: Iterator[_Drawn], make: Making) -> Generator[Batch, None, None]:
    """One batch ahead and no more. Whoever stops asking waits for the one that is being made."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(1, thread_name_prefix="recollect-prepare") as helper:
        coming = helper.submit(_made, next(drawn), make)
        for some in drawn:
            made = coming.result()
            coming = helper.submit(_made, some, make)
            yield made
        yield coming.result()
