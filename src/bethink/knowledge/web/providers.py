"""Who knows pages: a SearXNG, or any API that answers a GET or POST with a list in JSON.

Its address is the user's own setting and may be on this machine; where its results lead is checked
like every link. A redirect of the address is not followed, so that no key goes where it was not
meant to.
"""

from __future__ import annotations

import base64
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple
from urllib.parse import quote, unquote, urlencode

from bethink.errors import SettingsError, WebError
from bethink.knowledge.web.links import Link, link_of
from bethink.knowledge.web.results import WebResult, WebSearch
from bethink.settings import CHOICES, Settings

_MOST_BYTES = 2_000_000
_MOST_QUERY = 400  # characters: providers refuse longer questions
_MOST_ADDRESS = 16_000  # characters: a Chinese one takes nine in an address
_SNIPPET = 1_000
QUERY, LIMIT = "{query}", "{limit}"


class Paths(NamedTuple):
    """Where an answer has what we need: dotted keys, numbers for places in a list."""

    results: str = "results"
    title: str = "title"
    url: str = "url"
    snippet: str = "content"


def provider_of(settings: Settings) -> WebSearch | None:
    """The one that is set; None where none is."""
    if settings.web_search == "none":
        return None
    known = CHOICES["web_search"]
    if settings.web_search not in known:
        raise SettingsError(f"web_search is {' or '.join(known)}, got {settings.web_search!r}")
    if not settings.web_endpoint:
        raise SettingsError(
            f"web_search is {settings.web_search}, but not where it is: bethink config set "
            "web_endpoint URL"
        )
    if settings.web_search == "searxng":
        return SearXNG(settings.web_endpoint, key=settings.web_key,
                       key_header=settings.web_key_header)  # fmt: skip
    return JsonSearch(
        settings.web_endpoint,
        key=settings.web_key,
        key_header=settings.web_key_header,
        paths=_paths(settings.web_paths),
        body=settings.web_body,
    )


def _paths(written: str) -> Paths:
    names = [name.strip() for name in written.split(",")]
    if len(names) != len(Paths._fields) or not (names[1] and names[2]):
        raise SettingsError(
            "web_paths is four paths with commas between: the list, and in each of its items the "
            f"title, the link and the snippet, like 'web.results, title, url, description'; got "
            f"{written!r}"
        )
    return Paths(*names)


class _Asked:
    """One address that is asked for JSON."""

    def __init__(self, address: str, *, key: str, key_header: str) -> None:
        self._key = key.strip()
        self._headers = {"Accept": "application/json"}
        if self._key:
            if not (self._key.isascii() and self._key.isprintable()):
                raise SettingsError(
                    "the key in web_key has characters that no key has; set it again with: "
                    "bethink config set web_key KEY"
                )
            if not key_header.replace("-", "").replace("_", "").isalnum():
                raise SettingsError(f"web_key_header is the name of a header, got {key_header!r}")
            bearer = "Bearer " if key_header.lower() == "authorization" else ""
            self._headers[key_header] = bearer + self._key
        link = self._link(address.replace(QUERY, "x").replace(LIMIT, "1"))
        if link.credentials:
            name, _, password = link.credentials.partition(":")
            login = f"{unquote(name)}:{unquote(password)}".encode()
            self._headers.setdefault("Authorization", "Basic " + base64.b64encode(login).decode())
        self._host = link.host
        self._address = address

    @staticmethod
    def _link(address: str) -> Link:
        try:
            return link_of(address)
        except WebError as e:
            raise SettingsError(
                f"web_endpoint: {e}; set it with: bethink config set web_endpoint URL"
            ) from None

    def ask(self, address: str, *, seconds: float, body: bytes | None = None) -> Any:
        from bethink.knowledge.web.connecting import Connector, anywhere
        from bethink.knowledge.web.exchange import exchange

        headers = self._headers
        if body is not None:
            headers = {**headers, "Content-Type": "application/json"}
        try:
            answer = exchange(
                link_of(address, most=_MOST_ADDRESS),
                Connector(allowed=anywhere),
                end=time.monotonic() + seconds,
                most_bytes=_MOST_BYTES,
                headers=headers,
                body=body,
            )
        except WebError as e:
            raise self._failed(str(e)) from None
        if answer.redirect:
            raise self._failed("it leads elsewhere; set web_endpoint to where it leads")
        if answer.status != 200:
            raise self._failed(f"it answered {answer.status}", status=answer.status)
        if answer.cut:
            raise self._failed(f"it sent more than {_MOST_BYTES:,} bytes")
        try:
            return json.loads(answer.content)
        except (ValueError, RecursionError):
            raise self._failed(
                f"it sent {answer.type or 'something'!r} that is no JSON; check web_endpoint"
            ) from None

    def results(self, answer: Any, paths: Paths, limit: int) -> list[WebResult]:
        found = results_in(answer, paths, limit)
        if found is None:
            where = f"at {paths.results!r}" if paths.results else "at its top"
            raise self._failed(f"its answer has no list {where}; check web_endpoint and web_paths")
        return found

    def _failed(self, why: str, *, status: int = 0) -> WebError:
        if self._key:
            why = why.replace(self._key, "(the key)")
        return WebError(f"{self._host}: {why}{self._hint(status)}")

    def _hint(self, status: int) -> str:
        return "; check web_key and web_key_header" if status in (401, 403) else ""


