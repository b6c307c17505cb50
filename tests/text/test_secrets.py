"""What is a secret, what is only about secrets, and that looking takes time in proportion."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text.secrets import holds_secret

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
    ],
    "address with a password": [
        "remember postgres://admin:S3cretPw@db.example.com/prod",
        "always log in with mei:hunter2@proxy:8080",
        "缓存是 redis://:p4ss@cache:6379/0",
        "https://api.example.com/v1?api_key=abcd1234",
    ],
    "address that is a key": [
        "always use the Slack hook https://hooks.slack.com/services/T000/B000/XXXXXXXXXXXXXXXX"
    ],
    "authorization header": [
        "from now on use Authorization: Bearer abc.def.ghi",
        "请求头加 Bearer 8f14e45fceea167a5a36dedad4bea254",
    ],
    "login": ["remember the login admin / S3cretPw!", "记住管理员账号 admin / Zx9!kk22"],
    "PIN": ["remember PIN 4921", "门禁 PIN 码是 4921"],
    "identity number": ["记住我的身份证号 110101199003078888", "my passport is E12345678"],
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


@pytest.mark.parametrize(
    ("kind", "text"), [(kind, text) for kind, texts in SECRETS.items() for text in texts]
)
def test_secrets(kind: str, text: str) -> None:
    assert holds_secret(text) == kind
    assert holds_secret(f"Fix the bug. 修一下。\n{text}\nThanks 谢谢") == kind


@pytest.mark.parametrize("text", NONE)
def test_no_secrets(text: str) -> None:
    assert holds_secret(text) == ""


@given(st.text(max_size=300))
def test_any_text_can_be_asked_about(text: str) -> None:
    assert isinstance(holds_secret(text), str)


@pytest.mark.parametrize(
    "unit",
    ["a", "密码 ", "password ", "a:b@", "://a:", "411 ", "token: ", "AB_", "/a", "login / ", "A1."],
)
def test_long_texts_are_no_trap(unit: str) -> None:
    """Each of these would take hours if the time grew with the square of the length."""
    holds_secret(unit * (1_000_000 // len(unit)))
