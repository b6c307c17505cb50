"""A question in, pages of the web out: asked of the provider, fetched side by side, cleaned.

All of it is a stranger's: links are checked, suspicious text is left out and said to be, and the
rest is handed on as unverified.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import Future
from typing import NamedTuple

from bethink.errors import BethinkError, WebError
from bethink.knowledge.web.fetching import Fetcher
from bethink.knowledge.web.kept import KeptPages
from bethink.knowledge.web.links import Link, LinkRefused, link_of
from bethink.knowledge.web.reading import one_line, read
from bethink.knowledge.web.results import WebResult, WebSearch
from bethink.recall.workers import Workers
from bethink.text.bare import bare
from bethink.text.suspicion import RISKY, suspicion

PAGES = 5  # are read of the results: the first few hold the answer or none does
AT_ONCE = 16  # pages, for all questions of this process together
_SEARCHING = 0.5  # of the time, at most; the pages need the rest
_COMPARED = 20_000  # characters: pages that begin alike for so long are the same


_THREADS = Workers(AT_ONCE)


class WebPage(NamedTuple):
    url: str
    title: str
    text: str
    fetched: bool = True  # False: the provider's snippet stands in for it


class Gathered(NamedTuple):
    pages: tuple[WebPage, ...]
    notes: tuple[str, ...]  # what was left out, and why
    asked: int = 0  # pages
    failed: int = 0  # of these


class Web:
    """A provider, a fetcher for its pages, and what was read a moment ago."""

    def __init__(
        self, provider: WebSearch, *, fetcher: Fetcher | None = None, pages: int = PAGES
    ) -> None:
        self.provider = provider
        self._fetcher = fetcher or Fetcher()
        self._pages = pages
        self._kept = KeptPages()

    def gather(self, text: str, *, seconds: float) -> Gathered:
        """Pages for a question, in the provider's order. `WebError` if the provider fails."""
        end = time.monotonic() + seconds
        found = self.provider.search(text, 2 * self._pages, _SEARCHING * seconds)
        notes: list[str] = []
        wanted = list(self._wanted(found, notes))[: self._pages]
        begun = [(result, _THREADS.submit(self._page, link, end)) for result, link in wanted]
        pages: list[WebPage] = []
        failed = 0
        for result, future in begun:
            page, why = _waited(result, future, end)
            if why:
                failed += 1
                notes.append(f"web: {_short(result.url)}: {why}")
            if page is not None:
                pages.append(page)
        return Gathered(tuple(_clean(pages, notes)), tuple(notes), len(begun), failed)

    def _wanted(
        self, found: Sequence[WebResult], notes: list[str]
    ) -> Iterator[tuple[WebResult, Link]]:
        seen: set[str] = set()
        for result in found:
            try:
                link = link_of(result.url)
            except WebError as e:
                notes.append(f"web: a result is passed over: {e}")
                continue
            if link.credentials:
                notes.append("web: a result with a password in its link is passed over")
            elif link.same_page not in seen:
                seen.add(link.same_page)
                yield result, link

    def _page(self, link: Link, end: float) -> WebPage:
        kept = self._kept.get(link.shown)
        if kept is None:
            fetched = self._fetcher.fetch(link.shown, seconds=end - time.monotonic())
            kept = fetched.url, read(fetched, end=end)
            self._kept.put(link.shown, *kept)
        final, page = kept
        return WebPage(final, page.title, page.text)


def _waited(result: WebResult, future: Future[WebPage], end: float) -> tuple[WebPage | None, str]:
    """The page, and what was wrong. Where it cannot be read, the provider's snippet stands in; of
    a link that leads where it must not, nothing does."""
    try:
        page = future.result(timeout=max(0.0, end - time.monotonic()))
        return page._replace(title=page.title or result.title), ""
    except TimeoutError:
        future.cancel()
        why = "it was not done in time"
    except LinkRefused as e:
        return None, str(e)
    except BethinkError as e:
        why = str(e)
    except Exception as e:  # whatever a stranger's bytes do to a parser: one page is lost
        why = f"it cannot be read: {type(e).__name__}: {e}"
    if not result.snippet:
        return None, why
    url = link_of(result.url).shown
    return WebPage(url, result.title, result.snippet, fetched=False), why


def _clean(pages: Iterable[WebPage], notes: list[str]) -> Iterator[WebPage]:
    """Each text once, without what is suspicious in it."""
    seen: set[str] = set()
    for page in pages:
        identity = bare(page.text[:_COMPARED])
        if identity in seen:
            notes.append(f"web: {_short(page.url)} says the same as another page")
            continue
        seen.add(identity)
        text, gone = without_suspicious(page.text)
        if gone:
            left_out = "all of it is" if not text else f"{gone} suspicious parts are"
            notes.append(f"web: {_short(page.url)}: {left_out} left out: it reads like orders")
        title = page.title
        if suspicion(title).risk >= RISKY:
            title = ""
            notes.append(f"web: {_short(page.url)}: its title reads like orders and is left out")
        if text:
            yield page._replace(title=title or link_of(page.url).host, text=text)


def without_suspicious(text: str) -> tuple[str, int]:
    """The text without the parts that are meant for an agent, and how many those were; nothing of
    it where the rest is suspicious still."""
    if suspicion(text).risk < RISKY:
        return text, 0
    parts = re.split(r"(?<=\n)", text)
    kept = [part for part in parts if suspicion(part).risk < RISKY]
    left = "".join(kept).strip()
    if suspicion(left).risk >= RISKY:
        return "", len(parts)
    return left, len(parts) - len(kept)


def _short(url: str) -> str:
    return one_line(url)[:100]
