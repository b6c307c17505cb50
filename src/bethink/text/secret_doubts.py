"""What may be a secret: a check for texts that are kept only if they certainly hold none.

`redact` removes what is a secret beyond doubt and leaves the rest of the text as it is. A hook that
learns from what a user writes has the choice to keep nothing. So it asks `may_hold_secret`, which
also says yes to a key that was cut off, to a word of random characters (which may be a digest), and
to anything that could be the value of a named credential (`API key: abcd`, 口令是天王盖地虎). A
sentence about credentials ("the token limit is 4096", 密码长度为 20) holds none.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from bethink.text.linear import Match, linear
from bethink.text.redaction import redact, undisguised
from bethink.text.secret_checks import stands_for_one
from bethink.text.secret_labels import KEY, LIKE, PASSES, UNITS, looks_plain

_CLAUSE = r"[\n。！？]|[.!?](?:\s|$)"
_LONGEST = 600  # bytes that are read of one clause: a label reaches no further than 60 characters

# How keys of well-known services begin, with fewer characters than a whole key has.
_CUT_KEY = (
    r"(?i)\b(?:(?:sk|pk|rk)[-_](?:live|test|proj|ant|or)[-_][a-z0-9_-]{8}|"
    r"(?:sk|pk|rk)-[a-z0-9_-]{12}|"
    r"(?:gh[oprsu]|hf|npm|gsk|dop_v1|doo_v1|shpat|shpss|figd|dckr_pat|lin_api|ntn|whsec|r8|sntrys|"
    r"glsa|github_pat|tskey)_[a-z0-9_]{12}|"
    r"(?:glpat|gldt|xai|pypi|PMAK|NRAK|tskey)-[a-z0-9_-]{12}|xox[a-z]-[a-z0-9-]{8}|"
    r"xapp-[a-z0-9-]{8}|hv[sb]\.[a-z0-9_-]{12}|SG\.[a-z0-9_-]{12}|ya29\.[a-z0-9_-]{12}|"
    r"AIza[a-z0-9_-]{20}|(?:AKIA|ASIA|AROA)[0-9a-z]{12}|LTAI[0-9a-z]{10}|AKID[0-9a-z]{10}|"
    r"[0-9]{6,12}:AA[a-z0-9_-]{20}|eyJ[a-z0-9_-]{12,}\.|AGE-SECRET-KEY-1)|"
    r"-----BEGIN [A-Z ]{0,40}(?:PRIVATE KEY|CERTIFICATE)"
)
# Numbers of people, and values in their places, shorter or less certain than `redact` wants them.
_IN_PLACE = (
    r"(?i)(?:\bpin\b(?:[ -]?code)?\s{0,3}(?:is now|is|was|:|=)?|pin\s?码[^\n0-9]{0,8})\s{0,3}"
    r"[0-9]{3,8}(?:[^0-9.]|\.?$|\.\s)|"
    r"(?:passport|护照|護照|iban|bank account|credit card|银行卡|信用卡|卡号|银行账号|"
    r"社保号|身份证)[^\n0-9]{0,30}[0-9](?:[ -]?[0-9]){5}|"
    r"\b[1-9][0-9]{5}(?:18|19|20)[0-9]{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12][0-9]|3[01])[0-9]{3}[0-9x]\b|"
    r"://[^\s/:@]{0,100}:[^\s/@$<{*%][^\s/@]{0,200}@|"
    r"[?&](?:access_token|auth_token|token|api_?key|key|password|passwd|pwd|secret|sig|signature|auth)="
    r"[^\s&#$<{*][^\s&#]{3}|"
    r"hooks\.slack\.com/(?:services|workflows)/\w|discord(?:app)?\.com/api/webhooks/[0-9]|"
    r"open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/\w|webhook\.office\.com/\w"
)
# Shapes around a value, which must not be a variable or a placeholder.
_AROUND_ANY = (
    r"(?:(?i:(?:pass|passwd|password|passphrase|pwd|secret|token|credentials?|"
    r"(?:api|secret|access|private|auth|signing|encryption)[_-]?key))|[A-Z0-9]_KEY)"
    r"[\"']?\s{0,3}=\s{0,3}[\"']?([^\s\"'=]{1,200})",
    r"(?i)\b(?:proxy-)?authorization[\"']?\s{0,3}[:=]\s{0,3}[\"']?"
    r"(?:(?:bearer|basic|token|digest)\s{1,3})?([\w.~+/=-]{4,})",
)
# The same around a value that must also have letters and digits or signs.
_AROUND_CHOSEN = (
    r"(?i)\b(?:bearer|basic)\s{1,3}([\w.~+/=-]{8,})",
    r"(?:^|[^\w.+-])[\w.+-]{1,64}:([^\s:@/]{4,64})@[\w-]",
    r"(?i)(?:\b(?:log ?in|sign in|account|user(?:name)?|creds)\b|账号|帐号|账户|用户名|登录)"
    r"[^\n/]{1,40}/\s{0,3}([^\s/]{6,64})",
)
_NAME = (
    rf"(?i)({PASSES}|{KEY}|\bcreds|(?:verification|recovery|backup) codes?|"
    r"\b(?:ssh|product)[ _-]?keys?)"
)
_THE_KEY = r"(?i)(\bkey\b)"
_ABOUT = (  # it is about them: the password field, a token limit
    r"(?i)s?(?:[a-z0-9_]|"
    r"(?:'s)?[ _-]?(?:fields?|columns?|inputs?|box(?:es)?|forms?|limits?|lengths?|sizes?|"
    r"counts?|budgets?|polic(?:y|ies)|hash(?:es|ing)?|types?|names?|tables?|managers?|resets?|"
    r"rotations?|expiry|expiration|lifetimes?|ttl|buckets?|windows?|usage|prices?|costs?|pages?|"
    r"screens?|prompts?|strength|rules?|checks?|validat\w{2,5}|auth\b|authentication|based|"
    r"endpoints?|stor(?:e|age)|vaults?|services?|servers?|modules?|class(?:es)?|streams?|"
    r"parsers?|rings?|formats?|paths?|files?|headers?|cookies?|scopes?|scann\w{2,4}|handling|"
    r"refresh\w{0,4}|urls?|cach\w{1,3}|per second|context)\b|"
    r" ?的?(?:字段|输入框|框|长度|限制|上限|数量|页面?|功能|强度|规则|策略|找回|重置|过期|有效期|"
    r"管理|校验|加密|哈希|存储|表|列|格式|登录|认证|服务|模块|接口|文件|路径|刷新|轮换|泄露|缓存|"
    r"类型|预算))"
)
_GIVEN = (  # what gives a value, and the value's first word
    r"(?i)[^,;，；。\n=!<>]{0,60}?(?:\b(?:is|was|are)\b(?: now)?|=|:|：|->|"
    r"是|为|為|改成|改为|设成|设为|换成)\s{0,3}(?:[\"'“‘`]([^\"'”’`\n]{3,60})[\"'”’`]|"
    r"[\"'“‘`]?([^\s,;，；。\"'”’`=/][^\s,;，；。\"'”’`]{0,200}))"
)
_QUOTED = r"\s{0,3}[\"“'‘][^\"”'’\n]{3,60}[\"”'’]"
_WORD = r"[^\s=,;，；、\"'“”‘’`()（）\x{3400}-\x{9fff}]+"
# After 是: what the credential is like, not what it is.
_LIKE_CHINESE = tuple(
    "必填 必须 必要 加密 空 不 用户 存 从 在 由 明文 可选 错 无效 弱 否 有 没 什么 怎 哪 谁 随机 "
    "自动 一样 单独 独立 需要 什 多 手动 临时 旧 新 敏感 动态 通过 以 何 了 可以".split()
)
# May stand anywhere: a UUID, a commit. Other digests where they are called so.
_DIGEST = r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{40}"
_CALLED_DIGEST = r"(?i)\b(?:sha\d*|md5|hash|digest|checksum|commit)|哈希|摘要|校验"


def may_hold_secret(text: str) -> bool:
    """Return True if the text holds a secret, or anything that could be one."""
    if redact(text).kinds:
        return True
    data = undisguised(text).encode("utf-8", "replace")
    if any(linear(shape, bare=True).search(data) for shape in (_CUT_KEY, _IN_PLACE)):
        return True
    return (
        any(_values_in_place(data))
        or any(map(_gives_value, _clauses(data)))
        or any(_random_words(data))
    )


def _values_in_place(data: bytes) -> Iterator[bool]:
    for shape in (*_AROUND_ANY, *_AROUND_CHOSEN):
        for found in linear(shape).finditer(data):
            value = _text(found, 1)
            chosen = shape in _AROUND_ANY or (
                any(c.isalpha() for c in value)
                and any(c.isdigit() or c in "!#$%^&*" for c in value)
            )
            bare_scheme = value.lower() in ("bearer", "basic", "token", "digest")
            yield chosen and not bare_scheme and not stands_for_one(value)


def _clauses(data: bytes) -> Iterator[bytes]:
    start = 0
    for end in (*(match.start() for match in linear(_CLAUSE).finditer(data)), len(data)):
        for at in range(start, max(end, start + 1), _LONGEST):
            yield data[at : min(at + _LONGEST, end)]
        start = end


def _gives_value(clause: bytes) -> bool:
    """Does the clause name a credential, and does something stand there that may be its value?"""
    names = [
        name
        for name in linear(_NAME).finditer(clause)
        if not linear(_ABOUT).match(clause, name.end()) and _text(name).lower() != "pin"
    ]
    for name in names:
        if linear(_QUOTED, bare=True).match(clause, name.end()):
            return True
        given = linear(_GIVEN).match(clause, name.end())
        if given is not None and _is_value(name, given, clause):
            return True
    if names and any(_chosen_words(clause, names)):
        return True
    key = linear(_THE_KEY).search(clause)  # "the key": only if what it is looks like one
    given = None if key is None else linear(_GIVEN).match(clause, key.end())
    return (
        given is not None
        and len(value := _text(given, 1) or _text(given, 2)) >= 8
        and _is_chosen(value, "")
    )


def _text(match: Match, group: int = 0) -> str:
    return (match.group(group) or b"").decode("utf-8", "replace")


def _counts(name: Match) -> bool:
    """Tokens of a language model are counted."""
    return _text(name).lower().endswith("tokens")


def _is_value(name: Match, given: Match, clause: bytes) -> bool:
    """Anything but a word that says what the credential is like."""
    if quoted := _text(given, 1):
        return not stands_for_one(quoted) and not looks_plain(quoted)
    word, rest = _text(given, 2), clause[given.end() :]
    if "\u3400" <= word[0] <= "\u9fff":
        return not word.startswith(_LIKE_CHINESE)
    ascii_part = linear(r"[^\x{3400}-\x{9fff}]*", bare=True).match(word.encode("utf-8", "replace"))
    word = "" if ascii_part is None else _text(ascii_part).rstrip(".!?:")
    if not word or word.lower() in LIKE or stands_for_one(word):
        return False
    if word.isalpha() and word.islower() and word.endswith(("ed", "ing", "able", "ly")):
        return False
    if word.isdigit():
        return len(word) >= 3 and not _counts(name) and not _has_unit(rest)
    return not looks_plain(word)


def _chosen_words(clause: bytes, names: list[Match]) -> Iterator[bool]:
    for word in linear(_WORD).finditer(clause):
        value = _text(word)
        if not _is_chosen(value, clause[word.end() : word.end() + 20].decode("utf-8", "replace")):
            continue
        if value.isdigit():  # a number before the name is a port or a count
            yield any(n.end() <= word.start() and not _counts(n) for n in names)
        else:
            yield not any(n.start() <= word.start() < n.end() for n in names)


def _is_chosen(word: str, rest: str) -> bool:
    """Letters with digits or signs in them, or many digits: chosen to be hard to guess."""
    bare = word.rstrip(".:?")
    if bare.isdigit():
        return len(bare) >= 4 and not _has_unit(rest.encode("utf-8", "replace"))
    stressed = bare.endswith("!") and bare[:-1].isalpha() and bare[:-1].islower()
    bare = bare.rstrip("!") if stressed else bare
    letters = any(c.isalpha() for c in bare)
    signs = any(c.isdigit() or c in "!@#$%^&*" for c in bare)
    return len(bare) >= 4 and letters and signs and not (looks_plain(bare) or stands_for_one(bare))


def _has_unit(rest: bytes) -> bool:
    return linear(UNITS, bare=True).match(rest) is not None


def _random_words(data: bytes) -> Iterator[bool]:
    for word in linear(r"[A-Za-z0-9+/_=.-]{20,}", bare=True).finditer(data):
        yield _is_random(_text(word), data[max(0, word.start() - 40) : word.start()])


def _is_random(word: str, before: bytes) -> bool:
    """Characters of all kinds in no order. Names and paths change their kind seldom."""
    if linear(_DIGEST, bare=True).fullmatch(word.encode()):
        return False
    if linear(_CALLED_DIGEST, bare=True).search(before):
        return False
    parts = word.translate(str.maketrans("/._=-", "     ")).split()
    if any(_changes_often(part) for part in parts if len(part) >= 20):
        return True
    path = word.startswith(("/", ".", "~")) or any(c in word for c in "._-")
    together = "".join(c for c in word if c.isalnum())
    return not path and len(together) >= 36 and _changes_often(together)


def _changes_often(word: str) -> bool:
    kinds = ["0" if c.isdigit() else "A" if c.isupper() else "a" for c in word if c != "+"]
    changes = sum(a != b for a, b in pairwise(kinds)) / max(1, len(kinds))
    if len(set(kinds)) == 3:
        return changes >= 0.4
    return "0" in kinds and len(set(kinds)) == 2 and changes >= 0.25
