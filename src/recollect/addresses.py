"""Addresses of stores on servers. They may hold a password: `without_password` is what people, logs
and errors get to see."""

from __future__ import annotations


def is_server(store: str) -> bool:
    """Is this the address of a server? If not, it is the path of a file."""
    return store.partition("://")[0] in ("postgresql", "postgres")


def without_password(address: str) -> str:
    from urllib.parse import parse_qsl, urlencode, urlsplit, urlunsplit

    scheme, _, rest = address.partition("://")
    try:
        parts = urlsplit(address)
        parts.port  # noqa: B018  # it is read, and refused, only when asked for
    except ValueError:
        return f"{scheme}://…"
    account, at, place = parts.netloc.rpartition("@")
    if "@" in rest and not at:  # a password with a sign that ends it: who knows where it stands
        return f"{scheme}://…"
    query = [(name, value) for name, value in parse_qsl(parts.query) if "pass" not in name]
    netloc = account.partition(":")[0] + at + place
    return urlunsplit(parts._replace(netloc=netloc, query=urlencode(query, safe="/")))


def mark_of(address: str) -> str:
    """A short name for files that belong to a store on a server."""
    from hashlib import sha256

    return sha256(without_password(address).encode()).hexdigest()[:16]
