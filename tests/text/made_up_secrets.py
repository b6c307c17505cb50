"""Secrets that nobody has: one maker for each kind, from what its provider documents.

No key stands in this file as it would be written: a prefix is joined with letters made by chance.
"""

from __future__ import annotations

import random
import string
from collections.abc import Callable
from typing import TypeAlias

Maker: TypeAlias = Callable[[random.Random], str]

LETTERS = string.ascii_letters + string.digits
URL = LETTERS + "-_"
LOWER = string.ascii_lowercase + string.digits
UPPER = string.ascii_uppercase + string.digits
HEX = "0123456789abcdef"
BASE64 = LETTERS + "+/"


def some(alphabet: str, size: int) -> Maker:
    """Begins and ends with a letter or digit and is of several kinds, as what is made by chance is
    as good as always."""

    def make(rng: random.Random) -> str:
        kinds = [
            k
            for k in (string.ascii_lowercase, string.ascii_uppercase, string.digits)
            if set(k) & set(alphabet)
        ]
        firm = [rng.choice(sorted(set(k) & set(alphabet))) for k in kinds]
        if size <= len(firm):
            return "".join(rng.choice(alphabet) for _ in range(size))
        middle = [rng.choice(alphabet) for _ in range(size - len(firm))]
        body = [*firm[1:], *middle]
        rng.shuffle(body)
        text = firm[0] + "".join(body)
        return text[:-1] + firm[-1] if not text[-1].isalnum() else text

    return make


def of(*parts: str | Maker) -> Maker:
    return lambda rng: "".join(p if isinstance(p, str) else p(rng) for p in parts)


def uuid(rng: random.Random) -> str:
    digits = "".join(rng.choice(HEX) for _ in range(32))
    return f"{digits[:8]}-{digits[8:12]}-4{digits[13:16]}-a{digits[17:20]}-{digits[20:]}"


def luhn(digits: str) -> str:
    """The digits with the one behind them that makes them a card's number."""
    doubled = [
        int(d) * 2 - 9 * (d > "4") if n % 2 == 0 else int(d) for n, d in enumerate(reversed(digits))
    ]
    return digits + str(-sum(doubled) % 10)


def resident(rng: random.Random) -> str:
    place = rng.choice(["110101", "310115", "440305", "510104"])
    born = f"{rng.randint(1950, 2015)}{rng.randint(1, 12):02}{rng.randint(1, 28):02}"
    digits = f"{place}{born}{rng.randint(1, 999):03}"
    weights = (7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2)
    return (
        digits + "10X98765432"[sum(int(d) * w for d, w in zip(digits, weights, strict=True)) % 11]
    )


def _card(start: str, size: int) -> Maker:
    return lambda rng: luhn(
        start + "".join(rng.choice("0123456789") for _ in range(size - 1 - len(start)))
    )


def _pem(name: str) -> Maker:
    dashes = "-" * 5
    body = of(*(of(some(BASE64, 64), "\n") for _ in range(3)))
    return of(f"{dashes}BEGIN {name}{dashes}\n", body, f"{dashes}END {name}{dashes}")


