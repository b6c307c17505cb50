"""Five presets, each for one use of a memory, with the constants that such memories are known by.

Loaded when one of them is asked for; `presets.py` knows their names.
"""

from __future__ import annotations

from collections.abc import Mapping

from bethink.filters import Condition
from bethink.recall.as_of import AsOf
from bethink.recall.budget import Budget, Widen
from bethink.recall.cards import CardsGiveWay
from bethink.recall.contradictions import NewerFirst
from bethink.recall.deduplicate import Deduplicate, OnePerMemory
from bethink.recall.draft import Stage
from bethink.recall.exact_first import AskedByName, ExactFirst
from bethink.recall.expand import Expand
from bethink.recall.faq_entries import FaqEntries
from bethink.recall.faq_once import FaqOnce
from bethink.recall.fuse import K, OrderByWeights, ReciprocalRanks
from bethink.recall.fuse_adaptively import FuseAdaptively
from bethink.recall.fuse_union import FuseUnion
from bethink.recall.hydrate import Hydrate
from bethink.recall.one_space import OneSpace
from bethink.recall.plan import Plan
from bethink.recall.presets import Preset
from bethink.recall.read import Read
from bethink.recall.relevance import Cut, Judge
from bethink.recall.replies import AddReplies
from bethink.recall.route import Route
from bethink.recall.salience import Salience
from bethink.recall.search_exact import CHANNEL as EXACT
from bethink.recall.search_exact import SearchExact
from bethink.recall.search_hot import HotFirst, NearestFew, SearchHot, SearchWorking
from bethink.recall.search_meaning import CHANNEL as MEANING
from bethink.recall.search_meaning import SearchMeaning
from bethink.recall.search_words import CHANNEL as WORDS
from bethink.recall.search_words import SearchWords
from bethink.recall.side_by_side import SideBySide
from bethink.recall.signals import ReadSignals
from bethink.recall.standing import StandingInstructions
from bethink.recall.thresholds import Thresholds
from bethink.recall.timeline import FindPeriod
from bethink.recall.timeline_path import TimelinePath

_HOT, _COLD = 10, 5

# What is recent is the context of whatever is done next, reviewed or not: all of it comes, and says
# what it is. Words stand in where meaning cannot answer.
WORKFLOW = Preset(
    "workflow",
    (
        SearchExact(numbers=True),
        SideBySide((SearchMeaning(), SearchHot(count=_HOT), SearchWords())),
        Thresholds(),
        HotFirst(),
        Hydrate(),
        AsOf(),
        ReadSignals(),
        Judge(order=False),
        Deduplicate(),
        AskedByName(order=False),
        NewerFirst(),
        Cut(),
        NearestFew(count=_COLD),
        Budget(),
    ),
    limit=_HOT + _COLD,
    budget=8_000,  # so many passages of 500 characters fit, in either language
    form="history",
    unverified_share=1.0,
)

# A list that is asked for as a whole, or a time, needs no search. Then 2 × limit from each search.
NOTEBOOK = Preset(
    "notebook",
    (
        FindPeriod(),
        Route(),
        TimelinePath(only=Condition("kind", None, "=", "journal")),
        TimelinePath(),  # no journal was kept then: whatever else happened
        SearchExact(numbers=True),
        SideBySide((SearchMeaning(candidates=0), SearchWords(candidates=0))),
        SearchWorking(),
        Thresholds(),
        ReciprocalRanks(k=K),
        ExactFirst(),  # so that it is among those that are fetched
        OnePerMemory(),
        Hydrate(),
        AsOf(),
        AddReplies(),
        ReadSignals(),
        Judge(),
        Deduplicate(),
        AskedByName(),
        NewerFirst(),
        Cut(),
        Salience(),
        Budget(),
    ),
    budget=1_500,
)

