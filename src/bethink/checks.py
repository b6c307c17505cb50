"""Checks that every door needs: text that can be kept, names of spaces, ids."""

from __future__ import annotations

import os
import re
from reprlib import Repr
from stat import S_ISDIR

from bethink.errors import InvalidInput

_SPACE = r"[\w][\w.:/@+-]{0,127}"
_MAX_ID_CHARS = 256


def check_encodable(text: str, *, name: str) -> str:
    """Refuse what no store can keep: lone surrogates and NUL."""
    if "\0" in text:
        raise InvalidInput(
            f"{name} has a NUL character at position {text.index(chr(0))}; is it a binary file? "
            "Remove the NUL and try again"
        )
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as e:
            raise InvalidInput(
                f"{name} has half a character (a lone surrogate) at position {e.start}; "
                "decode it with errors='replace' and try again"
            ) from None
    return text


def check_reachable(path: str | os.PathLike[str]) -> None:
    """Refuse a path that the system does not let us look at, where `Path.exists` would raise. One
    that leads nowhere passes: whoever asks knows what should be there."""
    try:
        os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return
    except OSError as e:
        raise InvalidInput(
            f"{os.fspath(path)} cannot be read: {e.strerror}; check the path, and the permissions "
            "of the folders that lead to it"
        ) from None


def store_is_there(path: str | os.PathLike[str]) -> bool:
    """Whether a file holds something, or a folder stands in its place. Also what cannot be looked
    at: whoever opens it says why, and "there is none" would be wrong."""
    try:
        found = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        return True
    return S_ISDIR(found.st_mode) or found.st_size > 0


def shown(value: object) -> str:
    """A value for an error message, short whatever it is: huge, deep or with a broken repr."""
    try:
        text = _REPR.repr(value)
    except Exception:  # e.g. an integer of more than 4,300 digits
        text = f"<{type(value).__name__}>"
    return text if len(text) <= 60 else text[:57] + "..."


_REPR = Repr()
_REPR.maxstring = _REPR.maxother = 60


def check_space(name: object) -> str:
    if isinstance(name, str) and re.fullmatch(_SPACE, name):
        return check_encodable(name, name="space")
    raise InvalidInput(
        f"{shown(name)} is no name for a space; use up to 128 letters (of any language), digits, "
        f"and . : / @ + - _, beginning with a letter or digit{_such_as(name)}"
    )


def _such_as(name: object) -> str:
    """Return an example in place of a name with blanks in it."""
    joined = "-".join(name.split()) if isinstance(name, str) else ""
    return f"; for instance {joined!r}" if re.fullmatch(_SPACE, joined) else ""


def is_id(value: str) -> bool:
    """Could this be an id? Only what can be seen: nobody can ask for what they cannot type."""
    # of white space only the plain blank counts as printable
    return value.isprintable() and " " not in value and 1 <= len(value) <= _MAX_ID_CHARS