# By what is kept of each: the shape alone says what it is.
KEYS: dict[str, list[Maker]] = {
    "bethink key": [of("bk_", some(HEX, 16), "_", some(HEX, 64))],
    "github token": [
        *(of(f"gh{c}_", some(LETTERS, 36)) for c in "pousr"),
        of("github_pat_", some(LETTERS, 22), "_", some(LETTERS, 59)),
    ],
    "gitlab token": [
        *(of(f"gl{c}-", some(URL, 20)) for c in ("pat", "dt", "rt", "cbt", "ptt", "ft", "soat")),
        of("GR1348941", some(URL, 20)),
    ],
    "bitbucket password": [of("ATBB", some(LETTERS, 32))],
    "atlassian token": [of("ATATT3x", some(URL, 180), "=", some(UPPER, 8))],
    "sourcegraph token": [of("sgp_", some(HEX, 16), "_", some(HEX, 40))],
    "circleci token": [of("CCIPAT_", some(LETTERS, 22), "_", some(HEX, 40))],
    "buildkite token": [of("bkua_", some(HEX, 40))],
    "sonar token": [of(f"sq{c}_", some(HEX, 40)) for c in "pau"],
    "npm token": [of("npm_", some(LETTERS, 36))],
    "pypi token": [of("pypi-", "AgEIcHlwaS5vcmc", some(URL, 120))],
    "rubygems key": [of("rubygems_", some(HEX, 48))],
    "crates.io token": [of("cio", some(LETTERS, 32))],
    "nuget key": [of("oy2", some(LOWER, 43))],
    "clojars token": [of("CLOJARS_", some(HEX, 60))],
    "docker token": [of("dckr_pat_", some(URL, 27)), of("dckr_oat_", some(URL, 32))],
    "artifactory key": [of("AKCp", some(LETTERS, 69))],
    "artifactory token": [of("cmVmdGtu", some(LETTERS, 56))],
    "aws key id": [of(p, some(UPPER, 16)) for p in ("AK" + "IA", "AS" + "IA", "AB" + "IA")],
    "aws bedrock key": [of("ABSK", some(BASE64, 128), "=")],
    "aws session token": [of("IQoJb3JpZ2luX2Vj", some(BASE64, 300))],
    "google api key": [of("AI" + "za", some(URL, 35))],
    "google oauth token": [of("ya" + "29.", some(URL, 120))],
    "google refresh token": [of("1/" + "/0", some(URL, 60))],
    "google client secret": [of("GOC" + "SPX-", some(URL, 28))],
    "azure client secret": [of(some(LETTERS, 3), "8Q~", some(LETTERS, 34))],
    "azure devops token": [of(some(LETTERS, 76), "AZDO", some(LETTERS, 4))],
    "azure search key": [of(some(LETTERS, 42), "AzSe", some(LETTERS, 6))],
    "aliyun key id": [of("LT" + "AI", some(LETTERS, n)) for n in (12, 20)],
    "tencent cloud key id": [of("AK" + "ID", some(LETTERS, 32))],
    "baidu cloud key": [of("bce-v3/ALTAK-", some(LETTERS, 21), "/", some(HEX, 40))],
    "baidu cloud key id": [of("ALTAK", some(LETTERS, 27))],
    "volcengine key id": [of("AKLT", some(LETTERS, 43))],
    "ucloud key": [of(some(BASE64, 64), ".ucloud")],
    "digitalocean token": [of(f"do{c}_v1_", some(HEX, 64)) for c in "por"],
    "heroku key": [of("HRKU-AA", some(URL, 58))],
    "cloudflare key": [of("v1.0-", some(HEX, 24), "-", some(HEX, 146))],
    "cloudflare token": [of("cfut_", some(LETTERS, 48))],
    "fly.io token": [of("fm2_", some(BASE64, 120))],
    "netlify token": [of("nfp_", some(LETTERS, 36))],
    "vercel token": [of("vcp_", some(LETTERS, 56))],
    "render key": [of("rnd_", some(LETTERS, 28))],
    "scaleway key id": [of("SCW", some(UPPER, 17))],
    "yandex cloud key": [of("AQVN", some(URL, 36))],
    "databricks token": [of("dapi", some(HEX, 32))],
    "doppler token": [of("dp.st.dev.", some(LETTERS, 43)), of("dp.pt.", some(LETTERS, 43))],
    "vault token": [of("hvs.", some(URL, 90)), of("hvb.", some(URL, 140))],
    "terraform token": [of(some(LETTERS, 14), ".atlasv1.", some(URL, 67))],
    "pulumi token": [of("pul-", some(HEX, 40))],
    "tailscale key": [of("tskey-auth-", some(LETTERS, 12), "-", some(LETTERS, 32))],
    "1password token": [of("ops_eyJ", some(BASE64, 400))],
    "1password key": [
        of(
            "A3-",
            some(UPPER, 6),
            "-",
            some(UPPER, 11),
            *(of("-", some(UPPER, 5)) for _ in range(3)),
        )
    ],
    "age key": [of("AGE-SECRET-KEY-1", some(UPPER, 58))],
    "infracost key": [of("ico-", some(LETTERS, 32))],
    "prefect key": [of("pnu_", some(LETTERS, 36))],
    "supabase key": [of("sbp_", some(HEX, 40)), of("sb_secret_", some(URL, 31))],
    "planetscale token": [of("pscale_tkn_", some(URL, 43)), of("pscale_pw_", some(URL, 43))],
    "neon key": [of("napi_", some(LOWER, 64))],
    "mongodb atlas secret": [of("mdb_sa_sk_", some(URL, 40))],
    "airtable token": [of("pat", some(LETTERS, 14), ".", some(HEX, 64))],
    "pinecone key": [of("pcsk_", some(LETTERS, 6), "_", some(LETTERS, 63))],
    "dynatrace token": [of("dt0c01.", some(UPPER, 24), ".", some(UPPER, 64))],
    "grafana token": [
        of("glsa_", some(LETTERS, 32), "_", some(HEX, 8)),
        of("glc_eyJ", some(LETTERS, 80)),
    ],
    "new relic key": [of("NRAK-", some(UPPER, 27)), of("NRJS-", some(HEX, 19))],
    "sentry token": [of("sntrys_eyJ", some(BASE64, 100)), of("sntryu_", some(HEX, 64))],
    "contentful token": [of("CFPAT-", some(URL, 43))],
    "anthropic key": [
        of("sk-" + "ant-api03-", some(URL, 93), "AA"),
        of("sk-" + "ant-oat01-", some(URL, 80)),
    ],
    "openrouter key": [of("sk-" + "or-v1-", some(HEX, 64))],
    "openai key": [of("sk-" + "proj-", some(URL, 156)), of("sk-" + "svcacct-", some(URL, 120))],
    "langfuse key": [of("sk-" + "lf-", uuid)],
    "llm key": [  # DeepSeek, DashScope, Moonshot, older ones of OpenAI
        of("sk-", some(HEX, 32)),
        of("sk-", some(LETTERS, 48)),
        of("sk-step-", some(LETTERS, 40)),
    ],
    "groq key": [of("gsk_", some(LETTERS, 52))],
    "xai key": [of("xai-", some(LETTERS, 80))],
    "hugging face token": [of("hf_", some(string.ascii_letters, 34))],
    "replicate token": [of("r8_", some(LETTERS, 37))],
    "perplexity key": [of("pplx-", some(LETTERS, 48))],
    "fireworks key": [of("fw_", some(LETTERS, 22))],
    "nvidia key": [of("nvapi-", some(URL, 64))],
    "cerebras key": [of("csk-", some(LOWER, 48))],
    "together key": [of("tgp_v1_", some(URL, 43))],
    "elevenlabs key": [of("sk_", some(HEX, 48))],
    "langsmith key": [of("lsv2_pt_", some(HEX, 32), "_", some(HEX, 10))],
    "llamacloud key": [of("llx-", some(LETTERS, 48))],
    "jina key": [of("jina_", some(URL, 60))],
    "tavily key": [of("tvly-", some(LETTERS, 32))],
    "firecrawl key": [of("fc-", some(HEX, 32))],
    "voyage key": [of("pa-", some(URL, 43))],
    "mem0 key": [of("m0-", some(LETTERS, 40))],
    "e2b key": [of("e2b_", some(HEX, 40))],
    "apify token": [of("apify_api_", some(LETTERS, 36))],
    "coze token": [of("pat_", some(LETTERS, 64))],
    "dify key": [of("app-", some(LETTERS, 24)), of("dataset-", some(LETTERS, 24))],
    "zhipu key": [of(some(HEX, 32), ".", some(LETTERS, 16))],
    "slack token": [
        of(
            "xox" + "b-",
            some("0123456789", 12),
            "-",
            some("0123456789", 12),
            "-",
            some(LETTERS, 24),
        ),
        of("xapp-1-", some(UPPER, 11), "-", some("0123456789", 13), "-", some(HEX, 64)),
    ],
    "telegram token": [of(some("123456789", 10), ":AA", some(URL, 33))],
    "discord token": [of("M", some(LETTERS, 25), ".", some(LETTERS, 6), ".", some(LETTERS, 38))],
    "dingtalk secret": [of("SEC", some(HEX, 64))],
    "serverchan key": [of("SCT", some("0123456789", 6), "T", some(LETTERS, 26))],
    "stripe key": [of(f"{a}k_{b}_", some(LETTERS, 24)) for a in "sr" for b in ("live", "test")],
    "webhook secret": [of("whsec_", some(BASE64, 32))],
    "square token": [of("sq0csp-", some(URL, 43)), of("EAAA", some(URL, 60))],
    "paypal token": [of("access_token$production$", some(LOWER, 16), "$", some(HEX, 32))],
    "shopify token": [of(f"shp{c}_", some(HEX, 32)) for c in ("at", "ca", "pa", "ss")],
    "razorpay key": [of("rzp_live_", some(LETTERS, 14))],
    "flutterwave key": [of("FLWSECK_TEST-", some(HEX, 32), "-X")],
    "easypost key": [of("EZAK", some(LETTERS, 54))],
    "shippo token": [of("shippo_live_", some(HEX, 40))],
    "duffel token": [of("duffel_live_", some(URL, 43))],
    "sendgrid key": [of("SG.", some(URL, 22), ".", some(URL, 43))],
    "mailgun key": [of("key-", some(HEX, 32))],
    "mailchimp key": [of(some(HEX, 32), "-us21")],
    "brevo key": [of("xkeysib-", some(HEX, 64), "-", some(LETTERS, 16))],
    "resend key": [of("re_", some(LETTERS, 8), "_", some(LETTERS, 24))],
    "twilio key": [of("SK", some(HEX, 32))],
    "postman key": [of("PMAK-", some(HEX, 24), "-", some(HEX, 34))],
    "notion token": [of("ntn_", some(LETTERS, 46)), of("secret_", some(LETTERS, 43))],
    "linear key": [of("lin_api_", some(LETTERS, 40))],
    "figma token": [of("figd_", some(URL, 40))],
    "hubspot token": [of("pat-na1-", uuid)],
    "typeform token": [of("tfp_", some(LETTERS, 44), "_", some(LETTERS, 14))],
    "readme key": [of("rdme_", some(LOWER, 70))],
    "adafruit key": [of("aio_", some(LETTERS, 28))],
    "frame.io token": [of("fio-u-", some(URL, 64))],
    "launchdarkly key": [of("sdk-", uuid), of("api-", uuid)],
    "okta token": [of("SSWS 00", some(URL, 40))],
    "dropbox token": [of("sl.", some(URL, 136))],
    "facebook token": [of("EAA", some(LETTERS, 120))],
    "twitter token": [of("A" * 21, some(LETTERS, 80))],
    "mapbox token": [of("sk.eyJ", some(LETTERS, 60), ".", some(LETTERS, 22))],
    "ngrok key": [of("ak_", some(LETTERS, 48))],
    "jwt": [of("eyJ", some(URL, 33), ".eyJ", some(URL, 80), ".", some(URL, 43))],
    "private key": [
        _pem("PRIVATE " + "KEY"),
        _pem("OPENSSH PRIVATE " + "KEY"),
        _pem("RSA PRIVATE " + "KEY"),
        _pem("PGP PRIVATE " + "KEY BLOCK"),
        of("Private-Lines: 2\n", some(BASE64, 64), "\n", some(BASE64, 40)),
    ],
    "card number": [
        _card("4", 16),
        _card("52", 16),
        _card("37", 15),
        _card("6225", 16),
        _card("6217", 19),
    ],
    "resident id": [resident],
}
