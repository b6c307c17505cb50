"""Reading: presets, their stages, and the forms of an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bethink.lazy_exports import lazy_exports

__all__ = [
    "BALANCED",
    "FORMATS",
    "PRESETS",
    "AddReplies",
    "AsOf",
    "AskedByName",
    "Budget",
    "Candidate",
    "CardsGiveWay",
    "Cut",
    "Deadline",
    "Deduplicate",
    "Draft",
    "Dropped",
    "ExactFirst",
    "Expand",
    "FaqEntries",
    "FaqOnce",
    "FindPeriod",
    "FuseAdaptively",
    "FuseUnion",
    "Hit",
    "HotFirst",
    "Hydrate",
    "Judge",
    "Kit",
    "NearestFew",
    "NewerFirst",
    "OnePerMemory",
    "OneSpace",
    "Passage",
    "Period",
    "Place",
    "Plan",
    "Preset",
    "Query",
    "Read",
    "ReadSignals",
    "ReciprocalRanks",
    "Recollection",
    "Route",
    "RouteRule",
    "Salience",
    "SearchExact",
    "SearchHot",
    "SearchMeaning",
    "SearchPeriod",
    "SearchResponse",
    "SearchResult",
    "SearchWords",
    "SearchWorking",
    "SideBySide",
    "Stage",
    "StandingInstructions",
    "Status",
    "Step",
    "Thresholds",
    "TimelinePath",
    "Trace",
    "WhyNot",
    "Widen",
    "as_brief",
    "as_history",
    "as_markdown",
    "as_record",
    "as_text",
    "built_in_routes",
    "by_rules",
    "explanation",
    "fresh",
    "knowledge_preset",
    "parse_routes",
    "preset_named",
    "read_routes",
    "reciprocal_ranks",
    "route_of",
    "what_a_model_sees",
]

if TYPE_CHECKING:
    from bethink.recall.as_of import AsOf
    from bethink.recall.budget import Budget, Widen
    from bethink.recall.cards import CardsGiveWay
    from bethink.recall.contradictions import NewerFirst
    from bethink.recall.deduplicate import Deduplicate, OnePerMemory
    from bethink.recall.draft import Deadline, Draft, Kit, Period, Stage
    from bethink.recall.exact_first import AskedByName, ExactFirst
    from bethink.recall.expand import Expand
    from bethink.recall.faq_entries import FaqEntries
    from bethink.recall.faq_once import FaqOnce
    from bethink.recall.fuse import ReciprocalRanks, reciprocal_ranks
    from bethink.recall.fuse_adaptively import FuseAdaptively
    from bethink.recall.fuse_union import FuseUnion
    from bethink.recall.hydrate import Hydrate
    from bethink.recall.one_space import OneSpace
    from bethink.recall.plan import Plan, by_rules
    from bethink.recall.presets import BALANCED, PRESETS, Preset, preset_named
    from bethink.recall.presets_by_use import knowledge_preset
    from bethink.recall.read import Read
    from bethink.recall.relevance import Cut, Judge
    from bethink.recall.render import (
        FORMATS,
        as_brief,
        as_history,
        as_markdown,
        as_record,
        as_text,
        explanation,
        what_a_model_sees,
    )
    from bethink.recall.replies import AddReplies
    from bethink.recall.route import Route, RouteRule, route_of
    from bethink.recall.route_table import built_in_routes, parse_routes, read_routes
    from bethink.recall.salience import Salience, fresh
    from bethink.recall.search_exact import SearchExact
    from bethink.recall.search_hot import HotFirst, NearestFew, SearchHot, SearchWorking
    from bethink.recall.search_meaning import SearchMeaning
    from bethink.recall.search_words import SearchWords
    from bethink.recall.side_by_side import SideBySide
    from bethink.recall.signals import ReadSignals
    from bethink.recall.standing import StandingInstructions
    from bethink.recall.thresholds import Thresholds
    from bethink.recall.timeline import FindPeriod, SearchPeriod
    from bethink.recall.timeline_path import TimelinePath
    from bethink.recall.why_not import WhyNot
    from bethink.search_response import SearchResponse, SearchResult
    from bethink.vocabulary import (
        Candidate,
        Dropped,
        Hit,
        Passage,
        Place,
        Query,
        Recollection,
        Status,
        Step,
        Trace,
    )
else:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "bethink.recall.as_of": "AsOf",
            "bethink.recall.budget": "Budget Widen",
            "bethink.recall.cards": "CardsGiveWay",
            "bethink.recall.contradictions": "NewerFirst",
            "bethink.recall.deduplicate": "Deduplicate OnePerMemory",
            "bethink.recall.draft": "Deadline Draft Kit Period Stage",
            "bethink.recall.exact_first": "AskedByName ExactFirst",
            "bethink.recall.expand": "Expand",
            "bethink.recall.faq_entries": "FaqEntries",
            "bethink.recall.faq_once": "FaqOnce",
            "bethink.recall.fuse": "ReciprocalRanks reciprocal_ranks",
            "bethink.recall.fuse_adaptively": "FuseAdaptively",
            "bethink.recall.fuse_union": "FuseUnion",
            "bethink.recall.hydrate": "Hydrate",
            "bethink.recall.one_space": "OneSpace",
            "bethink.recall.plan": "Plan by_rules",
            "bethink.recall.presets": "BALANCED PRESETS Preset preset_named",
            "bethink.recall.presets_by_use": "knowledge_preset",
            "bethink.recall.render": (
                "FORMATS as_brief as_history as_markdown as_record as_text explanation "
                "what_a_model_sees"
            ),
            "bethink.recall.read": "Read",
            "bethink.recall.relevance": "Cut Judge",
            "bethink.recall.replies": "AddReplies",
            "bethink.recall.route": "Route RouteRule route_of",
            "bethink.recall.route_table": "built_in_routes parse_routes read_routes",
            "bethink.recall.salience": "Salience fresh",
            "bethink.recall.search_exact": "SearchExact",
            "bethink.recall.search_hot": "HotFirst NearestFew SearchHot SearchWorking",
            "bethink.recall.search_meaning": "SearchMeaning",
            "bethink.recall.search_words": "SearchWords",
            "bethink.recall.side_by_side": "SideBySide",
            "bethink.recall.signals": "ReadSignals",
            "bethink.recall.standing": "StandingInstructions",
            "bethink.recall.thresholds": "Thresholds",
            "bethink.recall.timeline": "FindPeriod SearchPeriod",
            "bethink.recall.timeline_path": "TimelinePath",
            "bethink.recall.why_not": "WhyNot",
            "bethink.search_response": "SearchResponse SearchResult",
            "bethink.vocabulary": (
                "Candidate Dropped Hit Passage Place Query Recollection Status Step Trace"
            ),
        },
    )
