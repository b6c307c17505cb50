"""What each tool does: from its arguments to a verb of the desk, and from the desk's answer to what
a model reads."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from bethink.access.caller import Scope
from bethink.doors.mcp import answers, arguments
from bethink.doors.mcp.data import DATA, address, excerpt, is_verified, labelled, title_of
from bethink.errors import InvalidInput

if TYPE_CHECKING:
    from bethink.access.desk import Desk

_READ_BY_MODELS = tuple(answers.Seen.__annotations__)
_OFFERED = "offered"
_RESULTS = 10


def recall(desk: Desk, asked: arguments.Recall) -> answers.Recalled:
    said = asked.given("question", "explain")
    answer = desk.recall(asked.question, explain=asked.explain, **said)

    def shown(hit: Mapping[str, Any]) -> answers.Found:
        kept = hit if asked.explain else {name: hit[name] for name in _READ_BY_MODELS}
        return cast(answers.Found, dict(kept))

    recalled: answers.Recalled = {
        "notice": DATA,
        "status": answer["status"],
        "reasons": answer["reasons"],
        "confidence": answer["confidence"],
        "hits": [shown(hit) for hit in answer["hits"]],
        "nearest": answer["nearest"] and shown(answer["nearest"]),
        "spaces": answer["spaces"],
        "tokens_used": answer["tokens_used"],
        "tokens_left": answer["tokens_left"],
    }
    if asked.explain:
        recalled["trace"] = answer["trace"]
    return recalled


def context(desk: Desk, asked: arguments.Context) -> answers.ContextText:
    from bethink.text.tokens import count_tokens

    options = asked.given("question")
    room = asked.budget
    while True:
        answer = desk.context(asked.question, **options)
        text = labelled(answer["text"], asked.language or "en")
        tokens = count_tokens(text)
        over = tokens - asked.budget if asked.budget is not None else 0
        if room is None or over <= 0:
            return cast(answers.ContextText, {**answer, "text": text, "tokens": tokens})
        room -= over  # the label and the marks cost too
        if room < 1:
            raise InvalidInput(
                f"budget: {asked.budget} tokens do not hold a memory with its label; ask for more"
            )
        options = {**options, "budget": room, "touch": False}


def remember(desk: Desk, told: arguments.Remember) -> answers.Written:
    """Whoever may only offer offers, and is told so."""
    fields = told.given("supersedes", "heard", "made_from")
    if not told.heard and not told.made_from and Scope.WRITE in desk.caller.scopes:
        return cast(answers.Written, desk.remember(fields, supersedes=told.supersedes))
    if told.supersedes is not None:
        raise InvalidInput(
            "what is kept apart until it is reviewed takes nobody's place: leave out 'supersedes'"
        )
    offer = desk.offer(fields, parents=told.made_from or ())
    return {
        "id": offer["id"],
        "space": offer["space"],
        "action": _OFFERED,
        "passages": 0,
        "embedded": False,
        "notes": [_what_becomes_of_it(offer["tier"])],
        "tier": offer["tier"],
        "decision": offer["decision"],
        "reason": offer["reason"],
    }


def _what_becomes_of_it(tier: str) -> str:
    if tier == "quarantine":
        return "kept apart: it is not recalled unless a person lets it in"
    if tier == "working":
        return "recent for a day, marked unverified; a person decides what becomes lasting memory"
    return "it was let in at once, by a rule of this memory"


def get(desk: Desk, asked: arguments.Get) -> answers.Whole:
    return whole(desk.get(asked.id))


def whole(memory: Mapping[str, Any]) -> answers.Whole:
    record = {"notice": DATA, **memory, "verified": is_verified(memory)}
    return cast(answers.Whole, record)


def revise(desk: Desk, told: arguments.Revise) -> answers.Written:
    return cast(answers.Written, desk.revise(told.id, told.given("id")))


def forget(desk: Desk, told: arguments.Forget) -> answers.Written:
    return cast(answers.Written, desk.forget(told.id))


def recent(desk: Desk, asked: arguments.Recent) -> answers.Page:
    page = desk.list(spaces=asked.spaces, limit=asked.limit, cursor=asked.cursor)
    return {
        "notice": DATA,
        "memories": [_kept(memory) for memory in page["memories"]],
        "cursor": page["cursor"],
        "reasons": page["reasons"],
    }


def _kept(memory: Mapping[str, Any]) -> answers.Kept:
    text, more = excerpt(memory["text"])
    kept: answers.Kept = {
        "id": memory["id"],
        "space": memory["space"],
        "text": text,
        "kind": memory["kind"],
        "tags": memory["tags"],
        "source": memory["source"],
        "verified": is_verified(memory),
        "occurred_at": memory["occurred_at"],
        "created_at": memory["created_at"],
        "updated_at": memory["updated_at"],
    }
    if more:
        kept["part"] = True
    return kept


def status(desk: Desk, asked: arguments.Status) -> answers.Condition:
    may = [scope.value for scope in Scope if scope in desk.caller.scopes]
    return cast(answers.Condition, {**desk.status(), "may": may})


def search(desk: Desk, asked: arguments.Search) -> answers.Results:
    answer = desk.recall(asked.query, limit=_RESULTS)
    return {
        "results": [
            {
                "id": hit["id"],
                "title": title_of(hit["text"], verified=hit["verified"]),
                "url": address(hit["space"], hit["id"]),
            }
            for hit in answer["hits"]
        ]
    }


def fetch(desk: Desk, asked: arguments.Fetch) -> answers.Document:
    memory = desk.get(asked.id)
    verified = is_verified(memory)
    return {
        "id": memory["id"],
        "title": title_of(memory["text"], verified=verified),
        "text": memory["text"],
        "url": address(memory["space"], memory["id"]),
        "metadata": {
            "notice": DATA,
            "verified": verified,
            "space": memory["space"],
            "kind": memory["kind"],
            "source": memory["source"],
            "tags": memory["tags"],
            "updated_at": memory["updated_at"],
        },
    }
