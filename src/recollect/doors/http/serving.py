"""Running the server, and ending it well: what was begun is answered, what was acknowledged is on
disk."""

from __future__ import annotations

import ipaddress
from collections.abc import Sequence

from recollect.access.reception import Reception
from recollect.errors import MissingExtra, SettingsError
from recollect.settings import Settings

DEFAULT_PORT = 8321
_GRACE_SECONDS = 10


def is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


def reception_for(settings: Settings, host: str) -> Reception:
    """Without any key a server is open, and then only to this machine."""
    reception = Reception(settings)
    reception.open_to_all = not reception.keys.any()
    if reception.open_to_all and not is_loopback(host):
        reception.close()
        raise SettingsError(
            f"{host} can be reached by others, and there is no key yet: everybody could read and "
            "change everything. Make one first: recollect keys create NAME --scope admin"
        )
    return reception


def serve(reception: Reception, *, host: str, port: int, allowed_hosts: Sequence[str] = ()) -> None:
    """Until it is told to stop."""
    try:
        import uvicorn

        from recollect.doors.http.app import create_app
        from recollect.doors.http.guard import LOOPBACK
    except ModuleNotFoundError as e:
        reception.close()
        raise MissingExtra("the server", "server") from e
    names = (*LOOPBACK, host, *allowed_hosts) if is_loopback(host) else (host, *allowed_hosts)
    uvicorn.run(
        create_app(reception, hosts=names),
        host=host,
        port=port,
        log_level="warning",
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_SECONDS,
        ws_max_size=64 * 1024,
    )
