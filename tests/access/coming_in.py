"""Short ways to come in, for the tests."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from bethink.access.caller import Caller
from bethink.access.desk import Desk
from bethink.access.reception import Reception

LONG = (
    "The ops team agreed that budget meetings are held on Fridays at ten. "
    "预算会议定在每周五上午十点，由小美主持。"
)


def caller(
    reception: Reception, *scopes: str, spaces: Iterable[str] | None = None, **options: Any
) -> Caller:
    made = reception.create_key(
        name=options.pop("name", "测试 key"),
        scopes=scopes or ("admin",),
        spaces=None if spaces is None else list(spaces),
        **options,
    )
    return reception.caller(made.key, door="rest")


class AtDesk:
    """Each verb with a desk of its own, as a server calls them."""

    def __init__(self, reception: Reception, who: Caller) -> None:
        self._reception, self.caller = reception, who

    def __getattr__(self, name: str) -> Any:
        def call(*args: Any, **kwargs: Any) -> Any:
            with self._reception.desk(self.caller) as desk:
                assert isinstance(desk, Desk)
                return getattr(desk, name)(*args, **kwargs)

        return call


def desk(reception: Reception, *scopes: str, **options: Any) -> AtDesk:
    return AtDesk(reception, caller(reception, *scopes, **options))
