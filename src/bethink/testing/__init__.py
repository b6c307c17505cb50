"""Contracts for those who write a store, a retriever or an embedder of their own. They need pytest
and hypothesis.

A back-end's test file subclasses `StoreContract` and `TierContract` (or `EmbedderContract`) and
says how to make one; every test of the contract then runs on it.
"""

from typing import TYPE_CHECKING

from bethink.testing.at_once import run_at_once, working
from bethink.testing.embedder_contract import EmbedderContract
from bethink.testing.entries import ToyEmbedder, make_entry, make_memory, make_offer
from bethink.testing.fake_clock import FakeClock
from bethink.testing.programs import run_programs
from bethink.testing.retriever_contract import RetrieverContract
from bethink.testing.store_contract import StoreContract
from bethink.testing.tier_contract import TierContract
from bethink.testing.tier_programs import run_tier_programs

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

if not TYPE_CHECKING:  # a type checker would accept any name

    def __getattr__(name: str) -> object:
        from bethink.lazy_exports import no_such_name

        raise no_such_name(__name__, name)
