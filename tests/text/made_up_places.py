"""Secrets that nobody has, in the places that give them away: "{}" is the secret."""

from __future__ import annotations

import string

from tests.text.made_up_secrets import (
    BASE64,
    HEX,
    LETTERS,
    LOWER,
    UPPER,
    URL,
    Maker,
    of,
    some,
    uuid,
)

IN_PLACE: dict[str, list[tuple[str, Maker]]] = {
    "password in an address": [
        ("postgres://admin:{}@db.example.com:5432/prod", some(LETTERS, 14)),
        ("缓存是 redis://:{}@cache:6379/0", some(LETTERS, 9)),
        ("log in with mei:{}@proxy:8080", some(LETTERS, 10)),
    ],
    "key in an address": [
        ("https://api.example.com/v1?api_key={}", some(LETTERS, 20)),
        ("https://example.com/cb?state=1&access_token={}&x=1", some(URL, 30)),
    ],
    "slack webhook": [
        (
            "https://hooks." + "slack.com/services/{}",
            of("T", some(UPPER, 8), "/B", some(UPPER, 8), "/", some(LETTERS, 24)),
        )
    ],
    "discord webhook": [("https://discord.com/api/webhooks/123456789012345678/{}", some(URL, 68))],
    "teams webhook": [
        (
            "https://acme.webhook.office.com/webhookb2/{}",
            of(uuid, "@", uuid, "/IncomingWebhook/", some(HEX, 32)),
        )
    ],
    "feishu webhook": [("https://open.feishu.cn/open-apis/bot/v2/hook/{}", uuid)],
    "wecom webhook": [("企业微信 https://qyapi.weixin.qq.com/cgi-bin/webhook/send?key={}", uuid)],
    "dingtalk webhook": [
        ("钉钉 https://oapi.dingtalk.com/robot/send?access_token={}", some(HEX, 64))
    ],
    "zapier webhook": [
        ("https://hooks.zapier.com/hooks/catch/{}/", of(some("123456789", 7), "/", some(LOWER, 7)))
    ],
    "serverchan key": [("https://sctapi.ftqq.com/{}.send", some(LETTERS, 34))],
    "azure storage key": [
        ("DefaultEndpointsProtocol=https;AccountName=acme;AccountKey={}==", some(BASE64, 86))
    ],
    "azure access key": [("Endpoint=sb://acme.net/;SharedAccessKey={}=", some(BASE64, 43))],
    "azure signature": [("SharedAccessSignature={}", some(LETTERS, 60))],
    "authorization": [
        ("Authorization: Bearer {}", some(LETTERS, 24)),
        ("请求头加 Bearer {}", some(HEX, 32)),
        ("curl -H 'X-Api-Key: {}'", some(LETTERS, 24)),
        ("Authorization: Basic {}", some(BASE64, 24)),
    ],
    "cookie": [("Cookie: session={}; theme=dark", some(LETTERS, 32))],
    "password": [
        ("the database password is {}", some(LETTERS, 10)),
        ('password = "{}"', some(LETTERS, 12)),
        ("DB_PASSWORD={}", some(LETTERS, 12)),
        ('{{"password": "{}"}}', some(LETTERS, 12)),
        ("Server=db;User Id=sa;Password={};", some(LETTERS, 12)),
        ("数据库密码是 {}，别忘了", some(LETTERS, 10)),
        ("口令：{}", some(LETTERS, 8)),
        ("密码{}", some(LETTERS, 8)),
        ("wifi 密码改成 {} 了", some(LETTERS, 10)),
        ("pwd: {}", some(LETTERS, 9)),
        ("machine example.com login mei password {}", some(LETTERS, 10)),
        ("curl -u mei:{} https://example.com", some(LETTERS, 12)),
        ("账号 admin / {}", of("Zx9!", some(LETTERS, 6))),
        ("PIN 码是 {}", some("123456789", 6)),
    ],
    "credential": [
        ("api_key: {}", some(LETTERS, 24)),
        ("client_secret = '{}'", some(LETTERS, 32)),
        ("aws_secret_access_key = {}", some(BASE64, 40)),
        ("our token is {}", some(LETTERS, 20)),
        ("文心的密钥：{}", some(LETTERS, 32)),
        ("appSecret={}", some(HEX, 32)),
        ("令牌是 {}", some(LETTERS, 20)),
    ],
    "recovery phrase": [
        (
            'mnemonic: "{}"',
            lambda rng: " ".join(some(string.ascii_lowercase, 6)(rng) for _ in range(12)),
        )
    ],
    "passport number": [("my passport is {}", of("E", some("0123456789", 8)))],
    "social security number": [
        (
            "SSN: {}",
            lambda rng: f"{rng.randint(100, 665)}-{rng.randint(10, 99)}-{rng.randint(1000, 9999)}",
        )
    ],
}
