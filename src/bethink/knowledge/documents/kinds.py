"""Which format a file has: by what stands in it, and only then by its name."""

from __future__ import annotations

import io
import zipfile

from bethink.knowledge.documents.blocks import Limits, Unreadable

ENDINGS = {
    ".md": "markdown", ".markdown": "markdown", ".mdx": "markdown",
    ".txt": "text", ".text": "text", ".log": "text", ".rst": "text",
    ".html": "html", ".htm": "html", ".xhtml": "html",
    ".csv": "csv", ".tsv": "csv",
    ".pdf": "pdf", ".docx": "docx", ".pptx": "pptx", ".xlsx": "xlsx", ".xlsm": "xlsx",
    ".epub": "epub",
}  # fmt: skip
FORMATS = tuple(dict.fromkeys(ENDINGS.values()))
# What these need is in the extra `documents`; a process of its own reads them.
_LIBRARIES = {
    "html": "lxml", "pdf": "pypdfium2", "docx": "docx", "pptx": "pptx",
    "xlsx": "python_calamine", "epub": "lxml",
}  # fmt: skip
WITH_EXTRA = frozenset(_LIBRARIES)
_ZIPPED = {
    "word/document.xml": "docx",
    "ppt/presentation.xml": "pptx",
    "xl/workbook.xml": "xlsx",
    "META-INF/container.xml": "epub",
}
_OLD_OFFICE = bytes.fromhex("d0cf11e0a1b11ae1")
_FILES_IN_ONE = 50_000


def formats_here() -> tuple[str, ...]:
    """What is read where this runs: without the extra, little else than text."""
    return tuple(one for one in FORMATS if one not in _LIBRARIES or _is_there(_LIBRARIES[one]))


def _is_there(library: str) -> bool:
    from importlib.util import find_spec

    try:
        return find_spec(library) is not None
    except ValueError:  # it was kept from being imported
        return False


def ending_of(name: str) -> str:
    return name[name.rfind(".") :].lower() if "." in name else ""


def format_of(data: bytes, name: str, limits: Limits) -> tuple[str, str]:
    """The format, and a note where the name says otherwise."""
    if not data:
        raise Unreadable("it is empty")
    ending = ending_of(name)
    named = ENDINGS.get(ending, "")
    found = _by_content(data, limits)
    if not found:
        found = named or "text"
        if found in ("pdf", "docx", "pptx", "xlsx", "epub"):
            raise Unreadable(f"it is named {ending}, but is no {found.upper()} (or damaged)")
        if _is_binary(data):
            raise Unreadable("it is no text, and no format that is read")
        head = data[:1000].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
        if found == "text" and head.startswith((b"<!doctype html", b"<html")):
            found = "html"
    told = "" if found == named or not ending else f"named {ending}, read as {found}"
    return found, told


def _by_content(data: bytes, limits: Limits) -> str:
    if b"%PDF-" in data[:1024]:
        return "pdf"
    if data.startswith(b"PK\x03\x04"):
        return _zipped(data, limits)
    if data.startswith(_OLD_OFFICE):
        raise Unreadable(
            "it is an Office file of the old kind (.doc, .xls, .ppt), or one with a password; "
            "save it as .docx, .xlsx or .pptx without one"
        )
    if data.startswith(b"{\\rtf"):
        raise Unreadable("it is rich text (.rtf), which is not read; save it as .docx or .txt")
    return ""


def _zipped(data: bytes, limits: Limits) -> str:
    """What a package holds. One that would unpack to more than the limit is not unpacked."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as package:
            listed = package.infolist()
    except (zipfile.BadZipFile, ValueError, NotImplementedError) as e:
        raise Unreadable(f"it is a damaged package ({e})") from None
    size = sum(one.file_size for one in listed)
    if size > limits.unpacked or len(listed) > _FILES_IN_ONE:
        raise Unreadable(
            f"it would unpack to {size:,} bytes in {len(listed):,} files; at most "
            f"{limits.unpacked:,} bytes in {_FILES_IN_ONE:,} files are taken"
        )
    names = {one.filename for one in listed}
    found = next((kind for name, kind in _ZIPPED.items() if name in names), "")
    if not found:
        raise Unreadable("it is a package (zip) of no kind that is read; unpack it first")
    return found


def _is_binary(data: bytes) -> bool:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return False  # UTF-16 says so by its mark
    return b"\0" in data[:100_000]
