"""Which memory stands for which piece, after files were edited, moved, renamed or cut apart.

First what reads the same, in place before elsewhere; only then what reads alike, in the place where
the former stood. So a line that was moved keeps its memory, and the line that took its place is not
mistaken for it.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from bethink.notebook.ledger import PieceRow

# Of two texts in the same place, the share of words that they have in common from which the new is
# taken for a new wording of the old. Half: an edit keeps more, another matter has less.
ALIKE = 0.5
# How much of the words of a file that went must stand in one that came, to be the same file.
_SAME_FILE = 0.8
_MAX_PAIRS = 10_000  # of one section; beyond this only neighbours are compared


class NewPiece(NamedTuple):
    path: str
    text: bytes  # digests, as in the ledger
    section: bytes


def match(
    new: Sequence[NewPiece],
    old: Iterable[PieceRow],
    texts: Callable[[Sequence[str]], Mapping[str, str]],
    text_of: Callable[[int], str],
) -> list[PieceRow | None]:
    """For each new piece the old one that it continues, or None. `texts` gives the texts of old
    pieces by their ids, `text_of` the text of a new piece by its position."""
    found: list[PieceRow | None] = [None] * len(new)
    old = list(old)
    left = {piece.id: piece for piece in old}
    for key in (_same_place, _same_file, _same_text):
        _match_same(new, found, left, key)
    if left and None in found:
        _match_alike(new, found, left, texts, text_of)
        for taken in found:
            if taken is not None:
                left.pop(taken.id, None)
        came = {piece.path for piece in new} - {piece.path for piece in old}
        gone = {piece.path for piece in left.values()} - {piece.path for piece in new}
        if came and gone:
            _match_renamed(new, found, left, came, gone, texts, text_of)
    return found


def _same_place(piece: NewPiece | PieceRow) -> tuple[object, ...]:
    return (piece.path, piece.section, piece.text)


def _same_file(piece: NewPiece | PieceRow) -> tuple[object, ...]:
    return (piece.path, piece.text)


def _same_text(piece: NewPiece | PieceRow) -> tuple[object, ...]:
    return (piece.text,)


def _match_same(
    new: Sequence[NewPiece],
    found: list[PieceRow | None],
    left: dict[str, PieceRow],
    key: Callable[[NewPiece | PieceRow], tuple[object, ...]],
) -> None:
    waiting: dict[tuple[object, ...], list[PieceRow]] = defaultdict(list)
    for piece in sorted(left.values(), key=lambda p: (p.path, p.ordinal), reverse=True):
        waiting[key(piece)].append(piece)
    if not waiting:
        return
    for position, fresh in enumerate(new):
        if found[position] is None and (same := waiting.get(key(fresh))):
            found[position] = taken = same.pop()
            del left[taken.id]


def _match_alike(
    new: Sequence[NewPiece],
    found: list[PieceRow | None],
    left: dict[str, PieceRow],
    texts: Callable[[Sequence[str]], Mapping[str, str]],
    text_of: Callable[[int], str],
) -> None:
    """New wordings, section by section; of a renamed file, against the file that it was."""
    was = _former_names(new, found)
    old_of: dict[tuple[str, bytes], list[PieceRow]] = defaultdict(list)
    for piece in sorted(left.values(), key=lambda p: p.ordinal):
        old_of[piece.path, piece.section].append(piece)
    groups: list[tuple[list[int], list[PieceRow]]] = []
    by_place: dict[tuple[str, bytes], list[int]] = defaultdict(list)
    for position, fresh in enumerate(new):
        if found[position] is None:
            by_place[fresh.path, fresh.section].append(position)
    for (path, section), positions in by_place.items():
        for name in (path, was.get(path)):
            if name is not None and (former := old_of.pop((name, section), None)):
                groups.append((positions, former))
                break
    if not groups:
        return
    known = texts([piece.id for _, former in groups for piece in former])
    for positions, former in groups:
        words_new = [_words(text_of(position)) for position in positions]
        words_old = [_words(known.get(piece.id, "")) for piece in former]
        for at, was_at in _best_pairs(words_new, words_old):
            found[positions[at]] = former[was_at]


def _former_names(new: Sequence[NewPiece], found: Sequence[PieceRow | None]) -> dict[str, str]:
    """From which other file most of each file's pieces came."""
    came: dict[str, Counter[str]] = defaultdict(Counter)
    for piece, old in zip(new, found, strict=True):
        if old is not None and old.path != piece.path:
            came[piece.path][old.path] += 1
    return {path: names.most_common(1)[0][0] for path, names in came.items()}


