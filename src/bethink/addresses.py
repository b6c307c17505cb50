"""Addresses of stores on servers. They may hold a password: `without_password` is what people, logs
and errors get to see."""

from __future__ import annotations

from bethink.errors import InvalidInput

IN_MEMORY = ":memory:"  # as SQLite calls a database without a file
_SCHEMES = ("postgresql", "postgres")
_KEYWORDS = ("host=", "hostaddr=", "port=", "dbname=", "user=", "password=", "service=")
_SECRET = ("pass", "secret", "key", "token")


def is_server(store: str) -> bool:
    """Is this the address of a server? If not, it is the path of a file. What is nearly an address
    is refused: as the name of a file, its password would be shown everywhere."""
    scheme, mark, rest = store.strip().partition("://")
    scheme = scheme.lower()
    if mark and scheme in _SCHEMES:
        return True
    if (
        (mark and "@" in rest and "/" not in scheme)
        or scheme.startswith(tuple(f"{one}{sign}" for one in _SCHEMES for sign in ":+"))
        or _has_keywords(store)
    ):
        raise InvalidInput(
            "the store is neither a file nor an address that can be read; write "
            "postgresql://user:password@host:5432/database, or ./ before the name of a file"
        )
    return False


def file_named(store: str) -> str:
    """Return the path in `sqlite:///path`; anything else is a path already. As elsewhere, three
    slashes are followed by a path from here, four by one from the root."""
    mark = "sqlite:///"
    return store[len(mark) :] if store.lower().startswith(mark) else store


def _has_keywords(store: str) -> bool:
    """`host=h password=p`, as libpq takes it too."""
    words = store.lower().replace(" =", "=").split()
    return (
        bool(words)
        and "/" not in words[0].partition("=")[0]
        and "=" in words[0]
        and any(word.startswith(_KEYWORDS) for word in words)
    )


def without_password(address: str) -> str:
    from urllib.parse import parse_qsl, quote, urlencode, urlsplit, urlunsplit

    address = address.strip()
    scheme, mark, rest = address.partition("://")
    if not mark:
        return "…" if "@" in address or "=" in address else address
    try:
        parts = urlsplit(address)
        check_places(parts.netloc)
    except ValueError:
        return f"{scheme}://…"
    account, at, place = parts.netloc.rpartition("@")
    if "@" in rest and not at:  # a password with a sign that ends it: who knows where it stands
        return f"{scheme}://…"
    query = [(name, value) for name, value in parse_qsl(parts.query) if not _is_secret(name)]
    netloc = account.partition(":")[0] + at + place
    shown = urlencode(query, safe="/{}", quote_via=quote)
    return urlunsplit(parts._replace(netloc=netloc, query=shown))


def check_places(netloc: str) -> None:
    """ValueError unless each of the hosts has a port that is one, or none. libpq takes several
    (`h1:5432,h2:5433`), and tries them in their order."""
    for place in netloc.rpartition("@")[2].split(","):
        _, _, port = place.rpartition("]")[2].partition(":")
        if port and not (port.isascii() and port.isdecimal() and int(port) <= 65535):
            raise ValueError("no port")


def mark_of(address: str) -> str:
    """A short name for files that belong to a store on a server."""
    from hashlib import sha256

    return sha256(without_password(address).encode()).hexdigest()[:16]


def _is_secret(name: str) -> bool:
    return any(part in name.lower() for part in _SECRET)
