"""What the rules for follow-ups share in both languages."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from bethink.text.keywords import keywords, without_scaffolding
from bethink.text.segments import HAN, is_chinese, pieces
from bethink.text.tokenise import terms

_MOST_TOPIC = 8  # words or stretches of Chinese
_LONGEST_NAME = 80  # characters of an item's name


class Context(NamedTuple):
    """What a follow-up may lean on."""

    before: str  # the last question, made whole
    answer: str  # to it
    items: Callable[[], list[str]]  # what it listed


class Made(NamedTuple):
    text: str
    why: str


def is_chinese_question(text: str) -> bool:
    """By its characters: names in Latin letters do not make it English."""
    return re.search(f"[{HAN}]", text) is not None


def names_something(text: str) -> bool:
    return any(piece.telling for piece in pieces(text))


def told_pieces(text: str) -> list[str]:
    return [piece.text for piece in pieces(text) if piece.telling]


def topic(question: str, *, besides: str = "") -> str:
    """The telling words of a question, in order; without those that are in `besides` already."""
    held = set(terms(besides))
    kept: list[str] = []
    for piece in told_pieces(without_scaffolding(question)):
        if is_chinese(piece):
            if piece not in besides:
                kept.append(piece)
        elif not set(terms(piece)) <= held:
            kept.append(piece)
    return " ".join(dict.fromkeys(kept[:_MOST_TOPIC]))


def with_topic(question: str, before: str) -> str:
    """The question with what the last one was about, in brackets where people put such things."""
    about = topic(before, besides=question)
    if not about:
        return question
    return f"{question}（{about}）" if is_chinese_question(question) else f"{question} ({about})"


def without_pair(question: str, pair: list[str], comparing: str) -> str:
    """What is left of a question that compares two, once it is said which one is meant."""
    for one in pair:
        question = question.replace(one, " ")
    return re.sub(comparing, " ", question, flags=re.IGNORECASE)


def besides_items(context: Context, items: list[str], comparing: str) -> Context:
    """Where the last question itself listed them, without them: one is meant, not the others."""
    if not all(item and item in context.before for item in items):
        return context
    return context._replace(before=without_pair(context.before, items, comparing))


def item_name(item: str) -> str:
    """What a listed item is called: what stands before its colon or dash, or its first words."""
    item = re.sub(r"\s*\[[0-9]{1,3}\]", "", item)  # a citation is no part of a name
    name = re.split(r"\s[–—-]\s|[:：。；;\n]|——|\.\s", item.strip(), maxsplit=1)[0]
    name = name.strip(" *_`\"“”'.,，、#")
    return name[:_LONGEST_NAME].strip()


def names_in(answer: str) -> str:
    """Whom the first sentence of an answer names, for "her" and 他."""
    told = re.sub(r"\s*\[[0-9]{1,3}\]", "", answer[:300]).strip()
    first = re.split(r"(?<=[.!?])\s|[。！？\n]", told, maxsplit=1)[0]
    if is_chinese_question(first):
        return first if len(first) <= 30 else ""
    named = [word for word in keywords(first) if word[:1].isupper()]
    return " ".join(named[:2])
