"""EPUB: its chapters in the order of reading. A package of HTML with two files that say so; the
library that reads such packages has a licence (AGPL) that its users would have to take on."""

from __future__ import annotations

import io
import posixpath
import zipfile
from typing import TYPE_CHECKING
from urllib.parse import unquote

from bethink.errors import MissingExtra
from bethink.knowledge.documents.blocks import Block, Limits, Reading, Unreadable
from bethink.knowledge.documents.decoding import decoded
from bethink.knowledge.documents.html import blocks_of, main_part, parsed

if TYPE_CHECKING:
    from lxml.etree import _Element

_PAGES = ("application/xhtml+xml", "text/html")


def read(data: bytes, limits: Limits) -> Reading:
    with zipfile.ZipFile(io.BytesIO(data)) as package:
        names = set(package.namelist())
        if "META-INF/encryption.xml" in names and "META-INF/rights.xml" in names:
            raise Unreadable("it is locked (DRM), and only its own reader can open it")
        where = _xml(package, "META-INF/container.xml").find(".//{*}rootfile")
        book_at = "" if where is None else where.get("full-path") or ""
        book = _xml(package, book_at)
        folder = posixpath.dirname(book_at)
        pages = {
            item.get("id"): posixpath.normpath(
                posixpath.join(folder, unquote(item.get("href") or ""))
            )
            for item in book.iterfind(".//{*}manifest/{*}item")
            if item.get("media-type") in _PAGES and "nav" not in (item.get("properties") or "")
        }
        blocks: list[Block] = []
        notes: list[str] = []
        count = chars = 0
        for reference in book.iterfind(".//{*}spine/{*}itemref"):
            path = pages.get(reference.get("idref"))
            if path is None:
                continue
            count += 1
            if count > limits.pages or chars > limits.chars:
                notes.append(f"read up to chapter {count - 1:,}")
                break
            if path not in names:
                notes.append(f"chapter {count} ({path}) is missing")
                continue
            own = blocks_of(main_part(parsed(decoded(_bytes(package, path))[0])), count)
            chars += sum(len(block.text) for block in own)
            if own and not own[0].level:  # it does not go on under the last one's heading
                blocks.append(Block("", level=1, place=count))
            blocks += own
    told = {name: (book.findtext(f".//{{*}}{name}") or "").strip() for name in ("title", "creator")}
    about = {"author": told["creator"]} if told["creator"] else {}
    return Reading(blocks, told["title"], "chapter", count, about=about, notes=tuple(notes))


def _bytes(package: zipfile.ZipFile, path: str) -> bytes:
    try:
        return package.read(path)
    except KeyError:
        raise Unreadable(f"it is damaged: {path or 'its list of contents'} is missing") from None
    except (zipfile.BadZipFile, RuntimeError, EOFError, NotImplementedError) as e:
        raise Unreadable(f"it is damaged ({e})") from None


def _xml(package: zipfile.ZipFile, path: str) -> _Element:
    try:
        from lxml import etree
    except ImportError:
        raise MissingExtra("reading HTML and EPUB", "documents") from None
    parser = etree.XMLParser(resolve_entities=False, no_network=True, load_dtd=False)
    try:
        return etree.fromstring(_bytes(package, path), parser)
    except etree.XMLSyntaxError as e:
        raise Unreadable(f"it is damaged: {path}: {e}") from None
