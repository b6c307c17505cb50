"""When two tellings are the same: loosely, where something is to be kept out or erased; strictly,
where one may be counted for the other."""

from __future__ import annotations

from datetime import datetime
from hashlib import sha256
from typing import NamedTuple

from bethink.remember.ingress import identity
from bethink.text.bare import bare
from bethink.vocabulary import Memory


class Telling(NamedTuple):
    """The very words, as long-term memory knows them, and when they hold: the same words about
    another time say something else."""

    identity: str
    valid_from: datetime | None
    valid_to: datetime | None


def telling(memory: Memory) -> Telling:
    return Telling(identity(memory), memory.valid_from, memory.valid_to)


def words_of(memory: Memory) -> str:
    """The words however they are set, whatever kind, section or time they come with: what was
    rejected does not come back with one more blank. It is an offer's `identity`."""
    return sha256(bare(memory.text).encode("utf-8")).hexdigest()[:40]
