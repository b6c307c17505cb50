"""What a model wrote, as nothing but text: whoever shows it, as Markdown or as HTML, shows no
image, runs nothing and links nowhere that the passages do not.

Tags, links and images are not recognised and allowed or refused, since there are more ways to
write one than anybody lists. What begins one is broken by a blank; only then is it made pretty.
"""

from __future__ import annotations

import html
import re
from typing import NamedTuple

_REST = r"[^\s<>\"'`）】」，。；、！？（《》]"
# With or without a name before it, with slashes either way, as browsers read it. A single letter
# before the colon is a disk.
_ADDRESS = re.compile(
    rf"(?:(?:https?|ftps?|wss?|file|javascript|vbscript|mailto|xmpp|blob)\\?:{_REST}+"
    rf"|data:[a-z]+/{_REST}+"
    rf"|[a-z][a-z0-9+.-]{{1,30}}\\?:[\\/]{{2}}{_REST}*"
    rf"|(?<![\w:/\\])[\\/]{{2}}[\w\[]{_REST}*"
    rf"|www\\?\.{_REST}+"
    rf"|(?<![\w.@/-])(?:[a-z0-9-]{{1,63}}\.){{1,9}}[a-z]{{2,24}}/[^\s<>\"'?]{{0,2000}}\?{_REST}+)",
    re.IGNORECASE,
)
_BEHIND = re.compile(r"(?:\[[0-9]{1,4}\]|[.,;:!?)\]*_])+\Z")  # an address, and not of it
_IMAGE = re.compile(
    r"!\[([^\[\]]{0,300})\](?:\([^()]{0,2000}\)|\[[^\[\]]{0,300}\])|<(?:img|image|picture)\b[^<>]*>",
    re.IGNORECASE,
)
_LINK = re.compile(r"\[([^\[\]]{0,300})\]\(\s*([^()\s]{0,2000})\s*\)")
_QUOTED = re.compile(r"<([a-z][a-z0-9+.-]{1,30}:[^<>\s]*)>", re.IGNORECASE)
_TAG = re.compile(
    r"</?(?:a|b|i|u|p|s|em|br|hr|h[1-6]|div|span|strong|code|pre|sup|sub|ul|ol|li|t[rdh]|table"
    r"|thead|tbody|script|style|svg|math|iframe|frame|object|embed|video|audio|source|track|link"
    r"|meta|base|form|input|button|body|html|head|details|summary|blockquote|center|font|marquee"
    r"|template|portal|canvas|area|map|dialog|select|option|textarea)\b[^<>]*>|<!--[^<>]*-->",
    re.IGNORECASE,
)
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#x[0-9a-f]{1,6}|[a-z][a-z0-9]{1,30});", re.IGNORECASE)
# What makes a tag, an image, a link, and the place that a link of the other kind leads to.
_BEGINNINGS = (
    (re.compile(r"<(?=[A-Za-z/!?])"), "< "),
    (re.compile(r"!(?=\[)"), "! "),
    (re.compile(r"\](?=\()"), "] "),
    (re.compile(r"^([\s>*+-]*\[[^\[\]]{1,999}\])(?=:)", re.MULTILINE), r"\1 "),
)


class Plain(NamedTuple):
    text: str
    images: int  # that were taken out
    tags: int
    foreign: tuple[str, ...]  # addresses that were


def plain(text: str, given: str) -> Plain:
    """One round; `given` holds the addresses that may stay. What it takes out can bring together
    what stood around it, so whoever calls goes on until nothing changes."""
    text = _ENTITY.sub(lambda m: html.unescape(m[0]), text)
    text, images = _IMAGE.subn(lambda m: m[1] or "", text)
    text = _LINK.sub(_spelt, text)
    text, tags = _TAG.subn("", _QUOTED.sub(r"\1", text))
    foreign: list[str] = []

    def known(match: re.Match[str]) -> str:
        address = _BEHIND.sub("", match[0])
        if address in given:
            return match[0]
        foreign.append(address)
        return "[…]" + match[0][len(address) :]

    text = _ADDRESS.sub(known, text)
    for beginning, broken in _BEGINNINGS:
        text = beginning.sub(broken, text)
    return Plain(text, images, tags, tuple(foreign))


def _spelt(match: re.Match[str]) -> str:
    """`[form](https://…)` is `form (https://…)`; a number keeps its brackets: it cites."""
    label, address = match[1].strip(), match[2]
    if not label or not address:
        return label or address
    return f"[{label}] ({address})" if label.isdecimal() else f"{label} ({address})"
