"""Running the server, and ending it well: what was begun is answered, what was acknowledged is on
disk."""

from __future__ import annotations

import ipaddress
import socket
from collections.abc import Callable, Sequence

from bethink.access.reception import Reception
from bethink.errors import BethinkError, MissingExtra, SettingsError
from bethink.settings import Settings

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
_GRACE_SECONDS = 30
_WAITING = 512  # connections that the system keeps for us


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def reception_for(
    settings: Settings,
    host: str,
    *,
    allowed: Sequence[str] = (),
    no_keys: bool = False,
    workers: int = 0,
) -> Reception:
    """Without any key a server is open, and then only to this machine: it listens nowhere else and
    answers to no other name. `no_keys`: it is open although there are some. `workers`: so many
    processes beside it answer its questions."""
    others = [name for name in (host, *allowed) if not is_loopback(name)]
    if no_keys and others:
        raise SettingsError(
            f"--no-keys is for this machine only, and {others[0]} can be reached by others: leave "
            "it out, and give each of them a key (bethink keys create NAME)"
        )
    reception = Reception(settings, open_to_all=no_keys, open_until_keys=not others)
    if others and not reception.keys.any():
        reception.close()
        raise SettingsError(
            f"{others[0]} can be reached by others, and there is no key yet: everybody could read "
            "and change everything. Make one first: bethink keys create NAME --scope admin"
        )
    try:
        reception.look()  # a store that is moved away later is then missed, not made anew
        if workers:
            reception.answer_beside(workers)
    except BethinkError:
        reception.close()
        raise
    return reception


def names_of(host: str, allowed: Sequence[str] = ()) -> tuple[str, ...]:
    """Those by which the server may be called. A page elsewhere cannot take a loopback name."""
    return (*LOOPBACK, *map(_in_an_address, (host, *allowed)))


def _in_an_address(host: str) -> str:
    return f"[{host}]" if ":" in host and not host.startswith("[") else host


def listen(host: str, port: int) -> socket.socket:
    """Before anything is opened: who cannot be reached must say so at once. A socket of this kind
    says that it is TCP; asyncio sends small answers at once only then, not after 40 ms."""
    if not 0 <= port <= 65_535:  # the system would take what is left of it
        raise SettingsError(f"{port} is no port; choose one from 1 to 65535 with --port, 0 for any")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, protocol)
    except (OSError, UnicodeError, OverflowError) as e:
        raise SettingsError(f"{host} is no address to listen at ({e}); try 127.0.0.1") from None
    try:
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        bound.bind(address)
        bound.listen(_WAITING)
    except (OSError, OverflowError) as e:
        bound.close()
        raise SettingsError(
            f"cannot listen at {host}, port {port} ({e}); choose another with --port, 0 for any "
            "that is free"
        ) from None
    return bound


def address_of(bound: socket.socket) -> str:
    host, port = bound.getsockname()[:2]
    return f"http://{_in_an_address(host)}:{port}"


def serve(
    reception: Reception,
    bound: socket.socket,
    *,
    allowed_hosts: Sequence[str],
    started: Callable[[], None] = lambda: None,
) -> None:
    """Until it is told to stop (Ctrl+C, SIGTERM): then no new requests are taken, those under way
    are answered, and the stores are closed. `started` is called when it answers."""
    try:
        from bethink.doors.http.app import create_app
        from bethink.doors.http.running import run
    except ModuleNotFoundError as e:
        raise MissingExtra("the server", "server") from e
    with reception, bound:
        app = create_app(
            reception,
            allowed_hosts=allowed_hosts,
            how_to_allow="start it with --allow-host NAME",
        )
        run(app, bound, grace=_GRACE_SECONDS, started=started)
