"""The changes of an embedded store, written down for the retrievers that follow it.

Triggers do it, in the transaction of the change itself and whichever process makes it; they are
created for the first follower and dropped with the last. Until then there is neither table nor
trigger, and a write costs what it always did.

`changes` is a set, not a log: what changes again takes a new number and gives up the old one. So it
never holds more rows than there are memories, and of each only the id.
"""

from __future__ import annotations

from collections.abc import Sequence

import apsw

from bethink.stores.retrievers import What

_TABLES = """
CREATE TABLE changes (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    what TEXT NOT NULL,
    name TEXT NOT NULL,
    space INTEGER, -- of a memory: its changes go when the whole space does
    at REAL NOT NULL,
    UNIQUE (what, name)
);
CREATE TABLE followers (name TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE changes_dropped (number INTEGER NOT NULL);
INSERT INTO changes_dropped VALUES (0);
"""
_NOW = "(julianday('now') - 2440587.5) * 86400.0"
# What filters ask for and searches find. Counting accesses is no change.
_COLUMNS = (
    "id, space, text, kind, section, tags, entities, source, provenance, confidence, occurred_at, "
    "created_at, updated_at, valid_from, valid_to, metadata"
)


def _noted(what: What, name: str, space: str = "NULL") -> str:
    """OR REPLACE alone would not do: a trigger takes over the conflict rule of its statement."""
    return (
        f"DELETE FROM changes WHERE what = '{what}' AND name = {name}; "
        f"INSERT INTO changes (what, name, space, at) VALUES ('{what}', {name}, {space}, {_NOW});"
    )


def _on_truth() -> dict[str, str]:
    return {
        "changes_told": "AFTER INSERT ON memories BEGIN "
        + _noted(What.MEMORY, "NEW.id", "NEW.space"),
        "changes_revised": f"AFTER UPDATE OF {_COLUMNS} ON memories BEGIN "
        + _noted(What.MEMORY, "NEW.id", "NEW.space"),
        "changes_erased": "AFTER DELETE ON memories BEGIN "
        + _noted(What.MEMORY, "OLD.id", "OLD.space"),
        "changes_space": "AFTER DELETE ON spaces BEGIN "
        "DELETE FROM changes WHERE space = OLD.id; " + _noted(What.SPACE, "OLD.name"),
        "changes_built": "AFTER INSERT ON indexes BEGIN " + _noted(What.EMBEDDINGS, "''"),
        "changes_switched": "AFTER UPDATE ON indexes BEGIN " + _noted(What.EMBEDDINGS, "''"),
        "changes_unbuilt": "AFTER DELETE ON indexes BEGIN "
        + _noted(What.EMBEDDINGS, "''")
        + _noted(What.VECTORS, "OLD.fingerprint"),
    }


def _on_vectors(table: str) -> str:
    """A passage got its vector."""
    owner = "(SELECT m.id FROM passages p JOIN memories m ON m.row = p.memory WHERE p.pid=NEW.pid)"
    noted = _noted(What.MEMORY, owner, "NEW.space")
    return f"CREATE TRIGGER changes_{table} AFTER INSERT ON {table} BEGIN {noted} END"


def followed(connection: apsw.Connection) -> bool:
    found = connection.execute("SELECT 1 FROM sqlite_schema WHERE name = 'changes'").get
    return found is not None


def follow_vectors(writer: apsw.Connection, table: str) -> None:
    """A table of vectors was made: whoever follows the store follows it too."""
    if followed(writer):
        writer.execute(_on_vectors(table))


def create(writer: apsw.Connection, vector_tables: Sequence[str]) -> None:
    """Numbers go on where they ended when nobody followed any more: a retriever that comes back
    has missed something and must not look up to date."""
    writer.execute(_TABLES)
    ended: int | None = writer.execute("SELECT value FROM meta WHERE key = 'changes'").get
    if ended is not None:
        writer.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('changes', ?)", (ended,))
        writer.execute("UPDATE changes_dropped SET number = ?", (ended,))
    for trigger, when in _on_truth().items():
        writer.execute(f"CREATE TRIGGER {trigger} {when} END")
    for table in vector_tables:
        writer.execute(_on_vectors(table))


def remove(writer: apsw.Connection) -> None:
    ours = "SELECT name FROM sqlite_schema WHERE type = 'trigger' AND name GLOB 'changes*'"
    for (trigger,) in list(writer.execute(ours)):
        writer.execute(f'DROP TRIGGER "{trigger}"')
    writer.execute("INSERT OR REPLACE INTO meta VALUES ('changes', ?)", (last(writer) + 1,))
    writer.execute("DROP TABLE changes; DROP TABLE followers; DROP TABLE changes_dropped")


def last(connection: apsw.Connection) -> int:
    number: int | None = connection.execute(
        "SELECT seq FROM sqlite_sequence WHERE name = 'changes'"
    ).get
    if number is None:  # nobody follows: whoever did has missed something since
        number = connection.execute("SELECT value FROM meta WHERE key = 'changes'").get
    return number or 0


def drop_passed(writer: apsw.Connection) -> int:
    """What every follower has is kept no longer; up to which number."""
    all_have: int = writer.execute("SELECT min(number) FROM followers").get
    writer.execute("DELETE FROM changes WHERE number <= ?", (all_have,))
    dropped: int = writer.execute(
        "UPDATE changes_dropped SET number = max(number, ?) RETURNING number", (all_have,)
    ).get
    return dropped