class SearXNG(_Asked):
    """A SearXNG, by its base address. Its settings must list `json` in `search.formats`."""

    name = "searxng"

    def __init__(self, address: str, *, key: str = "", key_header: str = "Authorization") -> None:
        address = address.rstrip("/")
        address = address if address.endswith("/search") else address + "/search"
        super().__init__(address, key=key, key_header=key_header)

    def search(self, text: str, limit: int, seconds: float) -> Sequence[WebResult]:
        asked = urlencode({"q": text[:_MOST_QUERY], "format": "json"})
        answer = self.ask(f"{self._address}?{asked}", seconds=seconds)
        results = self.results(answer, Paths(), limit)
        if (
            not results
            and isinstance(answer, dict)
            and (silent := answer.get("unresponsive_engines"))
        ):
            raise self._failed(f"its engines did not answer: {json.dumps(silent)[:200]}")
        return results

    def _hint(self, status: int) -> str:
        if status == 403:
            return "; a SearXNG answers JSON only if its settings.yml lists json in search.formats"
        return ""


class JsonSearch(_Asked):
    """Any API: `{query}` and `{limit}` stand in its address, or in a JSON body that is posted."""

    name = "json"

    def __init__(
        self,
        address: str,
        *,
        key: str = "",
        key_header: str = "Authorization",
        paths: Paths = Paths(),  # noqa: B008  (a frozen value)
        body: str = "",
    ) -> None:
        super().__init__(address, key=key, key_header=key_header)
        if QUERY not in address and QUERY not in body:
            raise SettingsError(
                f"web_endpoint needs {QUERY} where the question goes, like "
                f"https://api.example.org/search?q={QUERY}&count={LIMIT}; or web_body does"
            )
        self._paths = paths
        self._body = _template(body) if body else None

    def search(self, text: str, limit: int, seconds: float) -> Sequence[WebResult]:
        text = text[:_MOST_QUERY]
        address = self._address.replace(LIMIT, str(limit)).replace(QUERY, quote(text, safe=""))
        body = None
        if self._body is not None:
            body = json.dumps(_filled(self._body, text, limit), ensure_ascii=False).encode()
        return self.results(self.ask(address, seconds=seconds, body=body), self._paths, limit)


def _template(body: str) -> Any:
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as e:
        raise SettingsError(
            f'web_body is JSON, like {{"query": "{QUERY}", "max_results": "{LIMIT}"}}; {e}'
        ) from None


def _filled(template: Any, text: str, limit: int) -> Any:
    if isinstance(template, dict):
        return {name: _filled(item, text, limit) for name, item in template.items()}
    if isinstance(template, list):
        return [_filled(item, text, limit) for item in template]
    if template == LIMIT:
        return limit
    if isinstance(template, str):
        return template.replace(QUERY, text)
    return template


def results_in(answer: Any, paths: Paths, limit: int) -> list[WebResult] | None:
    """What an answer names; items that are not as they should be are passed over. None: it is not
    an answer."""
    # here, because it needs the extra 'web', and whether a search is set is asked without it
    from bethink.knowledge.web.reading import one_line, tidy

    items = at_path(answer, paths.results)
    if not isinstance(items, list):
        return None
    results: list[WebResult] = []
    for item in items[: 10 * limit]:
        title, url, snippet = (_text(at_path(item, path)) if path else "" for path in paths[1:])
        if url and len(results) < limit:
            results.append(WebResult(one_line(title), url, tidy(snippet[:_SNIPPET])))
    return results


def at_path(told: Any, path: str) -> Any:
    """`web.results.0.title`; an empty path is all of it, None what is not there."""
    for name in path.split(".") if path else ():
        if isinstance(told, Mapping):
            told = told.get(name)
        elif isinstance(told, list) and name.isdecimal() and int(name) < len(told):
            told = told[int(name)]
        else:
            return None
    return told


def _text(told: Any) -> str:
    if isinstance(told, list):  # some give several snippets
        told = " … ".join(one for one in told[:5] if isinstance(one, str))
    return told if isinstance(told, str) else ""
