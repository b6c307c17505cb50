"""Secrets that only their label gives away: `password = …`, "the password is …", 密码是 …, 口令：….

Whatever stands behind a label is judged: a value was chosen to be hard to guess, or is given as a
value is given. What tells about the credential (its length, where it is kept, that it is required)
is none, and neither are variables, types and placeholders.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from bethink.text.linear import Match, linear
from bethink.text.secret_checks import stands_for_one

PASSES = (
    r"pass(?:word|wd|code|[ -]?phrase)s?|pwd|\bpsw|\bpin(?:[ -]?code| ?码)?|"
    r"密[码碼]|口令|暗[号號]|开机码"
)
KEY = (
    r"(?:api|access|secret|private|auth|signing|encryption|licen[sc]e|app|client|account|master|"
    r"session|service|bot|webhook|refresh|bearer|deploy|subscription)[ _-]?(?:key|secret|token)s?|"
    r"secret|token|credentials?|apikey|appsecret|密[钥鑰匙]|金[钥鑰]|令牌|[权權]杖|私[钥鑰]|"
    r"授[权權][码碼]|激活[码碼]|[验驗][证證][码碼]|otp|\b[a-z0-9_]*_key"
)
_PHRASE = r"mnemonic|(?:seed|recovery)[ _-]?phrase|助[记記][词詞]|恢复短语"
_ANY_KEY = r"[a-z0-9_]*_key"  # of which only those of an .env are secrets
# Where none of these stands, nobody looks further.
TRACE = (
    r"(?i:pass(?:word|wd|code|[ -]?phrase)|pwd|psw|secret|token|credential|[a-z][ _-]?key\b|"
    r"\bpass\b|_pass\b|\bpin\b[^\n]{0,10}[0-9]{4}|\bpin ?码|\botp\b|"
    r"mnemonic|(?:seed|recovery)[ _-]?phrase)|"
    r"密[码碼钥鑰匙]|口令|暗[号號]|开机码|金[钥鑰]|令牌|[权權]杖|私[钥鑰]|授[权權][码碼]|激活[码碼]|"
    r"[验驗][证證][码碼]|助[记記][词詞]|恢复短语"
)
# The first characters of a value are enough to judge it; `_whole` reads on.
_SIGN = r"[^\s\"'“”‘’「」`,;，；。、！？（）()<>\x{3400}-\x{9fff}]"
_SIGN_IN_QUOTES = r"[^\"”'’`」\n]"
_BARE = _SIGN + r"{1,64}"
_QUOTED = rf"[\"“'‘`「]({_SIGN_IN_QUOTES}{{1,64}})"
_STOPS = ".:?…}]"  # behind a value they are no part of it
_GIVES = (  # what stands between a label and its value, on one line
    r"[\"'`]?[ \t]{0,3}(?::=|=>|->|→|=|:|：)[ \t]{0,3}|"
    r"(?: (?:for|of|to|on|at|in|from) [^\n,;:=。，；]{1,40}?)?[ \t]{1,3}(?:is|was)(?: now)?:?"
    r"[ \t]{1,3}|"
    r"[ \t]{0,2}(?:已经?)?(?:是|为|為|改成|改[为為]|[设設][成为為]|[换換]成|用的?是|用)"
    r"[:：]?[ \t]{0,3}"
)
_GIVEN = rf"(?i)({PASSES}|{KEY}|{_PHRASE}|\bpass|_pass)({_GIVES})(?:{_QUOTED}|({_BARE}))"
# Beside a label, without anything between: only what was plainly chosen.
_BESIDE = rf"(?i)({PASSES}|{KEY})[ \t]{{1,3}}(?:{_QUOTED}|({_BARE}))"
_BESIDE_CHINESE = rf"(密[码碼]|口令|密[钥鑰匙]|令牌|[验驗][证證][码碼])(?:{_QUOTED}|({_BARE}))"
_BEFORE_IT = (
    rf"(?i)({_BARE})[ \t]{{1,3}}(?:is|as|=)[ \t]{{1,3}}(?:the|my|our|your|a|his|her|their)? ?"
    rf"(?:[a-z]{{2,20}} ){{0,2}}({PASSES}|{KEY})"
)
_BEFORE_IT_CHINESE = (
    rf"({_BARE})[ \t]{{0,2}}(?:作为|当作?|是)[^\n，。；\x{{0}}-\x{{7f}}]{{0,8}}?(密[码碼]|口令)"
)


class _Given(NamedTuple):
    label: str
    how: str  # what stands between
    value: str
    quoted: bool
    rest: str  # what stands behind

    @property
    def of_password(self) -> bool:
        shape = linear(f"(?i:{PASSES}|_?pass)", bare=True)
        return shape.fullmatch(self.label.encode()) is not None

    @property
    def in_env(self) -> bool:
        """A line of an .env: DB_PASS=…"""
        return self.label.isupper() and self.how.strip("\"'") == "="


def labelled(text: bytes) -> Iterator[tuple[int, int, str]]:
    """Where each value stands, and what it is."""
    if linear(TRACE, bare=True).search(text) is None:
        return
    for pattern, label, value in (
        (_GIVEN, 1, (3, 4)),
        (_BESIDE, 1, (2, 3)),
        (_BESIDE_CHINESE, 1, (2, 3)),
        (_BEFORE_IT, 2, (1, 1)),
        (_BEFORE_IT_CHINESE, 2, (1, 1)),
    ):
        yield from _by(pattern, label, value, text)


def _by(
    pattern: str, label: int, values: tuple[int, int], text: bytes
) -> Iterator[tuple[int, int, str]]:
    compiled = linear(pattern)
    at = 0
    while (match := compiled.search(text, at)) is not None:
        quoted = values[0] != values[1] and match.start(values[0]) >= 0
        start, end = match.span(values[0] if quoted else values[1])
        given = _given(match, label, text, start, end, quoted, how=2 if pattern == _GIVEN else 0)
        end = start + len(given.value.encode("utf-8", "surrogatepass"))
        judged = _is_given(given) if pattern == _GIVEN else _is_chosen(given)
        if judged and end > start:
            end = _whole(text, end, quoted=quoted)
            yield start, end, _kind(given)
            at = max(end, match.start() + 1)
        else:  # what looked like the value may be a label itself
            at = max(match.end(label) if label == 1 else match.end(1), match.start() + 1)


def _given(
    match: Match, label: int, text: bytes, start: int, end: int, quoted: bool, *, how: int
) -> _Given:
    def part(data: bytes | None) -> str:
        return (data or b"").decode("utf-8", "replace")

    value = part(text[start:end])
    if not quoted:
        value = value.rstrip(_STOPS)
    behind = start + len(value.encode("utf-8", "surrogatepass"))
    return _Given(
        part(match.group(label)),
        part(match.group(how)) if how else "",
        value,
        quoted,
        part(text[behind : behind + 60]),
    )


def _whole(text: bytes, end: int, *, quoted: bool) -> int:
    """Where a value ends of which the beginning was judged."""
    more = linear(f"{_SIGN_IN_QUOTES if quoted else _SIGN}*", bare=True).match(text, end)
    if more is None:
        return end
    rest = text[end : more.end()].decode("utf-8", "replace")
    return more.end() if quoted else end + len(rest.rstrip(_STOPS).encode())


def _kind(given: _Given) -> str:
    if linear(f"(?i:{_PHRASE})", bare=True).fullmatch(given.label.encode()):
        return "recovery phrase"
    if given.of_password:
        return "password"
    return "credential"


def _is_given(given: _Given) -> bool:
    """Given as a value is given; is it one?"""
    value = given.value
    if not value or stands_for_one(value) or value.lower() in LIKE:
        return False
    if given.label.lower() == "pass" and not given.how.strip("\"'` \t").startswith(("=", ":")):
        return False  # a second pass
    if not given.in_env and _is_any_key(given.label.lower()):
        return False  # a primary key, a key of a cache
    if given.label.lower().startswith("pin") and not value.isdigit():
        return False
    if given.quoted:
        return _is_quoted_value(given)
    if given.rest[:1] in ("(", "[") or "://" in value:
        return False  # a call, or an address, which has rules of its own
    if value.isdigit():
        return given.of_password and len(value) >= 4 and not _has_unit(given.rest)
    if linear(r"[A-Za-z][A-Za-z_.-]*", bare=True).fullmatch(value.encode()):
        return _is_word_value(given)
    if not value.isascii() and not any(c.isascii() and c.isalnum() for c in value):
        return False
    least = 4 if given.of_password or given.in_env else 8
    return len(value) >= least and not _is_plain(value, given)


def _is_any_key(label: str) -> bool:
    telling = label.endswith("_key") and not any(
        word in label
        for word in ("api", "access", "secret", "private", "auth", "sign", "crypt", "account")
    )
    return telling and linear(_ANY_KEY, bare=True).fullmatch(label.encode()) is not None


def _is_quoted_value(given: _Given) -> bool:
    value = given.value
    if any(c.isspace() for c in value):
        return _kind(given) == "recovery phrase" or "phrase" in given.label.lower()
    if value.isdigit():
        return given.of_password and len(value) >= 4
    if given.of_password:
        return len(value) >= 3 and not _is_plain(value, given)
    return (any(c.isdigit() for c in value) or len(value) >= 20) and (
        len(value) >= 8 and not _is_plain(value, given)
    )


def _is_word_value(given: _Given) -> bool:
    """Letters alone: a value where nothing else could stand there."""
    value = given.value.lower()
    if given.in_env:
        return len(value) >= 4
    last = not given.rest.strip(" \t") or given.rest.lstrip(" \t")[0] in "\n\r,;，；。.!！"
    return (
        given.of_password
        and last
        and "=" not in given.how
        and value.isalpha()
        and not any(c.isupper() for c in given.value[1:])
        and len(value) >= 3
        and not value.endswith(_ADJECTIVES)
    )


def _is_chosen(given: _Given) -> bool:
    """Letters with digits in them, or with signs as nobody writes them in prose."""
    value = given.value
    if stands_for_one(value) or value.lower() in LIKE:
        return False
    if any(c.isspace() for c in value):
        return given.quoted and "phrase" in given.label.lower()
    if value.isdigit():
        number = not given.label.isascii() or given.label in ("PIN", "PIN code")
        return number and 4 <= len(value) <= 12 and not _has_unit(given.rest)
    value = value.strip("*_!")  # what is stressed
    letters = any(c.isascii() and c.isalpha() for c in value)
    signs = any(c.isdigit() or c in "!@#$%^&*" for c in value)
    return letters and signs and len(value) >= 6 and not _is_plain(value, given)


UNITS = (
    r"(?i)\s{0,2}(?:seconds?|secs?|s\b|minutes?|mins?\b|hours?|hrs?\b|h\b|days?|weeks?|months?|"
    r"years?|char(?:acter)?s?|digits?|bytes?|bits?|ms\b|times|tokens|requests|users|attempts|"
    r"retries|words?|%|[KMG]B\b|k\b|or more|to \d|-\d|位|个|個|天|秒|分|小时|字|年|月|周|次|条|块|"
    r"元|毫秒|以内|以上|左右|行|种|项|到|至|~)"
)


def _has_unit(rest: str) -> bool:
    return linear(UNITS, bare=True).match(rest.encode("utf-8", "replace")) is not None


_BASE64 = r"[A-Za-z0-9+/]{38,}={0,2}"  # has slashes, as paths do
# A path, an address, a version, a date, a ticket, a setting's name, a word of the trade.
_PLAIN = (
    r"(?:https?://|[./~@]).*|[\w.@-]+/.*|\d[\d.:/-]*[A-Za-z%]{0,3}|[vV]\d[\w.-]*|"
    r"[\w-]+\.(?:py|tsx?|jsx?|mjs|md|toml|ya?ml|json|go|rs|env|sh|txt|sql|ini|cfg|java|c|h|pem|key)|"
    r"#\d+|--?[a-z][\w-]*(?:=.{0,20})?|[\w.+-]+@[\w-]+\.[\w.-]+|[A-Z]{1,8}[-_]?\d{1,5}|"
    r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+|[a-z][a-z0-9]*(?:_[a-z0-9]+)+|[a-z][a-z0-9]*(?:-[a-z]+)+|"
    r"(?i:py(?:thon)?|node|java|jdk|php|vue|http|utf-?|sha-?|md|[rhep]s|aes-?|rsa-?|base|oauth|auth|"
    r"argon|ed|x|s|ec|k|i|l|a|web|log|h|tls|v|win|ipv|mp|es|b|r|bcrypt|pbkdf|fido|totp|u|c|gpt-?|"
    r"llama-?|qwen-?|claude-?|o|rc|p|q|sprint|phase|level|rfc-?|cve-?|stage|step|mfa|hs|rs|ps)"
    r"\d{1,5}(?:[a-z]{0,8}|[.-]\d{1,4}){0,3}|[a-z]{2,}(?:[A-Z][a-z]{2,})+\d?|[A-Za-z_][\w.]*\[.*|[*_]+[A-Za-z]+[*_]+|[A-Za-z_][\w]*(?:\.[a-z_]\w*)+"
)


def _is_plain(value: str, given: _Given) -> bool:
    return not given.in_env and looks_plain(value)  # in an .env whatever it looks like


def looks_plain(value: str) -> bool:
    """Return True for a path, an address, a version, a date, a ticket, a word of the trade."""
    data = value.encode("utf-8", "replace")
    if linear(_BASE64, bare=True).fullmatch(data):
        return False
    return linear(_PLAIN, bare=True).fullmatch(data) is not None


_ADJECTIVES = (
    "ed", "ing", "able", "ible", "ly", "ive", "ous", "ory", "ful", "less", "ant", "ent", "ic", "al",
    "ary", "ct", "ure",
)  # fmt: skip
# After "is": what the credential is like, not what it is.
LIKE = frozenset(
    "a an the in on at by of to for from with as not no never always only too also still just now "
    "and or but so very more less what how when where why who that this it they there here your "
    "our my their his her its one any some all each every both optional mandatory wrong weak "
    "strong long short broken safe unsafe valid fine ok okay good bad new old kept sent set read "
    "out up down plain public private shared dead stale fresh part gone lost known unknown case "
    "available different same per bcrypt argon2 scrypt simple easy hard right open close free "
    "bearer basic oauth jwt opaque unique random mine yours theirs must should can will may has "
    "have had was were are is be being see use used ask yes maybe tbd todo none here below above "
    "later soon again ready done enough important necessary sensitive access refresh user admin "
    "name value type length hash login email".split()
)
