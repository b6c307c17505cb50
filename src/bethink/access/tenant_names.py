"""Names of tenants, and of the files that hold them.

A name has one spelling: lower case, composed characters. On a disk that does not know upper from
lower case, or that decomposes characters, two tenants can then never share a file. Names that are
not plain ASCII go to disk as hexadecimal digits.
"""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path

from bethink.checks import shown
from bethink.errors import InvalidInput

DEFAULT_TENANT = "default"
_NAME = r"[^\W_][\w-]{0,39}"
_HEX = "="  # no name begins with it
# what Windows takes for a device, whatever its ending
_DEVICES = {"con", "prn", "aux", "nul", *(f"{d}{n}" for d in ("com", "lpt") for n in range(10))}


def check_tenant(name: object) -> str:
    if not isinstance(name, str) or len(name) > 40 or not re.fullmatch(_NAME, name):
        raise InvalidInput(
            f"{shown(name)} is no name for a tenant; use up to 40 letters (of any language), "
            "digits, - and _, beginning with a letter or digit"
        )
    plain = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    if plain != name or plain in _DEVICES:
        hint = "choose another" if plain in _DEVICES else f"write {shown(plain)}"
        raise InvalidInput(f"{shown(name)} cannot be the name of a tenant; {hint}")
    return name


def file_of(folder: Path, tenant: str) -> Path:
    name = tenant if tenant.isascii() else _HEX + tenant.encode().hex()
    return folder / f"{name}.db"


def tenant_in(file: Path) -> str | None:
    """The tenant that a file is of; None if it is no tenant's."""
    name = file.name.removesuffix(".db")
    if name == file.name:
        return None
    try:
        tenant = check_tenant(bytes.fromhex(name[1:]).decode() if name.startswith(_HEX) else name)
    except (ValueError, InvalidInput):
        return None
    return tenant if file_of(file.parent, tenant).name == file.name else None
