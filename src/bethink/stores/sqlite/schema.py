"""The tables, and how an older file becomes a newer one.

Truth: `spaces`, `memories`, `revisions`, `labels`, `passages`, and `metadata_values`, which repeats
some of a memory's metadata so that filters can start there. Derived from it and rebuildable: one
FTS5 table for each space (`words_<space>`; BM25 statistics stay inside the wall), one table of
vectors for each embedder (`vectors_<index>`), and the files that `sidecars` lists.

`spaces` and `embedded` carry counts, kept in the same transaction as the rows, so that "is anything
missing?" costs one look.

Every change to what a space's searches see raises `spaces.seq`; rows carry the number under which
they came, `gone` the number under which passages went. A process catches up by asking for what is
newer than what it has.
"""

from __future__ import annotations

import os
from typing import Any

import apsw

from bethink.errors import UPGRADE, StoreCorrupt, StoreTooNew
from bethink.stores.damage import Damage
from bethink.stores.sqlite import rows, words
from bethink.text import tokenise
from bethink.vocabulary import GLOBAL_SPACE

_FIRST = """
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;

CREATE TABLE spaces (
    id INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused: processes remember spaces by it
    name TEXT NOT NULL UNIQUE,
    seq INTEGER NOT NULL DEFAULT 0,
    memories INTEGER NOT NULL DEFAULT 0,
    passages INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE memories (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    space INTEGER NOT NULL REFERENCES spaces(id),
    identity TEXT NOT NULL,
    text TEXT NOT NULL,
    kind TEXT NOT NULL,
    section TEXT NOT NULL,
    tags TEXT NOT NULL,
    entities TEXT NOT NULL,
    source TEXT NOT NULL,
    provenance TEXT NOT NULL,
    confidence REAL NOT NULL,
    occurred_at INTEGER,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    valid_from INTEGER,
    valid_to INTEGER,
    reinforcement INTEGER NOT NULL,
    access_count INTEGER NOT NULL,
    metadata TEXT NOT NULL
);
CREATE INDEX memories_identity ON memories (space, identity);
CREATE INDEX memories_space ON memories (space);
CREATE INDEX memories_validity ON memories (space)
    WHERE valid_from IS NOT NULL OR valid_to IS NOT NULL;

CREATE TABLE revisions (
    memory INTEGER NOT NULL REFERENCES memories(row) ON DELETE CASCADE,
    replaced_at INTEGER NOT NULL,
    snapshot TEXT NOT NULL
);
CREATE INDEX revisions_memory ON revisions (memory);

CREATE TABLE labels (
    field TEXT NOT NULL,
    value TEXT NOT NULL,
    memory INTEGER NOT NULL REFERENCES memories(row) ON DELETE CASCADE,
    PRIMARY KEY (value, field, memory)
) WITHOUT ROWID;
CREATE INDEX labels_memory ON labels (memory);

CREATE TABLE passages (
    pid INTEGER PRIMARY KEY AUTOINCREMENT,
    memory INTEGER NOT NULL REFERENCES memories(row) ON DELETE CASCADE,
    space INTEGER NOT NULL,
    ordinal INTEGER NOT NULL,
    start INTEGER NOT NULL,
    stop INTEGER NOT NULL
);
CREATE UNIQUE INDEX passages_memory ON passages (memory, ordinal);
CREATE INDEX passages_space ON passages (space);

CREATE TABLE gone (
    space INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    pid INTEGER NOT NULL,
    PRIMARY KEY (space, seq, pid)
) WITHOUT ROWID;

CREATE TABLE indexes (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    fingerprint TEXT NOT NULL UNIQUE,
    dimension INTEGER NOT NULL,
    name TEXT NOT NULL,
    active INTEGER NOT NULL
);

CREATE TABLE embedded (
    index_id INTEGER NOT NULL REFERENCES indexes(id) ON DELETE CASCADE,
    space INTEGER NOT NULL,
    passages INTEGER NOT NULL,
    PRIMARY KEY (index_id, space)
) WITHOUT ROWID;

CREATE TABLE sidecars (
    kind TEXT NOT NULL,
    space INTEGER NOT NULL,
    generation TEXT NOT NULL,
    rows INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    PRIMARY KEY (kind, space)
) WITHOUT ROWID;
"""

