"""What a question gives the searches to look for, and what of it is read.

A question of stop words alone ("what is the", 的是吗) names nothing: whatever holds such words
would be an answer, that is, everything. So words look for nothing then. Meaning is asked where the
question at least speaks of somebody ("who am I?", 我是谁), because that has answers; or where the
caller wants meaning alone. Quoted, the very words are looked for: “The Who”. The answer says so.
"""

from __future__ import annotations

from bethink.recall.draft import Draft
from bethink.text.both_ends import MAX_MEANING_CHARS, MAX_QUERY_CHARS
from bethink.text.segments import pieces, telling_pieces
from bethink.text.tokenise import FIRST_IDEOGRAPH, query_terms, telling_terms
from bethink.vocabulary import Query, Status

NAMES_NOTHING = (
    "the question holds no word to search for, only such as are everywhere; name what you look "
    "for, or put words in quotation marks to look for those very words"
)
_SOMEBODY = frozenset(
    """
    i i'm i've i'd i'll me my mine myself we we're we've us our ours you you're your yours he he's
    him his she she's her hers they they're them their theirs
    """.split()
)
_SOMEBODY_CHINESE = "我你您他她咱"
_SHOWN = 12  # words
_QUESTION, _TURN = 6, 18  # telling words


def names_nothing(text: str) -> bool:
    """Are all its words such as are everywhere, and none of them quoted?"""
    if any(piece.telling for piece in pieces(text)) and telling_terms(text):
        return False
    from bethink.text.keywords import quoted  # few questions come here

    return not quoted(text)


def by_meaning_only(query: Query) -> bool:
    """Of a question that names nothing: may meaning be asked all the same?"""
    if not query.words or query.vector is not None:
        return True  # as the caller wants it
    words = query.text.lower().replace("’", "'").split()
    if any(word.strip("?!.,;:\"'") in _SOMEBODY for word in words):
        return True
    if any(character in query.text for character in _SOMEBODY_CHINESE):
        return True
    from unicodedata import category

    return any(category(character) == "So" for character in query.text)  # 🎂 means something


def told_once(draft: Draft, reason: str) -> Draft:
    """With this said to the user, if it is not yet. It makes no status worse."""
    if any(fault.reason == reason for fault in draft.faults):
        return draft
    return draft.fault(Status.ANSWERED, reason)


def told_if_too_long(draft: Draft) -> Draft:
    """With a warning where words do not read all of the question."""
    length = len(draft.query.text.strip())
    if length <= MAX_QUERY_CHARS:
        return draft
    return told_once(
        draft,
        f"the question has {length:,} characters, and its middle was not read: words read the "
        f"first and the last {MAX_QUERY_CHARS // 2:,}, meaning the first and the last "
        f"{MAX_MEANING_CHARS // 2:,}; ask for one thing at a time",
    )


def shown_words(text: str) -> str:
    """What is looked for, in words that people recognise: no stems, no pairs of characters."""
    words = list(dict.fromkeys(telling_pieces(text)))
    return " ".join(words[:_SHOWN]) + (" …" if len(words) > _SHOWN else "")


def turn_of(text: str) -> float:
    """How far this is a whole turn of a conversation (1) rather than a question (0): by its length
    in telling words, where a word of Chinese makes two terms."""
    words = sum(0.5 if term[0] >= FIRST_IDEOGRAPH else 1.0 for term in query_terms(text))
    return min(max((words - _QUESTION) / (_TURN - _QUESTION), 0.0), 1.0)