def _match_renamed(
    new: Sequence[NewPiece],
    found: list[PieceRow | None],
    left: dict[str, PieceRow],
    came: set[str],
    gone: set[str],
    texts: Callable[[Sequence[str]], Mapping[str, str]],
    text_of: Callable[[int], str],
) -> None:
    """A file that came with the words of one that went is that file, though its name may decide
    that it is read otherwise: items as one note, or a note without what the index said of it.
    Piece by piece the most words in common count, whatever section they stand in."""
    news: dict[str, list[int]] = defaultdict(list)
    for position, fresh in enumerate(new):
        if fresh.path in came and found[position] is None:
            news[fresh.path].append(position)
    olds: dict[str, list[PieceRow]] = defaultdict(list)
    for piece in left.values():
        if piece.path in gone:
            olds[piece.path].append(piece)
    if len(news) * len(olds) > _MAX_PAIRS or not news or not olds:
        return
    known = texts([piece.id for pieces in olds.values() for piece in pieces])
    words_of = {piece.id: _words(known.get(piece.id, "")) for p in olds.values() for piece in p}
    words_at = {at: _words(text_of(at)) for positions in news.values() for at in positions}
    whole_old = {p: _sum(words_of[one.id] for one in pieces) for p, pieces in olds.items()}
    whole_new = {p: _sum(words_at[at] for at in positions) for p, positions in news.items()}
    pairs = [(_within(whole_new[n], whole_old[o]), n, o) for n in news for o in olds]
    for share, name, former in sorted(pairs, key=lambda pair: (-pair[0], *pair[1:])):
        if share < _SAME_FILE or name not in news or former not in olds:
            continue
        positions, pieces = news.pop(name), olds.pop(former)
        if len(positions) * len(pieces) > _MAX_PAIRS:
            continue
        common = [
            (-(words_at[at] & words_of[one.id]).total(), at, one)
            for at in positions
            for one in pieces
            if _within(words_at[at], words_of[one.id]) >= _SAME_FILE
        ]
        taken: set[str] = set()
        for _, at, one in sorted(common, key=lambda pair: (pair[0], pair[1], pair[2].ordinal)):
            if found[at] is None and one.id not in taken:
                found[at] = one
                taken.add(one.id)


def _sum(many: Iterable[Counter[str]]) -> Counter[str]:
    total: Counter[str] = Counter()
    for words in many:
        total.update(words)
    return total


def _within(a: Counter[str], b: Counter[str]) -> float:
    """How much of the shorter one stands in the other."""
    size = min(a.total(), b.total())
    return (a & b).total() / size if size else 0.0


def _best_pairs(
    new: Sequence[Counter[str]], old: Sequence[Counter[str]]
) -> Iterable[tuple[int, int]]:
    """The most alike first, each taken once; of equals those nearest in order."""
    if len(new) * len(old) > _MAX_PAIRS:
        pairs = [(i, i) for i in range(min(len(new), len(old)))]
    else:
        pairs = [(i, j) for i in range(len(new)) for j in range(len(old))]
    scored = [(-_alike(new[i], old[j]), abs(i - j), i, j) for i, j in pairs]
    taken_new: set[int] = set()
    taken_old: set[int] = set()
    for score, _, i, j in sorted(scored):
        if -score >= ALIKE and i not in taken_new and j not in taken_old:
            taken_new.add(i)
            taken_old.add(j)
            yield i, j


def _alike(a: Counter[str], b: Counter[str]) -> float:
    size = a.total() + b.total()
    return 2 * (a & b).total() / size if size else 0.0


def _words(text: str) -> Counter[str]:
    """Words, and of languages that are written without spaces each character."""
    return Counter(re.findall(r"[぀-ヿ㐀-鿿가-힯]|[^\W぀-ヿ㐀-鿿가-힯]+", text.lower()))
