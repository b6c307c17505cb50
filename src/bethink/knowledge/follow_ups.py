"""A follow-up made whole from the turns before it, by rules: "and in Germany?", 那第二个呢？

Above all no harm: a question that can stand by itself is left as it is. What a follow-up lacks is
taken from the last question (itself made whole first), from the list in its answer, or from what
the answer referred to. `follow_ups_english` and `follow_ups_chinese` know what a follow-up looks
like; every pattern is tried on a question of bounded length, so the time is bounded too.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple

from bethink.knowledge import follow_ups_chinese, follow_ups_english
from bethink.knowledge.follow_up_parts import Context, is_chinese_question, names_something
from bethink.knowledge.listed_items import listed_items, named_items
from bethink.knowledge.turns import Reference, Turn
from bethink.text.both_ends import both_ends

_LONGEST = 200  # characters: what is longer says what it means
_LONGEST_BEFORE = 400  # of what it leans on
_READ = 6  # turns back: follow-ups of follow-ups

HeadingOf = Callable[[Reference], str]  # what people call it; "" where it may not be seen


class AskedAs(NamedTuple):
    """What is searched for in place of a question."""

    text: str
    by: Literal["", "rules", "llm"] = ""  # "": as it was asked
    why: str = ""  # which rule, for the trace
    fault: str = ""  # why a language model could not do it

    @property
    def rewritten(self) -> bool:
        return bool(self.by)


def by_rules(question: str, turns: Sequence[Turn], heading_of: HeadingOf | None = None) -> AskedAs:
    """The question made whole, or as it is."""
    turns = turns[-_READ:]
    whole = ""  # the last question, made whole
    for at, turn in enumerate(turns):
        whole = _made_whole(turn.question, whole, turns[:at], heading_of).text
    return _made_whole(question, whole, turns, heading_of)


def _made_whole(
    question: str, before: str, turns: Sequence[Turn], heading_of: HeadingOf | None
) -> AskedAs:
    asked = " ".join(question.split())
    if not turns or not names_something(before) or not asked or len(asked) > _LONGEST:
        return AskedAs(question)
    last, before = turns[-1], both_ends(before, _LONGEST_BEFORE)

    def items() -> list[str]:
        """What was listed: by the last answer, as a list or in a sentence, or by the question; or
        else what the answer referred to, in its order."""
        named = listed_items(last.answer) or named_items(last.answer) or named_items(last.question)
        if not named:
            told = (
                one.heading or (heading_of(one) if heading_of else "") for one in last.references
            )
            named = [name for name in told if name]
        return named

    language = follow_ups_chinese if is_chinese_question(asked) else follow_ups_english
    made = language.made_whole(asked, Context(before, last.answer, items))
    return AskedAs(question) if made is None else AskedAs(made.text, "rules", made.why)
