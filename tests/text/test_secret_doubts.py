"""What may be a secret, what is only about secrets, and that looking takes time in proportion."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.redaction import redact
from bethink.text.secret_doubts import may_hold_secret

SECRETS = {
    "named credential": [
        "Remember the db password hunter2",
        "remember that my API key for the staging environment of billing is abcd1234",
        "remember my passwd: foo",
        "the password for the wifi is swordfish",
        "the password of root is toor",
        "hunter2 is the db password",
        "use Tr0ub4dor as the password",
        "remember the private key path and pass-phrase 'open sesame'",
        "API key: abcd",
        "the key is 9f8a7b6c5d4e3f2a",
        "ＰＡＳＳＷＯＲＤ：ｈｕｎｔｅｒ２",
        "pass\u200bword: hunter2",
        "记住数据库密码 Abc@1234",
        "记住 root 密码用 Abc@1234",
        "记住服务器账号 root，口令 Passw0rd!",
        "记住 wifi 密码 88888888",
        "记住密码：abc",
        "口令是天王盖地虎",
        "admin 的密码为 root",
        "密碼是 Abc12345",
        "验证码 482913",
    ],
    "assigned credential": [
        "always export AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMI",
        "记住 SECRET_KEY=abc123",
        "remember DB_PASS=abc123",
        "export STRIPE_KEY=abc",
        "记住 api_key=xyz",
    ],
    "token": [
        "remember AIzaSyA1234567890abcdefghijklmnopqrstuvw",
        "remember hf_abcdefghijklmnopqrstuvwxyzABCDEFGH",
        "remember npm_abcdefghijklmnopqrstuvwxyz0123456789",
        "记住 api_key 用 sk-proj-abcdefghijklmnop",
        "remember bot token 123456789:AAE-abcdefghijklmnopqrstuvwx",
        "remember ghp_m9M6YcZgGzWNZiq, the rest is cut off",
        "记住 AKIA0123456789AB",
    ],
    "address with a password": [
        "remember postgres://admin:S3cretPw@db.example.com/prod",
        "always log in with mei:hunter2@proxy:8080",
        "缓存是 redis://:p4ss@cache:6379/0",
        "https://api.example.com/v1?api_key=abcd1234",
        "https://api.example.com/v1?key=abcd",
        "mei:s3cret@db.example.com",
    ],
    "address that is a key": [
        "always use the Slack hook https://hooks.slack.com/services/T000/B000/XXXXXXXXXXXXXXXX"
    ],
    "authorization header": [
        "from now on use Authorization: Bearer abc.def.ghi",
        "Authorization: abcd",
        "use bearer abc12345",
        "请求头加 Bearer 8f14e45fceea167a5a36dedad4bea254",
    ],
    "login": [
        "remember the login admin / S3cretPw!",
        "记住管理员账号 admin / Zx9!kk22",
        "creds are admin/hunter2",
    ],
    "PIN": ["remember PIN 4921", "门禁 PIN 码是 4921", "PIN 492"],
    "identity number": [
        "记住我的身份证号 110101199003078888",
        "my passport is E12345678",
        "my bank account is 123456789",
        "记住银行卡 6222 0212 3456",
    ],
    "card number": ["remember my card 4111 1111 1111 1111", "卡 4111111111111111"],
    "private key": ["-----BEGIN OPENSSH PRIVATE KEY-----"],
    "random text": [
        "staging uses 7Hq2LmZx9RtVbN4kWc8Yp3Sd",
        "记住 8f14e45fceea167a5a36dedad4bea254",
    ],
}
NONE = [
    "",
    "from now on the token limit is 4096",
    "Remember the password field is called pwd_hash",
    "Always store the token: in a cookie, never in localStorage",
    "Always put commit 3f2b8c1e9d474e0ab6aa0c1d2e3f4a5b6c7d8e9f in the note",
    "Remember /very/long/path/to/some/module/with/many/parts/file.py is generated",
    "Passwords must have at least 12 characters",
    "The token is stored in a cookie",
    "JWT tokens are signed with RS256",
    "API keys live in config/prod1.yaml",
    "The token is read from AUTH0_TOKEN",
    "DB_PASSWORD=$DB_PASSWORD comes from the vault",
    "Always pin react to 18.2.0",
    "Never log tokens or passwords",
    "The primary key is user_id",
    "Use sha256 for the password",
    "contact mei@example.com about the tokens",
    "git@github.com:mei/lantern.git is the remote",
    "the request id is 550e8400-e29b-41d4-a716-446655440000",
    "getUserNamesByAccountIdentifierV2 is deprecated",
    "set max_tokens=4096, the limit is 8000 tokens",
    "Bearer authentication is required",
    "epoch 1700000000000 is in ms",
    "See https://github.com/org/repo/blob/main/src/components/UserProfileCard2.tsx",
    "记住 token 长度限制是 4096",
    "以后密码输入框的长度为 20",
    "密码至少 12 位",
    "令牌过期时间为 30 分钟",
    "密码必须加密存储",
    "密码是必填的",
    "以后不要把密码写进日志",
    "token 要放在 header 里",
    "订单号 20261116103000123 已关闭",
    "记住测试库端口是5433",
]


# What is only in doubt stays in a text that is redacted: it may be a digest, or a word.
ONLY_IN_DOUBT = [
    "API key: abcd",
    "the key is 9f8a7b6c5d4e3f2a",
    "口令是天王盖地虎",
    "staging uses 7Hq2LmZx9RtVbN4kWc8Yp3Sd",
    "记住 8f14e45fceea167a5a36dedad4bea254",
]


@pytest.mark.parametrize("text", [text for texts in SECRETS.values() for text in texts])
def test_secrets(text: str) -> None:
    assert may_hold_secret(text)
    assert may_hold_secret(f"Fix the bug. 修一下。\n{text}\nThanks 谢谢")


@pytest.mark.parametrize("text", ONLY_IN_DOUBT)
def test_what_is_only_in_doubt_is_not_redacted(text: str) -> None:
    assert may_hold_secret(text)
    assert redact(text).kinds == ()


VALUES = ["hunter2", "swordfish", "abcd", "482913", "'open sesame'", "天王盖地虎", "Abc@1234"]
SENTENCES = [
    "remember the {name} is {value}",
    "{name}: {value}",
    "always set {name} = {value}",
    "the {name} we use on staging is {value}",
    "记住{name}是{value}",
    "{name}改成{value}了",
    "the {name} for the db is {value}",
]


@pytest.mark.parametrize("name", ["password", "token", "API key", "密码", "口令", "令牌", "验证码"])
@pytest.mark.parametrize("sentence", SENTENCES)
def test_whatever_a_credential_is_said_to_be(name: str, sentence: str) -> None:
    for value in VALUES:
        assert may_hold_secret(sentence.format(name=name, value=value)), value


@pytest.mark.parametrize(
    "text",
    [
        *NONE,
        'curl http://127.0.0.1:8321/v1/memories -H "Authorization: Bearer $KEY"',
        'export PATH="$PWD/.venv/bin:$PATH"',
        "the tools pin old versions of trufflehog3",
        "token == other_token and secret != expected",
        '{"text": "…", "tokens": 1, "status": "answered"}',
    ],
)
def test_no_secrets(text: str) -> None:
    assert not may_hold_secret(text)


@given(st.text(max_size=300))
def test_any_text_can_be_asked_about(text: str) -> None:
    assert may_hold_secret(text) in (True, False)


@pytest.mark.parametrize(
    "unit",
    ["a", "密码 ", "password ", "a:b@", "://a:", "411 ", "token: ", "AB_", "/a", "login / ", "A1."],
)
def test_long_texts_are_no_trap(unit: str) -> None:
    """Each of these would take hours if the time grew with the square of the length."""
    may_hold_secret(unit * (1_000_000 // len(unit)))
