"""Does a text hold a password, a key, or the number of a card or of a person?

For what keeps or shows other people's words: such text is refused or blotted out. Where a sentence
names a credential and then something that could be its value, it counts as a secret; a sentence
about credentials ("the token limit is 4096", 密码长度为 20) does not. Every pattern is bounded, so
the time grows with the length of the text alone.
"""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

_LONGEST = 600  # characters that are read of one clause

_SHAPES = {
    "private key": r"-----BEGIN [A-Z ]{0,40}(?:PRIVATE KEY|CERTIFICATE)|\bAGE-SECRET-KEY-1",
    "token": (
        r"\b(?:sk|pk|rk)[-_](?:live|test|proj|ant|or)[-_][A-Za-z0-9_-]{8,}|"
        r"\b(?:sk|pk|rk)-[A-Za-z0-9_-]{12,}|"
        r"\b(?:gh[oprsu]|hf|npm|gsk|dop_v1|doo_v1|shpat|shpss|figd|dckr_pat|lin_api|ntn|whsec|r8|"
        r"sntrys|glsa|github_pat|rk_live|sk_live|tskey)_[A-Za-z0-9_]{12,}|"
        r"\b(?:glpat|gldt|xai|pypi|PMAK|NRAK|tskey)-[A-Za-z0-9_-]{12,}|"
        r"\bxox[a-z]-[A-Za-z0-9-]{8,}|\bxapp-[A-Za-z0-9-]{8,}|\bhv[sb]\.[A-Za-z0-9_-]{12,}|"
        r"\bSG\.[A-Za-z0-9_-]{12,}|\bya29\.[A-Za-z0-9_-]{12,}|\bAIza[A-Za-z0-9_-]{20,}|"
        r"\b(?:AKIA|ASIA|AROA)[0-9A-Z]{12,}|\bLTAI[0-9A-Za-z]{10,}|\bAKID[0-9A-Za-z]{10,}|"
        r"\b\d{6,12}:AA[A-Za-z0-9_-]{20,}|\beyJ[A-Za-z0-9_-]{12,}\."
    ),
    "address with a password": (
        r"[a-z0-9+.-]{2,30}://[^\s/:@]{0,100}:(?![$<{*%])[^\s/@]{1,200}@|"
        # without a scheme, what stands between must look like a password
        r"(?<![\w.+-])[\w.+-]{1,64}:(?=[^\s:@/]{0,63}[\d!#$%^&*])(?![$<{*])[^\s:@/]{4,64}"
        r"@(?!sha\d)[\w-][\w.-]{0,100}|"
        r"[?&](?:access_token|auth_token|token|api_?key|key|password|passwd|pwd|secret|sig|"
        r"signature|auth)=(?![$<{*])[^\s&#]{4,}"
    ),
    "address that is a key": (
        r"hooks\.slack\.com/(?:services|workflows)/\w|discord(?:app)?\.com/api/webhooks/\d|"
        r"open\.(?:feishu\.cn|larksuite\.com)/open-apis/bot/v2/hook/\w|"
        r"webhook\.office\.com/\w"
    ),
    "authorization header": (
        r"\b(?:proxy-)?authorization['\"]?\s{0,3}[:=]\s{0,3}['\"]?(?!bearer\s{0,3}$)"
        r"(?:bearer|basic|token|digest)?\s{0,3}(?![$<{*])[\w.~+/=-]{4,}|"
        r"\b(?:bearer|basic)\s{1,3}(?=[A-Za-z._~+/=-]{0,80}\d)[\w.~+/=-]{8,}|"
        r"\bcookie\s{0,3}:\s{0,3}[\w.-]{1,60}=[^\s;]{6,}"
    ),
    "assigned credential": (
        r"(?<![A-Za-z0-9])(?:[A-Za-z0-9]{1,40}[_-]){0,6}"
        r"(?:pass|passwd|password|passphrase|pwd|secret|token|credentials?|"
        r"(?:api|secret|access|private|auth|signing|encryption)[_-]?key)"
        r"['\"]?\s{0,3}=\s{0,3}(?!=)['\"]?(?![$<{*%(]|os\.|env|process\.|null|none|true|false)[^\s'\"]"
    ),
    "identity number": (
        r"(?<![\dA-Za-z])[1-9]\d{5}(?:18|19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx]"
        r"(?![\dA-Za-z])|"
        r"\b(?:ssn|social security)\b[^\n]{0,30}?\b\d{3}[- ]?\d\d[- ]?\d{4}\b|"
        r"(?:passport|护照|護照|iban|bank account|credit card|银行卡|信用卡|卡号|银行账号|"
        r"社保号|身份证)"
        r"[^\n\d]{0,30}\d(?:[ -]?\d){5,}"
    ),
    "PIN": (
        r"\bpin\b(?:[ -]?code)?\s{0,3}(?:is|was|:|=|is now)?\s{0,3}\d{3,8}\b(?!\.\d)|"
        r"pin\s?码[^\n\d]{0,8}\d{3,8}"
    ),
    "login": (
        r"(?:\b(?:log ?in|sign in|account|user(?:name)?|creds)\b|账号|帐号|账户|用户名|登录)"
        r"[^\n/]{1,40}/\s{0,3}(?=[^\s/]{0,40}[A-Za-z])(?=[^\s/]{0,40}[\d!@#$%^&*])"
        r"(?=[^\s/]{0,40}[A-Z!@#$%^&*])[^\s/]{6,}"
    ),
}  # fmt: skip

