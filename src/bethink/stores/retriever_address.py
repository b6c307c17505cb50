"""Addresses of engines that find: `qdrant://host:6333/collection`, `elasticsearch://…/index`.

    SCHEME://[USER:PASSWORD@ or KEY@]HOST[:PORT]/NAME[?tls=yes&ca=FILE&finds=words,meaning]

Whatever stands before the `@` is secret and is shown to nobody, nor are unknown options.
"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, unquote, urlsplit, urlunsplit

from bethink.errors import SettingsError
from bethink.stores.retrievers import MEANING, WORDS, Finds
from bethink.vocabulary import Check

if TYPE_CHECKING:
    from ssl import SSLContext

_PORTS = {"qdrant": 6333, "elasticsearch": 9200, "opensearch": 9200}
# What each finds by if the address does not say; then what it can find by at all.
_FINDS: dict[str, tuple[tuple[Finds, ...], tuple[Finds, ...]]] = {
    "qdrant": ((MEANING,), (MEANING,)),
    "elasticsearch": ((WORDS,), (WORDS, MEANING)),
    "opensearch": ((WORDS,), (WORDS,)),
}
_NAME = r"[a-z0-9][a-z0-9_-]{0,99}"  # what all of them take
_FORM = "write it like qdrant://localhost:6333/memories or elasticsearch://localhost:9200/memories"
_YES = {"yes": True, "true": True, "1": True, "no": False, "false": False, "0": False}


@dataclass(frozen=True, slots=True)
class RetrieverAddress:
    scheme: str
    host: str
    port: int
    index: str  # or collection
    finds: tuple[Finds, ...]
    tls: bool = False
    ca: str = ""  # a file of certificates to trust instead of the usual ones
    grpc: int = 0  # Qdrant's port for gRPC; 0: all goes through HTTP
    user: str = field(default="", repr=False)
    secret: str = field(default="", repr=False)

    @property
    def url(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.tls else 'http'}://{host}:{self.port}"

    @property
    def name(self) -> str:
        """As people know it. Changes are kept by it, so nothing that may change is in it."""
        return f"{self.scheme} {self.host}:{self.port}/{self.index}"


def of_tenant(address: str, tenant: str) -> str:
    """The same engine, another index: every store has its own."""
    mark = blake2b(tenant.encode(), digest_size=6).hexdigest()
    index = parse_address(address).index
    return urlunsplit(urlsplit(address)._replace(path=f"/{index}-tenant-{mark}"))


def shown(address: str) -> str:
    """For people, logs and errors: without what is secret."""
    scheme, mark, rest = address.partition("://")
    if not mark or scheme not in _PORTS:
        return "…"
    account, at, place = rest.rpartition("@")
    if at and "/" in account:  # a sign in the key that ends it: who knows where it stands
        return f"{scheme}://…"
    return f"{scheme}://{'…@' if at else ''}{re.split('[?#]', place)[0]}"


def parse_address(address: str) -> RetrieverAddress:
    told = shown(address)
    try:
        parts = urlsplit(address)
        port = parts.port
        options = dict(parse_qsl(parts.query, strict_parsing=bool(parts.query)))
    except ValueError:
        raise SettingsError(f"retrievers: {told} is no address; {_FORM}") from None
    if parts.scheme not in _PORTS:
        raise SettingsError(
            f"retrievers: {told} is none of {', '.join(f'{s}://' for s in _PORTS)}; {_FORM}"
        )
    index = parts.path.strip("/")
    if not parts.hostname or not re.fullmatch(_NAME, index):
        raise SettingsError(
            f"retrievers: {told} must name a host and, after it, the index: small letters, "
            f"digits, '-' and '_'; {_FORM}"
        )
    if unknown := options.keys() - {"tls", "ca", "finds", "grpc"}:
        raise SettingsError(f"retrievers: {told} has {len(unknown)} unknown options; {_FORM}")
    user, secret = unquote(parts.username or ""), unquote(parts.password or "")
    if not secret:
        user, secret = "", user
    return RetrieverAddress(
        parts.scheme,
        parts.hostname,
        port or _PORTS[parts.scheme],
        index,
        _finds(parts.scheme, options.get("finds"), told),
        tls=_tls(options.get("tls", "yes" if "ca" in options else "no"), told),
        ca=_ca(options, told),
        grpc=_grpc(parts.scheme, options.get("grpc", "0"), told),
        user=user,
        secret=secret,
    )


def _finds(scheme: str, value: str | None, told: str) -> tuple[Finds, ...]:
    usual, possible = _FINDS[scheme]
    if value is None:
        return usual
    wanted = value.split(",")
    if not set(wanted) <= set(possible):
        raise SettingsError(f"retrievers: {told} finds by {' and '.join(possible)} only")
    return tuple(name for name in possible if name in wanted)


def _tls(value: str, told: str) -> bool:
    if value.lower() not in _YES:
        raise SettingsError(f"retrievers: {told}: tls is yes or no")
    return _YES[value.lower()]


def _ca(options: dict[str, str], told: str) -> str:
    file = options.get("ca", "")
    if not file:
        return ""
    if int(options.get("grpc", "0") or 0):
        raise SettingsError(
            f"retrievers: {told}: ca is for HTTP; for gRPC set GRPC_DEFAULT_SSL_ROOTS_FILE_PATH"
        )
    if not os.path.isfile(os.path.expanduser(file)):
        raise SettingsError(f"retrievers: {told}: ca must be a file of certificates; {file} is not")
    return os.path.expanduser(file)


def trusting(address: RetrieverAddress) -> SSLContext:
    """Certificates are checked, by the file that the address names or by the usual ones."""
    from ssl import SSLError, create_default_context

    try:
        return create_default_context(cafile=address.ca or None)
    except (SSLError, OSError) as e:
        raise SettingsError(f"retrievers: {address.ca} holds no certificates ({e})") from None


def in_the_clear(address: RetrieverAddress) -> list[Check]:
    """Said, and no fault: a network may be one's own."""
    if not address.secret or address.tls or _on_this_machine(address.host):
        return []
    said = "it goes over the network unencrypted, for all to read who see that; tls=yes in the "
    return [Check("key", True, f"{said}address encrypts it, where the server has TLS")]


def _on_this_machine(host: str) -> bool:
    from ipaddress import ip_address

    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:  # a name
        return False


def _grpc(scheme: str, value: str, told: str) -> int:
    if not value.isdigit() or int(value) > 65535 or (int(value) and scheme != "qdrant"):
        raise SettingsError(f"retrievers: {told}: grpc is the port of Qdrant for gRPC, like 6334")
    return int(value)
