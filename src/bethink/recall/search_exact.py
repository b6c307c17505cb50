"""Find what holds an identifier of the question exactly, whatever the embedder thinks of it.

An error code, a flag, a setting or a path is not a word among others: `ERR_CONN_1042` is not
`ERR_CONN_1043`, although they share all their parts but one, and `getUserNames` is not
`getUserName`, although the index takes their stems for the same. With `numbers` a plain number is
one too, from three digits on ("order 1042", 工单1042), unless it may be a year.

The entities of a memory are searched in the same way, because its text need not hold them: who
names one in the question finds its memories in the channel `entity`. Capitals do not matter where
the name is stored in lower case, or with a capital at each word. A question that consists of the
name finds them in the channel `exact` too.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from string import capwords
from typing import ClassVar

from bethink.errors import StoreError
from bethink.filters import All, Condition
from bethink.recall.draft import Draft, Kit
from bethink.recall.partly import told_if_partly
from bethink.text.both_ends import both_ends
from bethink.text.fold import fold_width
from bethink.text.searched import searched_text
from bethink.text.tokenise import identifiers, terms
from bethink.text.verbatim import holds, verbatim_names
from bethink.vocabulary import Found, Memory

CHANNEL = "exact"
ENTITY = "entity"
# By itself: not a part of a word, an identifier, a date or an amount with a point.
_NUMBER = r"(?<![0-9A-Za-z_.,:/@+-])[0-9]{3,}(?![0-9A-Za-z_]|[.,:/@+-][0-9A-Za-z])"
_YEAR = r"(?:19|20)[0-9]{2}"
# A word with its inner marks (O'Neill, St-Pierre, AT&T, 4.2), or one ideograph.
_IDEOGRAPH = "\u3400-\u9fff\uf900-\ufaff"
_TOKEN = rf"[{_IDEOGRAPH}]|[^\W{_IDEOGRAPH}]+(?:['’.&/+-][^\W{_IDEOGRAPH}]+)*[+#]*"
_MOST_TOKENS = 32  # of the question: who pastes a page does not ask for a name
_LONGEST_NAME = 8  # tokens; the whole question may be a longer one
# What asks for nothing but the thing itself.
_ABOUT = (
    r"(?:who|what)(?:'s|’s| is| are| was| were| about)|(?:tell me |anything |everything )?about"
    r"|关于|谁是|什么是|介绍一下|说说"
)
_ABOUT_AFTER = r"是谁|是什么|是哪位|的情况|怎么样|呢"


@dataclass(frozen=True, slots=True)
class SearchExact:
    name: ClassVar[str] = "search_exact"
    candidates: int = 50
    numbers: bool = False  # for presets that hold no confidence against whoever lacks a number
    mentioned: int = 10  # of an entity that the question names beside other things

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        query = draft.query
        if draft.settled or not query.words:
            return draft
        wanted = identifiers(query.text)
        if self.numbers:
            wanted = tuple(dict.fromkeys((*wanted, *plain_numbers(query.text))))
        names = verbatim_names(both_ends(query.text))
        if wanted or names:
            draft = self._exactly(wanted, names, draft, kit)
        try:
            return self._with_entities(draft, kit)
        except StoreError as e:  # the other searches may still answer
            return draft.failed("the search by entities", e)

    def _exactly(
        self, wanted: Sequence[str], names: Sequence[str], draft: Draft, kit: Kit
    ) -> Draft:
        query = draft.query
        found: Sequence[Found] = ()
        if wanted:
            found = kit.store.search_words(
                wanted, spaces=query.spaces, where=query.where, limit=self.candidates
            )
            draft = told_if_partly(draft, found)
        if names:
            found = _together(found, self._holding(names, draft, kit))
        shown = " ".join((*wanted, *names)[:6])
        if not found:
            return draft.note(f"exact: nothing holds {shown}")
        return draft.with_channel(CHANNEL, tuple(found)).note(f"exact: {len(found)} hold {shown}")

    def _holding(self, names: Sequence[str], draft: Draft, kit: Kit) -> list[Found]:
        """Who holds one of these names as it is written: the index knows only what they are made
        of, so what it finds is read."""
        query = draft.query
        found = kit.store.search_words(
            list(dict.fromkeys(term for name in names for term in terms(name, ends=False))),
            spaces=query.spaces,
            where=query.where,
            limit=self.candidates,
        )
        fetched = kit.store.fetch([(f.memory_id, f.ordinal) for f in found])
        return [
            one
            for one, read in zip(found, fetched, strict=True)
            if read is not None and any(holds(searched_text(*read), name) for name in names)
        ]

    def _with_entities(self, draft: Draft, kit: Kit) -> Draft:
        """Who has an entity that the question names; the newest first, those first whose name is
        the whole question. A store without entities is asked once, by an index."""
        query = draft.query
        asked = asked_name(query.text)
        names = _possible_names(query.text, asked) if self.mentioned else _ways_to_write({asked})
        memories = self._having(names, draft, kit)
        if not memories:
            return draft
        about = [one for one in memories if is_about(one, asked)]
        beside = [Found(one.id, 0, 0.5) for one in memories if one not in about]
        if len(memories) == self.candidates and asked:  # others may have crowded them out
            about = self._having(_ways_to_write({asked}), draft, kit)
        found = [Found(one.id, 0, 1.0) for one in about]
        draft = draft.with_channel(ENTITY, (*found, *beside[: self.mentioned]))
        if found:
            exact = draft.channels.get(CHANNEL, ())
            best = max((one.score for one in exact), default=1.0)
            also = [one._replace(score=best) for one in found]
            draft = draft.with_channel(CHANNEL, tuple(_together(exact, also)))
        return draft.note(
            f"entities: {len(found)} have the one that is asked for, {len(beside)} another that "
            "the question names"
        )

    def _having(self, names: tuple[str, ...], draft: Draft, kit: Kit) -> list[Memory]:
        query = draft.query
        if not names:
            return []
        having = Condition("entities", None, "has", names)
        return kit.store.scan(
            spaces=query.spaces,
            where=having if query.where is None else All((query.where, having)),
            newest_first=True,
            limit=self.candidates,
            damaged=[],
        ).memories


def asked_name(text: str) -> str:
    """The question without what asks for nothing but the thing: "who is Anna?" is "Anna"."""
    bare = fold_width(text[:_LONGEST_ASKED]).strip(_MARKS)
    bare = re.sub(rf"^(?:{_ABOUT})(?![A-Za-z])", "", bare, flags=re.IGNORECASE).strip(_MARKS)
    return re.sub(rf"(?:{_ABOUT_AFTER})$", "", bare).strip(_MARKS)


_LONGEST_ASKED = 160  # characters
_MARKS = " \t\n\"'“”‘’「」『』《》?？!！.。,，、:：;；"


def is_about(memory: Memory, asked: str) -> bool:
    """Is this the name of one of its entities?"""
    if not asked:
        return False
    folded = asked.casefold()
    return any(fold_width(one).strip(_MARKS).casefold() == folded for one in memory.entities)


def _possible_names(text: str, asked: str) -> tuple[str, ...]:
    """Whatever in the question may be the name of an entity, in the ways it may be stored."""
    text = both_ends(text)
    at = [token.span() for token in re.finditer(_TOKEN, text)][:_MOST_TOKENS]
    names = {asked}
    for first, (start, _) in enumerate(at):
        names.update(text[start:end] for _, end in at[first : first + _LONGEST_NAME])
    return _ways_to_write(names)


def _ways_to_write(names: Iterable[str]) -> tuple[str, ...]:
    """One letter or ideograph is in half of all questions."""
    told = [one for one in names if len(one) > 1 and "\0" not in one]
    return tuple({way for one in told for way in (one, one.lower(), capwords(one))})


def _together(some: Sequence[Found], others: Sequence[Found]) -> list[Found]:
    """Both lists as one, best first; who is in both has both scores."""
    scores: dict[tuple[str, int], float] = {}
    for memory_id, ordinal, score in (*some, *others):
        scores[memory_id, ordinal] = scores.get((memory_id, ordinal), 0.0) + score
    return sorted((Found(*key, score) for key, score in scores.items()), key=lambda f: -f.score)


def plain_numbers(text: str) -> list[str]:
    """Numbers that stand by themselves and name something: no quantity of two digits, no year."""
    found = re.findall(_NUMBER, fold_width(both_ends(text)))
    return [number for number in found if not re.fullmatch(_YEAR, number)]
