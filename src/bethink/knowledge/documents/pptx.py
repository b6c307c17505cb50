"""PPTX: a section for each slide, with its title, its text, its tables and the speaker's notes."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator
from typing import Any

from bethink.errors import MissingExtra
from bethink.knowledge.documents.blocks import Block, Limits, Reading, Unreadable
from bethink.knowledge.documents.tables import as_table


def read(data: bytes, limits: Limits) -> Reading:
    try:
        import pptx
    except ImportError:
        raise MissingExtra("reading PPTX", "documents") from None
    from lxml.etree import XMLSyntaxError

    try:
        slides = pptx.Presentation(io.BytesIO(data))
        blocks: list[Block] = []
        notes: list[str] = []
        count = 0
        for count, slide in enumerate(slides.slides, start=1):
            if count > limits.pages:
                notes.append(f"read to slide {count - 1}")
                return Reading(blocks, "", "slide", count - 1, notes=tuple(notes))
            if slide.element.get("show") in ("0", "false"):
                notes.append(f"slide {count} is hidden, and left out")
            else:
                blocks += _slide(slide, count)
        about = slides.core_properties
    except (KeyError, ValueError, XMLSyntaxError, AttributeError) as e:
        raise Unreadable(f"it is damaged, or no PPTX ({type(e).__name__}: {e})") from None
    title = about.title or ""
    title = "" if title == "PowerPoint Presentation" else title
    told: dict[str, Any] = {"author": about.author} if about.author else {}
    return Reading(blocks, title, "slide", count, about=told, notes=tuple(notes))


def _slide(slide: Any, number: int) -> list[Block]:
    title = slide.shapes.title
    heading = "" if title is None else " ".join(title.text_frame.text.split())
    skip = None if title is None else title.shape_id
    body = list(_shapes(slide.shapes, number, skip))
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        said = slide.notes_slide.notes_text_frame.text.strip()
        if said:
            body.append(Block(said, place=number))
    if not heading and body:  # a slide is a section of its own, with a title or without
        first = body.pop(0) if not body[0].head and "\n" not in body[0].text else None
        heading = first.text.removeprefix("- ") if first else f"{number}"
    return [Block(heading, level=1, place=number), *body] if heading else body


def _shapes(shapes: Iterable[Any], number: int, skip: int | None) -> Iterator[Block]:
    for shape in shapes:
        if shape.shape_id == skip:
            continue
        if hasattr(shape, "shapes"):
            yield from _shapes(shape.shapes, number, None)
        elif getattr(shape, "has_table", False):
            table = as_table([[c.text for c in row.cells] for row in shape.table.rows], number)
            if table is not None:
                yield table
        elif shape.has_text_frame:
            for paragraph in shape.text_frame.paragraphs:
                text = " ".join(paragraph.text.split())
                if text:
                    indent = "  " * paragraph.level
                    yield Block(f"{indent}- {text}", place=number, close=True)
