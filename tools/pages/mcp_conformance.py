"""Which scenarios of the protocol's conformance tests do not apply to our server, and why. The
reference page lists them; a test runs all and holds them to this."""

from __future__ import annotations

from collections.abc import Mapping

_NAMED = "calls {} by a fixed name, which is not ours"
_LOGS = "we send no log messages over the protocol (it is deprecated there); they go to stderr"
_CHANGES = "we announce no changes of resources: /ws/events and the event stream do"
_ASKS = "calls a tool that asks the client something; ours never do"
_RESUMES = "we keep no answers for a client that reconnects: they are short, and asked for again"

NOT_OURS: Mapping[str, str] = {
    "logging-set-level": _LOGS,
    "tools-call-with-logging": _LOGS,
    "tools-call-simple-text": _NAMED.format("a tool"),
    "tools-call-image": _NAMED.format("a tool that gives a picture"),
    "tools-call-audio": _NAMED.format("a tool that gives a sound"),
    "tools-call-embedded-resource": _NAMED.format("a tool"),
    "tools-call-mixed-content": _NAMED.format("a tool"),
    "tools-call-error": _NAMED.format("a tool"),
    "tools-call-with-progress": _NAMED.format("a slow tool"),
    "tools-call-sampling": _ASKS,
    "tools-call-elicitation": _ASKS,
    "elicitation-sep1034-defaults": _ASKS,
    "elicitation-sep1330-enums": _ASKS,
    "json-schema-2020-12": _NAMED.format("a tool"),
    "server-sse-polling": _RESUMES,
    "resources-read-text": _NAMED.format("a resource"),
    "resources-read-binary": _NAMED.format("a resource"),
    "resources-templates-read": _NAMED.format("a resource"),
    "resources-subscribe": _CHANGES,
    "resources-unsubscribe": _CHANGES,
    "prompts-get-simple": _NAMED.format("a prompt"),
    "prompts-get-with-args": _NAMED.format("a prompt"),
    "prompts-get-embedded-resource": _NAMED.format("a prompt"),
    "prompts-get-with-image": _NAMED.format("a prompt"),
}
