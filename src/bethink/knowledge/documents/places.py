"""Where in a section each of its pages (rows, slides, chapters) begins, kept as a short line of
text, so that a citation can name those of its own passage and not of the whole section.

`0:12 840:13 1702:14` reads: from character 0 on it is page 12, from 840 on page 13. Where there
are very many, neighbours are told together: `0:12-13 1702:14-15`.
"""

from __future__ import annotations

from collections.abc import Sequence

MOST = 400
_LONGEST = 20_000  # of such a line; what is longer is not ours

Beginning = tuple[int, int]  # the character, and the page that begins there


def as_line(beginnings: Sequence[Beginning]) -> str:
    """Empty where it is all on one page."""
    kept: list[Beginning] = []
    for at, place in beginnings:
        if not kept or kept[-1][1] != place:
            kept.append((at, place))
    if len(kept) < 2:
        return ""
    step = -(-len(kept) // MOST)
    together = [kept[first : first + step] for first in range(0, len(kept), step)]
    return " ".join(_told(some) for some in together)


def _told(some: Sequence[Beginning]) -> str:
    (at, first), last = some[0], some[-1][1]
    return f"{at}:{first}" if first == last else f"{at}:{first}-{last}"


def of_part(line: object, start: int, end: int) -> tuple[int, int] | None:
    """The first and the last page of these characters; None where the line does not say so."""
    if not isinstance(line, str) or not line or len(line) > _LONGEST:
        return None
    found: tuple[int, int] | None = None
    for part in line.split(" "):
        at, _, told = part.partition(":")
        first, _, last = told.partition("-")
        if not all(one.isascii() and one.isdigit() for one in (at, first, last or first)):
            return None
        if int(at) <= start:
            found = int(first), int(last or first)
        elif found is not None and int(at) < end:
            found = found[0], max(found[1], int(last or first))
    return found
