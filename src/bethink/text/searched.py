"""What of a passage is searched: its text and, of a part of a document, the headings above it.

A paragraph seldom repeats what its chapter is about: "Press Ctrl+C twice" stands under "Stopping
the server" and is asked for by that name. So the headings count as words of every passage below
them, and the embedder reads them first. What is shown stays the text alone.
"""

from __future__ import annotations

from bethink.vocabulary import Memory, Passage

SECTION = "section"  # the kind of a part of a document
_MOST = 300  # characters of headings, the nearest ones: they must not drown a short passage


def below_headings(text: str, kind: str, headings: str | None) -> str:
    """A passage's text as it is searched, given the kind and the section of its memory."""
    return f"{headings[-_MOST:]}\n{text}" if headings and kind == SECTION else text


def searched_text(memory: Memory, passage: Passage) -> str:
    return below_headings(memory.text[passage.start : passage.end], memory.kind, memory.section)


def searched_alike(one: Memory, other: Memory) -> bool:
    """Do the passages, words and vectors of the one hold for the other?"""
    return one.text == other.text and below_headings("", one.kind, one.section) == below_headings(
        "", other.kind, other.section
    )