# What waits before it is remembered. Its spaces go by name: they need not be there yet. `offers`
# and `rulings` only grow at their end; what changes stands in `standing`.
_SECOND = """
CREATE TABLE offers (
    row INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    source_hash TEXT NOT NULL,
    identity TEXT NOT NULL,
    details TEXT NOT NULL,
    memory TEXT NOT NULL
);
CREATE INDEX offers_source ON offers (source_hash);
CREATE INDEX offers_identity ON offers (identity);

CREATE TABLE offer_parents (
    parent TEXT NOT NULL,
    offer INTEGER NOT NULL REFERENCES offers(row) ON DELETE CASCADE,
    PRIMARY KEY (parent, offer)
) WITHOUT ROWID;
CREATE INDEX offer_parents_offer ON offer_parents (offer);

CREATE TABLE rulings (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    offer INTEGER NOT NULL REFERENCES offers(row) ON DELETE CASCADE,
    decision TEXT NOT NULL,
    reason TEXT NOT NULL,
    decided_by TEXT NOT NULL,
    decided_at INTEGER NOT NULL,
    memory_id TEXT NOT NULL,
    undo INTEGER NOT NULL
);
CREATE INDEX rulings_offer ON rulings (offer);

CREATE TABLE standing (
    offer INTEGER PRIMARY KEY REFERENCES offers(row) ON DELETE CASCADE,
    space TEXT NOT NULL,
    decision TEXT NOT NULL,
    ruling INTEGER NOT NULL
);
CREATE INDEX standing_space ON standing (space, decision);
CREATE INDEX standing_decision ON standing (decision);

CREATE TABLE working (
    number INTEGER PRIMARY KEY AUTOINCREMENT, -- the greater, the newer
    id TEXT NOT NULL UNIQUE,
    space TEXT NOT NULL,
    expires_at INTEGER NOT NULL,
    memory TEXT NOT NULL
);
CREATE INDEX working_space ON working (space);
CREATE INDEX working_expiry ON working (expires_at);
"""

# Longer ones are looked for by reading every memory.
LONGEST_VALUE = 128
_AT_ONCE = 1_000  # rows


def _values_of(row: str, source: str = "") -> str:
    """What is damaged has none: it must not keep the file from being opened."""
    return (
        "INSERT OR IGNORE INTO metadata_values SELECT j.key, "
        f"CASE j.type WHEN 'text' THEN j.value ELSE j.type END, {row}.row FROM {source} "
        f"json_each(CASE WHEN json_valid({row}.metadata) THEN {row}.metadata ELSE '{{}}' END) j "
        "WHERE j.type IN ('true', 'false') "
        f"OR (j.type = 'text' AND length(j.value) <= {LONGEST_VALUE})"
    )


# Where filters start. A value that most memories have is in no index: it would find nothing sooner.
# Of metadata, what is asked for by equality: short texts, true and false. `amended`: the memory was
# changed, perhaps without its passages, and searches that have a later number know of it. Triggers
# see to both, so that a process that an older Bethink runs does so too.
_THIRD = f"""
ALTER TABLE memories ADD COLUMN amended INTEGER;
CREATE INDEX memories_amended ON memories (space, amended) WHERE amended IS NOT NULL;
CREATE INDEX memories_kind ON memories (space, kind) WHERE kind <> 'note';
CREATE INDEX memories_source ON memories (space, source) WHERE source <> '';
CREATE INDEX memories_section ON memories (space, section) WHERE section <> '';

CREATE TABLE metadata_values (
    key TEXT NOT NULL,
    value TEXT NOT NULL,
    memory INTEGER NOT NULL REFERENCES memories(row) ON DELETE CASCADE,
    PRIMARY KEY (value, key, memory)
) WITHOUT ROWID;
CREATE INDEX metadata_values_memory ON metadata_values (memory);

CREATE TRIGGER memories_told AFTER INSERT ON memories WHEN NEW.metadata <> '{{}}' BEGIN
    {_values_of("NEW")};
END;
CREATE TRIGGER memories_metadata AFTER UPDATE OF metadata ON memories
WHEN NEW.metadata <> OLD.metadata BEGIN
    DELETE FROM metadata_values WHERE memory = NEW.row;
    {_values_of("NEW")};
END;
CREATE TRIGGER memories_changed AFTER UPDATE OF kind, section, tags, entities, source, provenance,
    confidence, occurred_at, created_at, updated_at, valid_from, valid_to, metadata ON memories
BEGIN
    UPDATE memories SET amended = (SELECT seq + 1 FROM spaces WHERE id = NEW.space)
    WHERE row = NEW.row;
END;
{_values_of("m", "memories m,")};
"""