_UPPER_KEY = (
    r"(?<![A-Za-z0-9])(?:[A-Z0-9]{1,40}_){1,6}KEY\s{0,3}=\s{0,3}(?!=)['\"]?(?![$<{*%(])[^\s'\"]"
)
_CARD = r"(?<![\w.-])[2-6]\d{3}(?:[ -]?\d{2,6}){2,4}(?![\w-])"

_NAMED = (
    r"(?<![A-Za-z0-9])(?:pass(?:words?|wd|codes?|[ -]?phrases?)|pwd|psw|secrets?|(?P<many>tokens)|"
    r"token|credentials?|creds|apikey|otp|(?:verification|recovery|backup) codes?|"
    r"(?:api|access|secret|private|ssh|encryption|licen[sc]e|signing|deploy|auth|product)"
    r"[ _-]?keys?)"
    r"(?![A-Za-z0-9_])|"
    r"密[码碼]|口令|密[钥鑰匙]|金鑰|令牌|[权權]杖|[验驗][证證][码碼]|私[钥鑰]|激活[码碼]|授[权權][码碼]"
)
_ABOUT = (  # it is about them, not one of them
    r"(?:'s)?[ _-]?(?:fields?|columns?|inputs?|box(?:es)?|forms?|limits?|lengths?|sizes?|counts?|"
    r"budgets?|polic(?:y|ies)|hash(?:es|ing)?|types?|names?|tables?|managers?|resets?|rotations?|"
    r"expiry|expiration|lifetimes?|ttl|buckets?|windows?|usage|prices?|costs?|pages?|screens?|"
    r"prompts?|strength|rules?|checks?|validat\w{2,5}|auth\b|authentication|based|endpoints?|"
    r"stor(?:e|age)|vaults?|services?|servers?|modules?|class(?:es)?|streams?|parsers?|rings?|"
    r"formats?|paths?|files?|headers?|cookies?|scopes?|scann\w{2,4}|handling|refresh\w{0,4}|urls?|"
    r"cach\w{1,3}|per second|context)\b|"
    r" ?的?(?:字段|输入框|框|长度|限制|上限|数量|页面?|功能|强度|规则|策略|找回|重置|过期|有效期|"
    r"管理|校验|加密|哈希|存储|表|列|格式|登录|认证|服务|模块|接口|文件|路径|刷新|轮换|泄露|缓存|类型|预算)"
)
_GIVEN = (  # "… is", "=", 是: what stands after it is the value
    r"[^,;，；。\n]{0,60}?(?:\b(?:is|was|are)\b(?: now)?|(?<![=!<>])=(?!=)|:(?!//)|->|"
    r"是|为|為|改成|改为|设成|设为|换成)"
    r"\s{0,3}[\"'“‘`]?([^\s,;，；。\"'”’`]+)"
)
_QUOTED = r"\s{0,3}[\"“'‘][^\"”'’\n]{3,60}[\"”'’]"

