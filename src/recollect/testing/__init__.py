"""Contracts for those who write a store, a retriever or an embedder of their own. They need pytest
and hypothesis.

A back-end's test file subclasses `StoreContract` and `TierContract` (or `EmbedderContract`) and
says how to make one; every test of the contract then runs on it.
"""

from recollect.testing.at_once import run_at_once, working
from recollect.testing.embedder_contract import EmbedderContract
from recollect.testing.entries import ToyEmbedder, make_entry, make_memory, make_offer
from recollect.testing.fake_clock import FakeClock
from recollect.testing.programs import run_programs
from recollect.testing.retriever_contract import RetrieverContract
from recollect.testing.store_contract import StoreContract
from recollect.testing.tier_contract import TierContract
from recollect.testing.tier_programs import run_tier_programs

__all__ = [
    "EmbedderContract",
    "FakeClock",
    "RetrieverContract",
    "StoreContract",
    "TierContract",
    "ToyEmbedder",
    "make_entry",
    "make_memory",
    "make_offer",
    "run_at_once",
    "run_programs",
    "run_tier_programs",
    "working",
]
