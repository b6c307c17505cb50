"""Say nothing twice: one passage for each memory, one memory for each content.

`OnePerMemory` needs no text, so it comes before anything is fetched: a long memory with many
passages among the candidates must not take the places of others. `Deduplicate` reads the texts: it
drops what is the same passage, what says the same, and what a better candidate contains.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import accumulate
from typing import ClassVar

from bethink.recall.draft import Draft, Kit
from bethink.recall.unverified import outranks
from bethink.text.fold import fold
from bethink.vocabulary import Candidate, Dropped

_PIECE = 14  # characters; found by chance in a turn of phrase, hardly ever two of four
_ENOUGH_PIECES = 2
_SHORT = 250  # characters: in a shorter text a small difference may well fall into the one piece


def signature(text: str) -> str:
    """The same for texts that differ only in case, width, script variant or white space."""
    return " ".join(fold(text).split())


@dataclass(frozen=True, slots=True)
class OnePerMemory:
    """The best passage speaks for its memory. Where what follows wants to read more of a memory
    than that, `most` lets a few through."""

    name: ClassVar[str] = "one_per_memory"
    most: int = 1

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        if draft.settled:  # the sections of something large, all of them wanted
            return draft
        if len({c.memory_id for c in draft.candidates}) == len(draft.candidates):
            return draft  # short memories, as most are
        seen: dict[str, int] = {}
        kept: list[Candidate] = []
        dropped: list[Dropped] = []
        for candidate in draft.candidates:  # best first
            name = candidate.memory_id
            seen[name] = times = seen.get(name, 0) + 1
            if times <= self.most:
                kept.append(candidate)
            else:
                dropped.append(Dropped(*candidate.key, f"another passage of {name} stands higher"))
        return draft._replace(candidates=tuple(kept), dropped=tuple(dropped))


@dataclass(frozen=True, slots=True)
class Deduplicate:
    """Drop what stands among the better candidates already; the better one always stays.

    A longer candidate that contains a better, shorter one stays too: the short one is the best
    answer and cheap, the long one says more. What it costs to read a few words twice is less than
    what it costs to lose either.

    What is unverified takes nothing verified away: the verified form of the same text comes in its
    place, and a verified text that an unverified one contains stays.
    """

    name: ClassVar[str] = "deduplicate"
    least: int = 8  # distinct terms: shorter than this, being contained means nothing

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        texts = [candidate.text for candidate in draft.candidates]
        seen = _Seen(texts, self.least)
        keys: set[tuple[str, int]] = set()
        standing = list(draft.candidates)
        kept: list[int] = []
        dropped: list[Dropped] = []
        for at, candidate in enumerate(draft.candidates):
            key = candidate.key
            if key in keys:
                dropped.append(Dropped(*key, "the same passage stands higher"))
                continue
            keys.add(key)
            if (same := seen.same(at)) is not None:
                better = standing[same]
                if outranks(candidate, better):
                    standing[same] = _in_place_of(better, candidate)
                    reason = f"{candidate.memory_id} says the same and is verified"
                    dropped.append(Dropped(*better.key, reason))
                    continue
                reason = f"says the same as {better.memory_id}"
            elif (larger := seen.larger(at)) is not None and not outranks(
                candidate, standing[larger]
            ):
                reason = f"is contained in {standing[larger].memory_id}"
            else:
                kept.append(at)
                seen.keep(at)
                continue
            dropped.append(Dropped(*key, reason))
        if not dropped:
            return draft
        left = tuple(standing[at] for at in kept)
        return draft._replace(candidates=left, dropped=tuple(dropped))


def _in_place_of(better: Candidate, candidate: Candidate) -> Candidate:
    """With the place and the score of the better one."""
    return candidate._replace(
        score=better.score,
        parts=better.parts,
        channels={**candidate.channels, **better.channels},
    )


class _Seen:
    """The texts that are kept so far, by number.

    Folding and reading all of them would take longer than everything else in a recall, so cheap
    tests come first: two texts can be the same only if they end alike, and one is taken to be
    contained in another only if a piece of it is found there as it is written. That passes over a
    copy in traditional characters, which is said twice then; nothing is lost by it.
    """

    def __init__(self, texts: list[str], least: int) -> None:
        self._texts = texts
        self._least = least
        self._kept: list[int] = []
        self._endings = _endings(texts)
        self._by_ending: dict[str, list[int]] = {}
        self._signatures: dict[int, str] = {}
        self._lower = [text.lower() for text in texts]
        # joined, so that one search looks through all better texts; those in ASCII by themselves,
        # where it is faster, and where nobody looks for Chinese
        plain = [text if text.isascii() else "" for text in self._lower]
        wide = ["" if text.isascii() else text for text in self._lower]
        self._plain, self._wide = "\n".join(plain), "\n".join(wide)
        self._starts = list(zip(_starts(plain), _starts(wide), strict=True))

    def keep(self, at: int) -> None:
        self._kept.append(at)
        self._by_ending.setdefault(self._endings[at], []).append(at)

    def same(self, at: int) -> int | None:
        alike = self._by_ending.get(self._endings[at], ())
        return next((one for one in alike if self._signature(one) == self._signature(at)), None)

    def _signature(self, at: int) -> str:
        if at not in self._signatures:
            self._signatures[at] = signature(self._texts[at])
        return self._signatures[at]

    def larger(self, at: int) -> int | None:
        lower = self._lower[at]
        size = min(_PIECE, len(lower) // 4)
        if not size:
            return None
        middle = len(lower) // 2
        found = self._is_above(lower[middle : middle + size], at)
        if not found and len(lower) < _SHORT:
            found = self._is_above(lower[-size:], at)
        if not found:
            return None
        from bethink.text.containment import contains

        quarter = len(lower) // 4
        pieces = [lower[at : at + size] for at in (0, quarter, middle, middle + quarter)]
        for one in self._kept:
            common = sum(piece in self._lower[one] for piece in pieces)
            if common >= _ENOUGH_PIECES and contains(
                self._texts[one], self._texts[at], least=self._least
            ):
                return one
        return None

    def _is_above(self, piece: str, at: int) -> bool:
        """Is it in one of the better texts?"""
        plain, wide = self._starts[at]
        if piece.isascii() and self._plain.find(piece, 0, plain) >= 0:
            return True
        return self._wide.find(piece, 0, wide) >= 0


def _starts(texts: list[str]) -> Iterator[int]:
    """Where each begins when they are joined by one character."""
    return accumulate([len(text) + 1 for text in texts[:-1]], initial=0)


def _endings(texts: list[str]) -> list[str]:
    """How each text ends, folded all at once. The beginnings of what people say are too alike."""
    joined = "\n".join(["".join(text[-10:].split()) for text in texts])
    return [ending[-6:] for ending in fold(joined).split("\n")]
