"""The web as one search beside the others: channel `web`, under the same deadline.

It runs on threads of its own, so that a slow web takes none from the searches of memories. Whatever
goes wrong out there, the answer says so (`degraded`) and the rest of it stands.
"""

from __future__ import annotations

import weakref
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from bethink.errors import BethinkError, MissingExtra, SettingsError
from bethink.recall.draft import Deadline, Draft, Kit
from bethink.recall.workers import Workers
from bethink.vocabulary import Status

if TYPE_CHECKING:
    from bethink.engine import Engine
    from bethink.knowledge.web.fetching import Fetcher
    from bethink.knowledge.web.gathering import Gathered, Web
    from bethink.knowledge.web.ranking import Ranking
    from bethink.knowledge.web.results import WebSearch

CHANNEL = "web"
_SHARE = 0.6  # of the time is for the web; the rest for ranking, and for what comes after
_MOST_SECONDS = 6.0  # a page that takes longer seldom comes at all
_TO_SPARE = 0.15  # of the time: better less than to be left out as late
_THREADS = Workers(8)


@dataclass(frozen=True, slots=True)
class SearchWeb:
    """A stage. `web` asks and reads, `ranking` orders what came."""

    name: ClassVar[str] = "search_web"
    web: Web
    ranking: Ranking

    def start(self, draft: Draft, kit: Kit) -> Future[Draft]:
        return _THREADS.submit(self, draft, kit)

    def __call__(self, draft: Draft, kit: Kit) -> Draft:
        query = draft.query
        if draft.settled:
            return draft
        if query.looking_back:
            return draft.note("web: not asked, because it is of now and the question looks back")
        if query.unverified_share <= 0:
            return draft.note("web: not asked, because nothing unverified is wanted")
        left = kit.deadline.left()
        text = draft.plan.rewritten if draft.plan else query.text
        try:
            gathered = self.web.gather(text, seconds=min(_SHARE * left, _MOST_SECONDS))
            draft = _told(draft, gathered, self.web.provider.name)
            if not gathered.pages:
                return draft
            end = Deadline(kit.deadline.end - _TO_SPARE * left)
            ranked = self.ranking.rank(gathered.pages, draft, kit, end)
        except BethinkError as e:
            return draft.fault(Status.DEGRADED, f"the web is left out: {e}")
        except Exception as e:  # what strangers send must not take the answer from memory along
            what = f"{type(e).__name__}: {e}"
            return draft.fault(Status.DEGRADED, f"the web is left out: {what}")
        draft = draft.with_channel(CHANNEL, ranked.found)._replace(working=ranked.passages)
        for note in ranked.notes:
            draft = draft.note(note)
        return draft.note(f"web: {len(ranked.found)} passages of {len(gathered.pages)} pages")


def _told(draft: Draft, gathered: Gathered, provider: str) -> Draft:
    for note in gathered.notes:
        draft = draft.note(note)
    if gathered.asked and gathered.failed == gathered.asked:
        return draft.fault(
            Status.DEGRADED, f"none of the {gathered.asked} pages that {provider} named could be "
            "read; 'explain' says why",
        )  # fmt: skip
    if not gathered.pages:
        return draft.note(f"web: {provider} names no page for this")
    return draft


_WEBS: weakref.WeakKeyDictionary[Engine, Web] = weakref.WeakKeyDictionary()


def web_stage(
    engine: Engine, *, provider: WebSearch | None = None, fetcher: Fetcher | None = None
) -> SearchWeb:
    """The search of the web for `KnowledgeBase.search(web=…)`, by the provider that the settings
    name, or by one of your own. An engine keeps the pages that it read a moment ago."""
    try:
        import lxml  # noqa: F401  (reads the pages; better missed here than at each of them)

        from bethink.knowledge.web.gathering import Web
        from bethink.knowledge.web.ranking import Ranking
    except ImportError:  # httpcore
        raise MissingExtra("searching the web", "web") from None
    web = None if provider or fetcher else _WEBS.get(engine)
    if web is None:
        web = Web(provider or _provider(engine), fetcher=fetcher)
        if provider is None and fetcher is None:
            _WEBS[engine] = web
    return SearchWeb(web, Ranking(engine.index_embedder, redact=engine.settings.redact))


def _provider(engine: Engine) -> WebSearch:
    from bethink.knowledge.web.providers import provider_of

    found = provider_of(engine.settings)
    if found is None:
        raise SettingsError(
            "no search of the web is set; name one with: bethink config set web_search searxng "
            "(or json), and bethink config set web_endpoint URL"
        )
    return found