# A checksum of what each row says (`stores/damage.py`). `seal` fills it in for older rows; what a
# process that an older Bethink runs inserts is found by the index, and filled in at the next start.
_FOURTH = """
ALTER TABLE memories ADD COLUMN checksum INTEGER;
ALTER TABLE rulings ADD COLUMN checksum INTEGER;
CREATE INDEX memories_unsealed ON memories (space) WHERE checksum IS NULL;
"""

MIGRATIONS: tuple[str, ...] = (_FIRST, _SECOND, _THIRD, _FOURTH)
WITH_CHECKSUMS = 4
_WITH_TIERS = 2
_WITH_STARTS = 3

APPLICATION_ID = 0x5265636F  # "Reco": the file says what it is


def version_of(
    connection: apsw.Connection,
    *,
    known: int = len(MIGRATIONS),
    application_id: int = APPLICATION_ID,
) -> int:
    """The schema of a file, 0 before the first. Raises for one that is not ours, or of a later
    time."""
    version: int = connection.pragma("user_version")
    if connection.pragma("application_id") != application_id and (
        version or connection.execute("SELECT count(*) FROM sqlite_schema").get
    ):
        raise StoreCorrupt(
            f"{connection.filename} is a SQLite database of another program; nothing was changed. "
            "Choose another file with --store or BETHINK_STORE"
        )
    if version > known:
        raise StoreTooNew(
            f"{connection.filename} has schema {version}; this Bethink knows {known}. "
            f"Upgrade with: {UPGRADE}"
        )
    return version


def is_current(connection: apsw.Connection) -> bool:
    """Is there nothing to migrate?"""
    return version_of(connection) == len(MIGRATIONS)


def has_tiers(connection: apsw.Connection) -> bool:
    """A file that may only be read may be older than quarantine and working memory."""
    version: int = connection.pragma("user_version")
    return version >= _WITH_TIERS


def has_starts(connection: apsw.Connection) -> bool:
    """And older than what filters start from."""
    version: int = connection.pragma("user_version")
    return version >= _WITH_STARTS


def tokeniser(connection: apsw.Connection) -> int | None:
    """The version of the tokeniser that the words index is by."""
    version: int | None = connection.execute("SELECT value FROM meta WHERE key = 'tokeniser'").get
    return version


def has_checksums(connection: apsw.Connection) -> bool:
    """Return True if the rows of this file have checksums."""
    version: int = connection.pragma("user_version")
    return version >= WITH_CHECKSUMS


def is_sealed(connection: apsw.Connection) -> bool:
    """Return True if every memory has a checksum, or none can have one."""
    if not has_checksums(connection):
        return True
    return connection.execute("SELECT 1 FROM memories WHERE checksum IS NULL LIMIT 1").get is None


def seal(connection: apsw.Connection) -> None:
    """Give a checksum to every memory that has none, inside the caller's transaction. What cannot
    be read gets one that does not match: it is damaged."""
    if not has_checksums(connection):
        return
    found = connection.execute("SELECT row FROM memories WHERE checksum IS NULL")
    numbers = [row for (row,) in found]
    for start in range(0, len(numbers), _AT_ONCE):
        some = numbers[start : start + _AT_ONCE]
        read = rows.sound_rows(connection, rows.BY_ROW, some, _summed, Damage(), first="m.row")
        sums = dict(read)
        connection.executemany(
            "UPDATE memories SET checksum = ? WHERE row = ?",
            ((sums.get(row, rows.NO_SUM), row) for row in some),
        )


def _summed(row: tuple[Any, ...]) -> tuple[int, int]:
    rows.from_row(row[1:])  # raises for JSON that is none
    return row[0], rows.checksum(row[1:])


def migrate(connection: apsw.Connection) -> None:
    """Bring the file to the newest schema, inside the caller's transaction."""
    if is_current(connection):
        return
    version: int = connection.pragma("user_version")
    for number, script in enumerate(MIGRATIONS[version:], start=version + 1):
        connection.execute(script)
        connection.pragma("user_version", number)
        if number == WITH_CHECKSUMS and version:
            seal(connection)
    if version == 0:
        connection.pragma("application_id", APPLICATION_ID)
        connection.executemany(
            "INSERT INTO meta VALUES (?, ?)",
            [("store", os.urandom(8).hex()), ("tokeniser", tokenise.VERSION)],
        )
        connection.execute("INSERT INTO spaces (name) VALUES (?)", (GLOBAL_SPACE,))
        words.create(connection, connection.last_insert_rowid())
