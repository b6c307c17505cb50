"""What an error of Redis means, in words that say what to do."""

from __future__ import annotations

import re

import redis

# How Redis begins an error, and what it is.
_REFUSALS = {
    "WRONGTYPE": "a key of ours holds something else there; erase the keys bethink:* and keep "
    "others from using that name",
    "OOM": "it is out of memory and evicts nothing; raise maxmemory, or set maxmemory-policy to "
    "volatile-lru",
    "READONLY": "it is a replica that may not be written; name the primary",
    "MISCONF": "it cannot write its snapshots and refuses writes; look at its disk",
    "NOPERM": "its user may not do this; allow it +@read +@write +@scripting +ping +info "
    "+client|setinfo on ~bethink:*",
    "NOAUTH": "it wants a password; write it in the address: redis://:PASSWORD@HOST",
    "WRONGPASS": "it does not take this user and password",
    "MOVED": "it is a cluster, which is not supported; name a single server",
    "CLUSTERDOWN": "it is a cluster, which is not supported; name a single server",
    "LOADING": "it is still reading its data after a start",
    "MASTERDOWN": "it is a replica that lost its primary",
    "NOREPLICAS": "it has too few replicas and refuses writes",
    "BUSY": "a script keeps it busy",
}
_BY_KIND: tuple[tuple[type[Exception], str], ...] = (
    (redis.exceptions.OutOfMemoryError, "OOM"),
    (redis.exceptions.ReadOnlyError, "READONLY"),
    (redis.exceptions.BusyLoadingError, "LOADING"),
    (redis.exceptions.MasterDownError, "MASTERDOWN"),
    (redis.exceptions.NoPermissionError, "NOPERM"),
)


def reason_of(error: Exception) -> str:
    """Without where it is: whoever asks a question may read it."""
    # of many commands the client says which, with all that was in it: memories too
    said = str(error).rpartition("of pipeline caused error: ")[2]
    said = re.sub(
        r"(connecting to|reading from) .+?(?=\. | ?: \(|\.?$)", r"\1 it", said, flags=re.M
    )
    said = re.sub(r" for '[^']*'", "", said)  # of a certificate that is another's
    for kind, code in _BY_KIND:  # the client takes the code off some messages
        if isinstance(error, kind):
            return _REFUSALS[code]
    code = said.split(" ", 1)[0].rstrip(":")
    if code in _REFUSALS:
        return _REFUSALS[code]
    if isinstance(error, redis.exceptions.AuthenticationError):
        return _REFUSALS["NOAUTH" if "required" in said.lower() else "WRONGPASS"]
    if isinstance(error, redis.exceptions.TimeoutError):
        return "it did not answer in time"
    if "SSL" in said or "certificate" in said.lower():
        return (
            f"no secure connection came about ({_first_line(said)}); check rediss:// and its "
            "certificate"
        )
    if isinstance(error, redis.exceptions.ConnectionError | OSError):
        return f"it cannot be reached ({_first_line(said)})"
    return _first_line(said) or type(error).__name__


def breaks(error: Exception) -> bool:
    """Will whatever is asked next fail too? Then nobody should wait for it once more."""
    lost = redis.exceptions.ConnectionError | redis.exceptions.TimeoutError | OSError
    return isinstance(error, lost)


def _first_line(said: str) -> str:
    return said.partition("\n")[0].strip().rstrip(".")[:200]
