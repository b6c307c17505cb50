"""REST, against a real server, with a key."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx

from tests.scenarios.doors.door import failed
from tests.scenarios.scenario import Json


class Route(NamedTuple):
    method: str
    path: str  # {id} and {space} are taken out of what is given
    below: str = ""  # where the answer is, if it is a list


ROUTES = {
    "remember": Route("POST", "/memories"),
    "remember_many": Route("POST", "/memories/batch", "receipts"),
    "revise": Route("PATCH", "/memories/{id}"),
    "reinforce": Route("POST", "/memories/{id}/reinforce"),
    "forget": Route("DELETE", "/memories/{id}"),
    "forget_space": Route("DELETE", "/spaces/{space}"),
    "recall": Route("POST", "/recall"),
    "context": Route("POST", "/context"),
    "why_not": Route("POST", "/memories/{id}/why-not"),
    "get": Route("GET", "/memories/{id}"),
    "list": Route("GET", "/memories"),
    "history": Route("GET", "/memories/{id}/history"),
    "spaces": Route("GET", "/spaces", "spaces"),
    "status": Route("GET", "/status"),
    "presets": Route("GET", "/presets", "presets"),
    "offer": Route("POST", "/offers"),
    "offered": Route("GET", "/offers/{id}"),
    "quarantine": Route("GET", "/offers"),
    "working": Route("GET", "/working"),
    "digest": Route("GET", "/digest"),
    "promote_by_rules": Route("POST", "/digest/apply", "receipts"),
    "promote": Route("POST", "/offers/promote", "receipts"),
    "reject": Route("POST", "/offers/reject", "offers"),
    "restore": Route("POST", "/offers/restore", "offers"),
    "undo": Route("POST", "/offers/{id}/undo"),
    "from_source": Route("GET", "/sources"),
    "roll_back": Route("POST", "/rollback"),
    "events": Route("GET", "/events", "events"),
    "add_document": Route("POST", "/knowledge/{base}/documents"),
    "replace_document": Route("PUT", "/knowledge/{base}/documents/{document}"),
    "bases": Route("GET", "/knowledge", "knowledge_bases"),
    "documents": Route("GET", "/knowledge/{base}/documents", "documents"),
    "document": Route("GET", "/knowledge/{base}/documents/{document}"),
    "enable_document": Route("POST", "/knowledge/{base}/documents/{document}/enable"),
    "disable_document": Route("POST", "/knowledge/{base}/documents/{document}/disable"),
    "remove_document": Route("DELETE", "/knowledge/{base}/documents/{document}"),
    "add_faq": Route("POST", "/knowledge/{base}/faq"),
    "faqs": Route("GET", "/knowledge/{base}/faq", "entries"),
    "faq": Route("GET", "/knowledge/{base}/faq/{entry}"),
    "enable_faq": Route("POST", "/knowledge/{base}/faq/{entry}/enable"),
    "disable_faq": Route("POST", "/knowledge/{base}/faq/{entry}/disable"),
    "remove_faq": Route("DELETE", "/knowledge/{base}/faq/{entry}"),
    "search_knowledge": Route("POST", "/knowledge/{base}/search"),
    "ask": Route("POST", "/knowledge/{base}/ask"),
    "set_story_cast": Route("PUT", "/story/{project}/cast"),
    "story_cast": Route("GET", "/story/{project}/cast"),
    "add_story_scene": Route("POST", "/story/{project}/scenes"),
    "add_story_chapter": Route("POST", "/story/{project}/chapters", "scenes"),
    "record_story_state": Route("POST", "/story/{project}/states"),
    "story_state": Route("GET", "/story/{project}/state"),
    "story_states": Route("GET", "/story/{project}/states", "states"),
    "story_timeline": Route("GET", "/story/{project}/timeline", "timeline"),
    "open_story_thread": Route("POST", "/story/{project}/threads"),
    "close_story_thread": Route("POST", "/story/{project}/threads/close"),
    "story_threads": Route("GET", "/story/{project}/threads", "threads"),
    "search_story": Route("POST", "/story/{project}/search", "memories"),
    "scene_context": Route("POST", "/story/{project}/context"),
    "remove_from_story": Route("DELETE", "/story/{project}/scenes"),
    "move_in_story": Route("POST", "/story/{project}/move"),
}
OF_KNOWLEDGE = {
    "question": "query_text",
    "limit": "match_count",
    "meaning_threshold": "vector_threshold",
    "words_threshold": "keyword_threshold",
}  # in search and ask
_BODILESS = frozenset({
    "undo", "enable_document", "disable_document", "enable_faq", "disable_faq",
})  # fmt: skip
# What the others do not say: of a page, and of what was there before.
_BESIDE = {
    "document": ("next",),
    "add_faq": ("action", "notes"),
    "story_state": ("notes",),  # in a terminal they are hints
    "record_story_state": ("id", "notes"),  # a command shows the state
}
PARAMETERS = {"spaces": "space", "decisions": "decision", "kinds": "kind"}
_JSON = {"Content-Type": "application/json"}


class OverRest:
    def __init__(
        self, client: httpx.Client, key: str, helper: Callable[[str, Mapping[str, Json]], Json]
    ) -> None:
        self._client = client
        self._headers = {"Authorization": f"Bearer {key}"}
        self.help_out = helper

    def call(self, verb: str, given: Mapping[str, Json]) -> Json:
        route, left = ROUTES[verb], dict(given)
        path = route.path
        for name in ("id", "space", "base", "document", "entry", "project"):
            if f"{{{name}}}" in path:
                path = path.replace(f"{{{name}}}", quote(left.pop(name), safe=""))
        if verb in ("search_knowledge", "ask"):
            left = {OF_KNOWLEDGE.get(name, name): value for name, value in left.items()}
        options: dict[str, Any] = {"params": _asked(left)}
        if verb in ("add_document", "replace_document"):
            options = {"content": left.pop("text").encode(), "params": left}
        elif route.method in ("POST", "PATCH", "PUT") and verb not in _BODILESS:
            options = {"content": json.dumps(left)}  # as ASCII: half a character gets through
        answer = self._client.request(
            route.method, f"/v1{path}", headers=self._headers | _JSON, **options
        )
        told = answer.json()
        if answer.is_error:
            assert told["status"] == answer.status_code < 500, told
            return failed(told["code"], _named_as_elsewhere(told["detail"]))
        for name in _BESIDE.get(verb, ()):
            told.pop(name)
        if verb == "set_story_cast":  # a command shows the cast
            return self.call("story_cast", {"project": given["project"]})
        return told[route.below] if route.below else told


def _asked(given: Mapping[str, Json]) -> dict[str, Any]:
    return {
        PARAMETERS.get(name, name): json.dumps(value) if isinstance(value, dict) else value
        for name, value in given.items()
    }


def _named_as_elsewhere(message: str) -> str:
    """Parsers say where: "body.limit: …", "query.limit: …"."""
    return message.removeprefix("body.").removeprefix("query.")
