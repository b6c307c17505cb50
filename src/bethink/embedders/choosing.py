"""Which embedder answers: the one that the settings name, or whoever made the index.

Vectors of two embedders are never mixed, so an index is read and added to by its maker until a
reindex has changed it over.
"""

from __future__ import annotations

import threading

from bethink.embedders.protocol import Embedder
from bethink.embedders.waiting import Waiting
from bethink.errors import BethinkError, EmbedderError
from bethink.settings import Settings
from bethink.stores.protocol import Store
from bethink.vocabulary import Check


class Embedders:
    """Embedders by name, each loaded once and only when it is asked for."""

    def __init__(self, configured: Embedder | str, settings: Settings, store: Store) -> None:
        self._configured = configured
        self._settings = settings
        self._store = store
        self._loaded: dict[str, Waiting | None] = {}
        self._given = None if isinstance(configured, str) else Waiting.around(configured)
        self._lock = threading.Lock()

    def _named(self, name: str) -> Waiting | None:
        """By name. Raises EmbedderError when it cannot be had."""
        if self._given is not None and self._given.name == name:
            return self._given
        with self._lock:
            if name not in self._loaded:
                from bethink.embedders.loading import embedder_named

                try:
                    found = embedder_named(name, self._settings)
                    self._loaded[name] = None if found is None else Waiting.around(found)
                except EmbedderError:
                    raise
                except BethinkError as e:
                    raise EmbedderError(str(e)) from e
            return self._loaded[name]

    def configured(self) -> Waiting | None:
        if isinstance(self._configured, str):
            return self._named(self._configured)
        return self._given

    def of_index(self, seen: Store | None = None) -> tuple[Waiting | None, str]:
        """Whoever made the index; with a note where the settings name another. `seen` is what a
        question sees of the store."""
        configured = self.configured()
        held = (seen or self._store).embedding()
        if configured is None or held is None or held.fingerprint == configured.fingerprint:
            return configured, ""
        note = (
            f"the index is by {held.name}, the settings name {configured.name}; "
            "'bethink reindex' changes over"
        )
        try:
            maker = self._named(held.name)
        except EmbedderError:
            maker = None  # e.g. somebody's own class, in another program
        if maker is None or maker.fingerprint != held.fingerprint:
            raise EmbedderError(
                f"the index is by {held.name} ({held.fingerprint}), which cannot be loaded here; "
                "run 'bethink reindex' to make it anew"
            )
        return maker, note

    def for_writing(self) -> Embedder | None:
        return self.of_index()[0]

    def check(self) -> Check:
        """For the doctor: embed something."""
        try:
            embedder, note = self.of_index()
            if embedder is None:
                return Check("embedder", True, "none is set: recall works by words alone")
            embedder.prove()
        except BethinkError as e:
            return Check(
                "embedder", False, str(e), "recall works by words meanwhile; do what is said above"
            )
        if note:
            return Check("embedder", False, note, "run 'bethink reindex'")
        return Check("embedder", True, f"{embedder.name} answers ({embedder.dimension} numbers)")

    def left_alone(self) -> list[str]:
        """Return why embedders are left alone. Nothing is loaded for that."""
        used = {id(one): one for one in (self._given, *self._loaded.values()) if one is not None}
        return [one.why for one in used.values() if one.why]

    def close(self) -> None:
        for embedder in self._loaded.values():
            let_go = getattr(embedder, "close", None)  # those with connections have it
            if let_go is not None:
                let_go()