# After "is": what the credential is like, not what it is.
_LIKE = frozenset(
    "a an the in on at by of to for from with as not no never always only too also still just now "
    "and or but so very more less what how when where why who that this it they there here your "
    "our my their his her its one any some all each every both required optional mandatory wrong "
    "invalid weak strong long short empty missing broken hidden secret safe unsafe valid fine ok "
    "okay good bad new old kept sent set read out up down null none true false undefined unset "
    "plain public private shared dead stale fresh part gone lost known unknown case necessary "
    "available different same per bcrypt argon2 scrypt".split()
)
_LIKE_CHINESE = (
    "必填 必须 必要 加密 空 不 用户 存 从 从 在 由 明文 可选 错 无效 弱 否 有 没 什么 怎 哪 谁 "
    "随机 自动 一样 单独 独立 需要 什 多 手动 临时 旧 新 敏感 动态 通过 以 何 了 可以"
).split()
_KNOWN_WORDS = (  # of our trade: letters and digits, and no secret
    r"(?:py(?:thon)?|node|java|jdk|php|vue|http|utf-?|sha-?|md|[rhep]s|aes-?|rsa-?|base|oauth|auth|"
    r"argon|ed|x|s|ec|k|i|l|a|web|log|h|tls|v|win|ipv|mp|es|b|r|bcrypt|pbkdf|fido|totp|u|c|gpt-?|"
    r"llama-?|qwen-?|claude-?|o|rc|p|q|sprint|phase|level|rfc-?|cve-?|stage|step|mfa)"
    r"\d{1,5}(?:[a-z]{0,8}|[.-]\d{1,4}){0,3}"
)
_UNITS = (
    r"\s{0,2}(?:seconds?|secs?|s\b|minutes?|mins?\b|hours?|hrs?\b|h\b|days?|weeks?|months?|years?|"
    r"char(?:acter)?s?|digits?|bytes?|bits?|ms\b|times|tokens|requests|users|attempts|retries|%|"
    r"[KMG]B\b|k\b|位|个|天|秒|分|小时|字|年|月|周|次|条|块|元|毫秒|以内|以上|左右|行)"
)


