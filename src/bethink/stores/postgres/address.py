"""Where the store is: a libpq address, with what concerns only us taken out of it.

    postgresql://user:password@host:5432/database?connections=16&index=ivfflat&lists=200

The password is for libpq alone: `shown` is what people, logs and errors get to see.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

from bethink.addresses import check_places, without_password
from bethink.errors import InvalidInput

# libpq would wait for minutes where a host is gone; whoever says otherwise in the address is right
_PATIENCE = {"connect_timeout": "5", "keepalives_idle": "30", "tcp_user_timeout": "30000"}
_RANGES = {
    "connections": (1, 1000, 8),
    "lists": (1, 32768, 100),
    "m": (2, 100, 16),
    "ef_construction": (4, 1000, 64),
}
_INDEXES = ("hnsw", "ivfflat")
_RAW_PERCENT = r"%(?![0-9a-fA-F]{2})|%00"  # libpq refuses it, and quotes the password


class Address(NamedTuple):
    conninfo: str
    shown: str
    connections: int = 8  # at once, of this process
    method: str = "hnsw"
    m: int = 16
    ef_construction: int = 64
    lists: int = 100


def parse_address(url: str) -> Address:
    url = url.strip()
    try:
        parts = urlsplit(url)
        check_places(parts.netloc)
        if re.search(_RAW_PERCENT, url):
            raise ValueError("no percent-encoding")
        if "@" in parts.query:
            raise ValueError("a password with a question mark")
    except ValueError:  # what it says may quote the password
        raise InvalidInput(
            "the address of the store cannot be read; write postgresql://user@host/database, and "
            "a password with / @ : # ? or % in it with %2F %40 %3A %23 %3F %25 instead"
        ) from None
    ours: dict[str, str] = {}
    theirs: dict[str, str] = {}
    # to libpq a plus is a plus, and a space is %20
    query = parts.query.replace("+", "%2B")
    for name, value in parse_qsl(query, keep_blank_values=True):
        (ours if name in _RANGES or name == "index" else theirs)[name] = value
    _check_known(theirs)
    numbers = {name: _number(name, ours.get(name)) for name in _RANGES}
    index = ours.get("index", "hnsw")
    if index not in _INDEXES:
        raise InvalidInput(f"index={index!r} in the address of the store; it is hnsw or ivfflat")
    return Address(
        urlunsplit(parts._replace(query=urlencode({**_PATIENCE, **theirs}, quote_via=quote))),
        without_password(url),
        method=index,
        **numbers,
    )


def _check_known(theirs: Mapping[str, str]) -> None:
    """libpq names what it does not know, but never what it knows."""
    from psycopg.pq import Conninfo

    known = {one.keyword.decode(): one.dispchar for one in Conninfo.get_defaults()}
    unknown = [name for name in theirs if name not in known and name != "ssl"]  # ssl=true: JDBC's
    if unknown:
        # of theirs, those that are neither secret nor for people who work on PostgreSQL
        usual = sorted(name for name, kind in known.items() if not kind)
        raise InvalidInput(
            f"there is no parameter {unknown[0]!r} in an address of a store. Ours are "
            f"{', '.join([*_RANGES, 'index'])}; PostgreSQL's are {', '.join(usual)}"
        )


def _number(name: str, value: str | None) -> int:
    least, most, default = _RANGES[name]
    if value is None:
        return default
    if not (value.isascii() and value.isdecimal() and least <= int(value) <= most):
        raise InvalidInput(
            f"{name}={value!r} in the address of the store; it is a number from {least} to {most}"
        )
    return int(value)
