"""Who may do what: callers with their scopes and spaces, and the desk at which every door over a
network asks. Doors translate; what is allowed is decided here, once."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "Audit",
    "AuditRow",
    "Caller",
    "Desk",
    "KeyBook",
    "KeyRecord",
    "NewKey",
    "Principal",
    "Reception",
    "Scope",
    "Tenants",
]

if TYPE_CHECKING:
    from bethink.access.audit import Audit, AuditRow
    from bethink.access.caller import Caller, Scope
    from bethink.access.desk import Desk
    from bethink.access.keys import KeyBook, KeyRecord, NewKey
    from bethink.access.reception import Reception
    from bethink.access.tenants import Tenants
    from bethink.vocabulary import Principal
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.access.audit": "Audit AuditRow",
            "bethink.access.caller": "Caller Scope",
            "bethink.access.desk": "Desk",
            "bethink.access.keys": "KeyBook KeyRecord NewKey",
            "bethink.access.reception": "Reception",
            "bethink.access.tenants": "Tenants",
            "bethink.vocabulary": "Principal",
        },
    )