@cache
def _compiled(pattern: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
    return re.compile(pattern, flags)


def holds_secret(text: str) -> str:
    """What kind of secret the text holds, in words for a log ("token"); "" if none is seen."""
    from unicodedata import category, normalize

    text = normalize("NFKC", text)
    if not text.isascii():
        text = "".join(c for c in text if category(c) != "Cf")
    for kind, pattern in _SHAPES.items():
        if _compiled(pattern).search(text):
            return kind
    if _compiled(_UPPER_KEY, 0).search(text):
        return "assigned credential"
    if any(_is_card(found[0]) for found in _compiled(_CARD).finditer(text)):
        return "card number"
    for clause in _compiled(r"[\n。！？]|[.!?](?:\s|$)").split(text):
        for start in range(0, max(1, len(clause)), _LONGEST):
            if _names_one(clause[start : start + _LONGEST]):
                return "named credential"
    for word in _compiled(r"[A-Za-z0-9+/_=.-]{20,}").finditer(text):
        if _is_random(word[0], before=text[max(0, word.start() - 40) : word.start()]):
            return "random text"
    return ""


def _names_one(clause: str) -> bool:
    """A credential is named, and something that may be its value stands beside it."""
    named = [
        found
        for found in _compiled(_NAMED).finditer(clause)
        if not _compiled(_ABOUT).match(clause, found.end())
    ]
    for found in named:
        if _compiled(_QUOTED).match(clause, found.end()):
            return True
        given = _compiled(_GIVEN).match(clause, found.end())
        counted = given is not None and found["many"] and given[1].isdigit()  # tokens of a model
        if given and not counted and _is_value(given[1], clause[given.end() :]):
            return True
    if named:
        inside = [range(found.start(), found.end()) for found in named]
        for word in _compiled(r"[^\s=,;，；、\"'“”‘’`()（）\u3400-\u9fff]+").finditer(clause):
            if not _looks_chosen(word[0], clause[word.end() : word.end() + 20]):
                continue
            if word[0].isdigit():  # a number before it is a port or a count
                if any(f.end() <= word.start() and not f["many"] for f in named):
                    return True
            elif not any(word.start() in span for span in inside):
                return True
    given = _compiled(r"\bkey\b" + _GIVEN).search(clause)  # "the key": only if it looks like one
    return bool(given and len(given[1]) >= 8 and _looks_chosen(given[1], ""))


def _is_value(word: str, rest: str) -> bool:
    """After "is": anything but a word that says what the credential is like."""
    if "\u3400" <= word[0] <= "\u9fff":
        return not word.startswith(tuple(_LIKE_CHINESE))
    word = re.split(r"[\u3400-\u9fff]", word)[0].rstrip(".!?:")
    if not word or word[0] in "$<{*([" or word.lower() in _LIKE:
        return False
    if word.isalpha() and word.islower() and word.endswith(("ed", "ing", "able", "ly")):
        return False
    if word.isdigit():
        return len(word) >= 3 and not _compiled(_UNITS).match(rest)
    return not _is_plain(word)


def _looks_chosen(word: str, rest: str) -> bool:
    """Letters with digits or signs in them, or many digits: chosen to be hard to guess."""
    bare = word.rstrip(".:?")
    if bare.isdigit():
        return len(bare) >= 4 and not _compiled(_UNITS).match(rest)
    bare = bare if re.search(r"[A-Z\d].*!$", bare) else bare.rstrip("!")
    if len(bare) < 4 or _is_plain(bare):
        return False
    letters = any(c.isalpha() for c in bare)
    return letters and bool(re.search(r"\d|[!@#$%^&*]", bare))


def _is_plain(word: str) -> bool:
    """A path, an address, a version, a date, a ticket, a setting's name, a word of the trade."""
    return bool(
        _compiled(
            r"(?:https?://|[./~@]|\.{1,2}/)\S*|[\w.@-]+/\S*|\d[\d.:/-]*[a-z%]{0,3}|v\d[\w.-]*|"
            r"[\w-]+\.(?:py|tsx?|jsx?|mjs|md|toml|ya?ml|json|go|rs|env|sh|txt|sql|ini|cfg|java|c|h)|"
            rf"#\d+|[\w.-]*=?\$\{{?\w+\}}?|{_KNOWN_WORDS}|--?[a-z][\w-]*(?:=.{{0,20}})?|[\w.+-]+@[\w-]+\.[\w.-]+"
        ).fullmatch(word)
        or _compiled(r"[A-Z]{1,8}[-_]?\d{1,5}|[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+", 0).fullmatch(word)
    )


def _is_card(written: str) -> bool:
    digits = [int(c) for c in written if c.isdigit()]
    if not 14 <= len(digits) <= 19 or len(set(digits)) == 1:
        return False
    doubled = (d if n % 2 == 0 else d * 2 - 9 * (d > 4) for n, d in enumerate(reversed(digits)))
    return sum(doubled) % 10 == 0


def _is_random(word: str, *, before: str) -> bool:
    """Characters of all kinds in no order. Names and paths change their kind seldom; a digest of a
    commit may stand anywhere, other digests where they are called so."""
    if _compiled(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|[0-9a-f]{40}").fullmatch(word):
        return False
    if _compiled(r"\b(?:sha\d*|md5|hash|digest|checksum|commit)|哈希|摘要|校验").search(before):
        return False
    if any(_changes_often(part) for part in re.split(r"[/._=-]", word) if len(part) >= 20):
        return True
    path = word.startswith(("/", ".", "~")) or re.search(r"\.\w{1,5}$", word)
    parts = "".join(c for c in word if c.isalnum())
    return not path and len(parts) >= 36 and not re.search(r"[._-]", word) and _changes_often(parts)


def _changes_often(word: str) -> bool:
    kinds = ["0" if c.isdigit() else "A" if c.isupper() else "a" for c in word if c != "+"]
    changes = sum(a != b for a, b in pairwise(kinds)) / max(1, len(kinds))
    if len(set(kinds)) == 3:
        return changes >= 0.4
    return "0" in kinds and len(set(kinds)) == 2 and changes >= 0.25
