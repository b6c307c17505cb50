"""What in the user's own words is worth keeping, by rules in both languages: "remember that …",
"from now on", "always", "never", 记住, 以后, 不要.

A sentence is kept as it was written. Left out are questions, what is quoted, code, what is asked
not to be kept, and what looks like a secret. A rule that errs costs little: what is captured is
marked as captured, with little confidence, and shows where it came from.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

_LEAST, _MOST = 6, 500  # characters of a sentence; shorter says nothing, longer is no rule
_LEAST_CHINESE = 4
_MOST_READ = 50_000  # of a message; what is longer was pasted

# Blocks that agents and we ourselves put into messages; none of it is what the user wrote. One that
# is not closed reaches to the end.
_OTHERS = (
    r"recollect-memory|recollect-primer|system-reminder|system_reminder|environment_context|user_instructions|"
    r"INSTRUCTIONS|permissions[ _]instructions|command-[a-z-]+|local-command-[a-z-]+|"
    r"bash-(?:input|stdout|stderr)|task-notification|attached_files|open_and_recently_viewed_files|"
    r"git_status|rules|available_skills|skills_instructions|hook_context|turn_aborted"
)


class Learned(NamedTuple):
    text: str
    rule: str


@cache
def _patterns() -> dict[str, re.Pattern[str]]:
    """Compiled at first use: most turns teach nothing, and then this is all that they cost."""
    flags = re.IGNORECASE
    polite = r"(?:(?:please|pls|ok|okay|also|and|but|so|hey|well|btw|by the way)[,:]?\s+)*"
    begin = rf"(?:^|[,;:]\s*){polite}"
    gently = r"^(?:请|麻烦|另外|还有|对了|注意|那么|那|好的?|嗯)?[，,：:、\s]*(?:请|麻烦)?"
    return {
        "remember": re.compile(
            rf"{begin}(?:(?:can|could|will|would) you )?(?:do |always )?"
            r"(?:remember|keep in mind|bear in mind|don't forget|do not forget|make a note|"
            r"take note|note)\b(?!\s+(?:when|how|why|if|what)\b)[\s:,]+(?:that\b|to\b|this\b|:)?",
            flags,
        ),
        "from now on": re.compile(
            r"\b(?:from now on|from here on|going forward|in (?:the )?future|next time|"
            r"henceforth|for future reference|from today)\b",
            flags,
        ),
        "always": re.compile(
            rf"{begin}(?:you (?:should|must) |we |I )?"
            r"(?:always|never|under no circumstances|don't ever|do not ever|make sure to always)"
            r"\s+\w",
            flags,
        ),
        "prefer": re.compile(rf"{begin}(?:I|we|the team|my team)(?:'d| would)? prefer\b", flags),
        "记住": re.compile(
            gently + r"(?:你|您)?(?:要|得|一定要|务必|帮我|替我)?"
            r"(?:记住|记得|记下来?|牢记|记一下|别忘了?|不要忘记?了?)"
        ),
        "以后": re.compile(
            r"(?:^|[，,；;：:\s])(?:请)?"
            r"(?:以后|今后|往后|从今以后|从现在(?:起|开始)|从今天(?:起|开始)|下次|接下来都)"
        ),
        "总是": re.compile(
            gently + r"(?:你|您|我们|我|大家)?(?:要|应该|必须|得)?"
            r"(?:总是|始终|永远|一律|务必|绝不要?|绝对不要?|千万(?:不要|别)|每次都)"
        ),
        "不要": re.compile(
            gently + r"(?:你|您|我们|大家)?(?:都)?(?:不要|不准|不许|禁止|别|勿)(?![人的紧是])"
        ),
        "偏好": re.compile(gently + r"(?:我|我们)(?:更|比较|还是)?(?:喜欢|偏好|倾向于?|习惯用?)"),
    }  # fmt: skip


@cache
def _refusals() -> re.Pattern[str]:
    """What is no lesson: questions, and what is asked not to be kept."""
    return re.compile(
        r"[?？]\s*$|[吗呢]\s*[。.!！]?$|"
        r"\b(?:do|did|does) (?:you|we|I|not) (?:still |even )?remember\b|\bcan't remember\b|"
        r"\b(?:don't|do not|no need to|never|needn't) (?:remember|save|store|note|keep)\b|"
        r"\b(?:you|he|she|they|it) (?:always|never)\b|"
        r"(?:不要|别|不用|不必|无需)(?:记住|记得|记下|记录|记)(?!错)|还记得|记不记得|要不要",
        re.IGNORECASE,
    )


@cache
def _secrets() -> re.Pattern[str]:
    return re.compile(
        r"\b(?:sk|pk|rk|ghp|gho|ghs|github_pat|glpat|xox[abpr])[-_][A-Za-z0-9_-]{12,}|"
        r"\bAKIA[0-9A-Z]{12,}|-----BEGIN|\beyJ[A-Za-z0-9_-]{16,}\.|"
        r"\b(?:pass(?:word|phrase|code)?|pwd|secret|token|api[ _-]?key|credentials?|pin)\b"
        r"[^.\n]{0,24}?(?:\bis\b|=|:)\s*\S|"
        r"(?:密码|口令|密钥|令牌|验证码|私钥)[^，。\n]{0,12}?(?:是|为|=|:|：)\s*\S|"
        r"\b[A-Za-z0-9+/_-]{40,}\b",
        re.IGNORECASE,
    )


def own_words(text: str) -> str:
    """What the user wrote: without blocks of the agent or ours, code, quotes."""
    text = re.sub(
        rf"<({_OTHERS})\b[^>]{{0,500}}>.*?(?:</\1\s*>|\Z)",
        "\n",
        text,
        flags=re.DOTALL | re.IGNORECASE,
    )
    text = re.sub(
        r"^([ \t]*)(```|~~~).*?(?:^[ \t]*\2|\Z)", "\n", text, flags=re.DOTALL | re.MULTILINE
    )
    return "\n".join(line for line in text.splitlines() if not line.lstrip().startswith((">", "|")))


def lessons(text: str) -> Iterator[Learned]:
    """The sentences of a message that are worth keeping, in their order."""
    for sentence in _sentences(own_words(text[:_MOST_READ])):
        rule = _rule_of(sentence)
        if rule and not _secrets().search(sentence):
            yield Learned(sentence, rule)


def _rule_of(sentence: str) -> str:
    chinese = any("\u3400" <= character <= "\u9fff" for character in sentence)
    if not (_LEAST_CHINESE if chinese else _LEAST) <= len(sentence) <= _MOST:
        return ""
    if _refusals().search(sentence):
        return ""
    for rule, pattern in _patterns().items():
        found = pattern.search(sentence)
        if found and re.search(r"\w", sentence[found.end() :] or sentence[: found.start()]):
            return rule
    return ""


def _sentences(text: str) -> Iterator[str]:
    for line in text.splitlines():
        bare = re.sub(r"^\s*(?:[-*+•]|\d+[.)、])\s+", "", line)
        for part in re.split(r"(?<=[。！？!?；])\s*|(?<=[.;])\s+(?=\S)", bare):
            sentence = part.strip().strip("；;").strip()
            if sentence:
                yield sentence
