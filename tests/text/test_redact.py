"""No secret is left in a text, and nothing else is taken out of it."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bethink.text import secret_checks, secret_labels
from bethink.text.linear import linear
from bethink.text.redaction import Redacted, has_trace, kinds_marked, redact, redaction_note
from bethink.text.secret_rules import groups
from tests.text.made_up_places import IN_PLACE
from tests.text.made_up_secrets import KEYS
from tests.text.test_secret_doubts import NONE

AROUND = [
    "{}",
    "Deploy with {} on Friday.",
    "部署时用 {}，周五之前。",
    "记住{}谢谢",
    '{{"value": "{}", "n": 1}}',
    "a\n{}\nb",
    "- `{}`\n- next",
    "line\\n{}\\nline",
    "({}) “{}”",
    "偏好 dark mode；key＝{}。",
]


def _made(maker: object, seed: int) -> str:
    assert callable(maker)
    return str(maker(random.Random(seed)))


@pytest.mark.parametrize("kind", KEYS)
def test_a_key_is_known_by_its_shape_wherever_it_stands(kind: str) -> None:
    for maker in KEYS[kind]:
        for seed, around in enumerate(AROUND):
            secret = _made(maker, seed)
            text = around.format(secret, secret)
            done = redact(text)
            assert secret not in done.text
            assert f"[redacted: {kind}]" in done.text, (text, done)
            assert done.text == around.format(*[f"[redacted: {kind}]"] * 2), text
            assert redact(done.text) == Redacted(done.text, ())


@pytest.mark.parametrize("kind", IN_PLACE)
def test_a_secret_is_known_by_what_stands_around_it(kind: str) -> None:
    for around, maker in IN_PLACE[kind]:
        for seed in range(20):
            secret = _made(maker, seed)
            text = f"看这里：\n{around.format(secret)}\nThanks 谢谢"
            done = redact(text)
            assert secret not in done.text, text
            assert kind in done.kinds, (text, done)
            assert done.text.startswith("看这里：\n") and done.text.endswith("\nThanks 谢谢")
            assert redact(done.text) == Redacted(done.text, ())


def test_every_row_of_the_table_has_its_example() -> None:
    kinds = {rule.kind for group in groups() for rule in group.rules}
    assert kinds <= KEYS.keys() | IN_PLACE.keys()
    assert len(kinds) >= 120


def test_every_pattern_is_linear() -> None:
    """RE2 compiles them all, by itself: what needs looking back does not compile."""
    for rule in (rule for group in groups() for rule in group.rules):
        assert linear(rule.shape).groups <= 1
        assert not rule.check or rule.check in secret_checks.CHECKS
    for group in groups():
        assert linear(group.trace, bare=True)
    for name, pattern in vars(secret_labels).items():
        if isinstance(pattern, str) and name.startswith("_") and not name.startswith("__"):
            assert linear(pattern), name
    assert type(linear("a")).__module__.startswith("re2")


@pytest.mark.parametrize(
    "text",
    [
        *NONE,
        "Tokens: 4096 in, 512 out; password length 12 to 64",
        "密码长度为 20，密码强度为高，密码是必填的，令牌上限 8000",
        "the password is required; the password is stored hashed; a password is not a secret",
        "password: str, token: Optional[str] = None, secret = get_secret()",
        "api_key=os.environ['API_KEY'], password=self.password, token = tokens[0]",
        'password = "" and token = "${TOKEN}" or {{ secrets.TOKEN }} or <your-token> or ****',
        "commit 3f2b8c1e9d474e0ab6aa0c1d2e3f4a5b6c7d8e9f and 3f2b8c1",
        '"integrity": "sha512-9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08=="',
        'hash = "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"',
        "550e8400-e29b-41d4-a716-446655440000",
        "![logo](data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAUA/AK"
        + "IAABCDEFGHIJKLMNOP/AAAFCAYAAACNbyblAAAAHElEQVQI12P4)",
        "https://user@example.com/a:b@c and mailto:mei2@example.com and git@github.com:a/b.git",
        "https://example.com/?page=2&sort=newest&theme=dark",
        "order 4111111111111111 is late, 订单号 6225880137706868 已关闭",
        "epoch 1700000000000000 and 20261116103000123",
        "see task-management-for-everybody-2024 and risk-assessment-of-the-quarter",
        "ASIA is large, AKIA is a word, sk-learn and sk-image are libraries",
        "a second pass in other words when little was found",
        "the pin is loose; pin react to 18.2.0; pinned at 4921 m",
        "The secret is patience. 秘密是耐心。",
        "身份证丢了要补办，护照也是",
        "[redacted: github token] and password = [redacted: password]",
    ],
)
def test_what_is_about_secrets_stays(text: str) -> None:
    assert redact(text) == Redacted(text, ())


@pytest.mark.parametrize(
    "card", ["4111111111111111", "4111 1111 1111 1111", "4111-1111-1111-1111", "3782 822463 10005"]
)
@pytest.mark.parametrize("behind", [" 0", " 123", " 12/27", " 2027", " 3 张"])
def test_a_card_with_another_number_behind_it(card: str, behind: str) -> None:
    for before in ("卡号 ", "pay with "):
        done = redact(f"{before}{card}{behind}")
        assert done.kinds == ("card number",)
        assert card not in done.text and done.text.startswith(before)


@pytest.mark.parametrize(
    "card", ["4111111111111111", "4111 1111 1111 1111", "4111-1111-1111-1111", "3782 822463 10005"]
)
@pytest.mark.parametrize(
    "before", ["2026 ", "5555 4444 ", "room 3141, ", "12 34 ", "分机 6225 8801 "]
)
def test_a_card_with_other_numbers_before_it(card: str, before: str) -> None:
    done = redact(f"{before}{card} 到期")
    assert done.text == f"{before}[redacted: card number] 到期"


def test_readings_are_no_cards() -> None:
    """Of four in a row every tenth passes for one."""
    for line in (
        "Meter readings (kWh): 4137 4899 4374 4099 4036 4139 4506 4822",
        "电表读数 4000 0000 0000 0002 4137 4899 4374 4099 千瓦时",
        "5105-1051-0510-5100-4137-4899-4374",
    ):
        assert redact(line).text == line


def test_cards_in_a_row_are_cards() -> None:
    done = redact("卡 4111 1111 1111 1111 5105 1051 0510 5100 都丢了")
    assert "1111" not in done.text and "5105" not in done.text
    assert done.text.startswith("卡 [redacted: card number]")


def test_many_numbers_that_are_no_cards_are_read_once_each() -> None:
    """In groups for ever: each is looked at, and the text is left as it is."""
    text = "4000 0000 " * 20_000
    assert redact(text).text == text


def test_in_full_width_and_with_unseen_signs() -> None:
    assert (
        redact("ＰＡＳＳＷＯＲＤ：ｈｕｎｔｅｒ２ 好").text
        == "ＰＡＳＳＷＯＲＤ：[redacted: password] 好"
    )
    token = "gh" + "p_" + "aB3" * 12
    hidden = "\u200b".join(token)
    assert redact(f"用 {hidden} 部署").text == "用 [redacted: github token] 部署"
    assert redact("👨\u200d👩\u200d👧 家庭").kinds == ()


def test_where_two_overlap_both_go() -> None:
    token = "gh" + "p_" + "aB3" * 12
    done = redact(f"token={token}xyz&password={token}")
    assert token not in done.text and "xyz" not in done.text
    assert done.kinds[0] == "github token"


@pytest.mark.parametrize(
    "around", ["token: {}", 'token = "{}"', "密码是{}了", "密码：「{}」。", "pwd={}. Ok"]
)
def test_a_long_value_goes_to_its_end(around: str) -> None:
    secret = "aB3" * 100
    kind = "credential" if "token" in around else "password"
    assert redact(around.format(secret)).text == around.format(f"[redacted: {kind}]")


def test_what_was_found_is_counted_and_never_shown() -> None:
    tokens = ["gh" + "p_" + letter * 36 for letter in "ab"]
    done = redact(f"{tokens[0]} {tokens[1]} 密码是 Abc@1234")
    assert done.kinds == ("github token", "github token", "password")
    assert redaction_note(done.kinds) == "redacted: 2 github token, 1 password"
    assert redaction_note(()) == ""
    assert kinds_marked(done.text) == done.kinds


def test_a_text_without_a_trace_is_the_same_object() -> None:
    text = "Mei prefers dark mode. 小美喜欢深色主题。"
    assert not has_trace(text)
    assert redact(text).text is text


MAKERS = [maker for makers in KEYS.values() for maker in makers]


@given(st.text(max_size=60), st.sampled_from(MAKERS), st.integers(0, 10**6), st.text(max_size=60))
def test_any_text_around_it(before: str, maker: object, seed: int, after: str) -> None:
    secret = _made(maker, seed)
    done = redact(f"{before} {secret} {after}")
    assert secret not in done.text
    assert redact(done.text) == Redacted(done.text, ())
    assert redact(f"{before} {secret} {after}") == done


@given(st.text(max_size=400))
def test_any_text_can_be_redacted_and_twice_is_once(text: str) -> None:
    done = redact(text)
    assert redact(done.text).text == done.text


@pytest.mark.parametrize(
    "unit",
    ["a", "密码 ", "password ", "password=", "token=token=", "a:b@", "://a:", "4111 ", "sk-",
     "AB_KEY=", "/a", "login / ", "-----BEGIN PRIVATE KEY-----", "eyJ.", "Bearer ", "\u200b",
     "[redacted: x] ", "密码是", "cookie: a=", "data:image/png;base64,", "?token="],
)  # fmt: skip
def test_long_texts_are_no_trap(unit: str) -> None:
    """Each of these would take hours if the time grew with the square of the length."""
    redact(unit * (300_000 // len(unit)))