# Never across projects. No time is read out of a scene plan: "yesterday" is the story's own.
STORY = Preset(
    "story",
    (
        OneSpace(),
        SearchExact(numbers=True, mentioned=0),  # every phrase names somebody of the scene
        SideBySide((SearchMeaning(), SearchWords())),
        SearchWorking(),
        Thresholds(),
        FuseAdaptively(),
        ExactFirst(),
        OnePerMemory(),
        Hydrate(),
        AsOf(),
        AddReplies(),
        ReadSignals(),
        Judge(),
        Deduplicate(),
        AskedByName(),
        NewerFirst(),
        Cut(),
        OrderByWeights(),
        Budget(),
    ),
    limit=10,
)

# How much a search's ranks count.
KNOWLEDGE_WEIGHTS: Mapping[str, float] = {MEANING: 1.0, WORDS: 1.0, EXACT: 1.0}
# A line or two found alone says little; this is a paragraph or two, in either language.
KNOWLEDGE_WIDEN = Widen(below=350, up_to=850)

_FAQ = FaqEntries()


def knowledge_preset(
    *,
    beside: tuple[Stage, ...] = (),
    after_search: tuple[Stage, ...] = (),
    after_hydrate: tuple[Stage, ...] = (),
    weights: Mapping[str, float] | None = None,
    graded: tuple[str, ...] = (),
    expand: bool = True,
    faq: FaqEntries | None = _FAQ,
    cards_give_way: bool = True,
    abstain: bool = True,
    widen: Widen | None = KNOWLEDGE_WIDEN,
) -> Preset:
    """The preset `knowledge`, with more of what a question needs.

    `beside` are searches that run with its own, each filling a channel of its own; `after_search`
    sees what all of them found, `after_hydrate` the fetched candidates. A channel's ranks count by
    `weights`, else fully; see `ReciprocalRanks` for `graded`. The rest switches features off, e.g.
    to measure what they do.
    """
    return Preset(
        "knowledge",
        (
            Plan(),
            SearchExact(numbers=True),
            SideBySide((*beside, SearchMeaning(candidates=100), SearchWords())),
            *((Expand(),) if expand else ()),
            *after_search,
            *((faq,) if faq is not None else ()),
            SearchWorking(),
            Thresholds(),
            FaqOnce(),
            ReciprocalRanks(k=K, weights={**KNOWLEDGE_WEIGHTS, **(weights or {})}, graded=graded),
            ExactFirst(),
            OnePerMemory(),
            Hydrate(),
            *after_hydrate,
            AsOf(),
            # before relevance: behind the card every section of the document would look worse
            *((CardsGiveWay(),) if cards_give_way else ()),
            ReadSignals(),
            Judge(),
            Read(),
            Deduplicate(),
            AskedByName(),
            NewerFirst(),
            *((Cut(),) if abstain else ()),
            OrderByWeights(),
            Budget(fill=True, widen=widen),
        ),
        budget=5_000,  # ten passages of 500 characters fit, in either language
    )


KNOWLEDGE = knowledge_preset()

# Few and good, or none at all: a hook puts them before a model at every turn. Nobody asked, so what
# nobody has reviewed stays out.
SKILL = Preset(
    "skill",
    (
        SearchExact(numbers=True),
        SideBySide(
            (
                SearchMeaning(candidates=10, exactly=True),
                SearchWords(candidates=10, exactly=True),
            )
        ),
        Thresholds(),
        FuseUnion(meaning=0.7, words=0.3),
        OnePerMemory(),
        Hydrate(),
        AsOf(),
        ReadSignals(),
        Judge(order=False),
        Deduplicate(),
        StandingInstructions(),
        AskedByName(order=False),
        NewerFirst(),
        Cut(unasked=True),  # one word in common is no reason to speak
        Budget(),
    ),
    limit=3,
    form="brief",
)

BY_USE = {p.name: p for p in (WORKFLOW, NOTEBOOK, STORY, KNOWLEDGE, SKILL)}
