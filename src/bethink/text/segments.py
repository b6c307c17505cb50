"""A question cut into what tells something, in Chinese, English and mixed text.

English is cut at white space and Chinese at its grammar (的, 什么时候, 我们): Chinese has no
spaces, and taking a whole run as one word would leave nothing to vary or to compare. A character
that is grammar in one word and sense in another (会 in 会议) cuts nothing; where a particle is part
of a common word (目的, 了解) that word is kept whole.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from bethink.text.both_ends import both_ends
from bethink.text.fold import fold_width
from bethink.text.stop_words import ENGLISH, is_grammar

HAN = "\u3005\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003134f"
_ASKING_CHINESE = (
    "什么时候 什么地方 什么样子 什么样 为什么 怎么样 怎么办 是不是 有没有 能不能 可不可以 "
    "会不会 要不要 多长时间 多少 多久 几点钟 几点 几个 几号 几次 什么 怎么 怎样 如何 为何 "
    "哪一天 哪一年 哪一个 哪一次 哪一些 哪里 哪儿 哪个 哪些 哪种 哪位 哪天 哪年 哪家 哪款 是否 "
    "能否 可否 请问 请教 告诉 知道 记得 谁 哪 吗 呢 吧"
)
_GRAMMAR = (
    "一个 一些 一下 一种 这个 那个 这些 那些 这样 那样 这里 那里 我们 你们 他们 她们 它们 咱们 "
    "自己 以及 并且 而且 但是 因为 所以 如果 虽然 然后 或者 还是 就是 不是 没有 关于 对于 曾经 "
    "已经 正在 时候 的话 可以 应该 那么 这么 的 了 啊 呀 嘛 着 过 我 你 他 她 它 您 是 在 和 与 "
    "或 也 都 就 很"
)
_WHOLE = (  # a particle is part of these
    "目的 的确 的士 标的 了解 为了 除了 了不起 存在 在线 所在 在职 和平 总和 和解 温和 和谐 "
    "饱和 参与 与会 赠与 给与 自我 首都 成都 都市 就业 就诊 就餐 成就 着装 着急 着陆 沿着 衣着 "
    "过程 过敏 过去 超过 经过 通过 过期 难过 过年 过滤 过户 或许 是非 其他 吉他 他人 谁家 吧台 "
    "网吧 酒吧 知道了"
)
_ASKING_ENGLISH = frozenset(
    "what what's which who who's whom whose when when's where where's why why's how how's".split()
)
_EDGES = "\"'“”‘’「」『』《》()[]{}<>（）【】,.;:!?，。；：！？、…·~`|*"
_ENDS = ",.;:!?，。；：！？、…|)]}）】"


class Piece(NamedTuple):
    text: str
    telling: bool  # neither grammar nor a stop word
    asking: bool  # a question word
    first: bool  # something stands between this piece and the one before


def pieces(text: str) -> Iterator[Piece]:
    """The words of a text, and the stretches of Chinese between its grammar, in order."""
    first = True
    for chunk in fold_width(both_ends(text)).split():
        for run, chinese in _runs(chunk):
            if chinese:
                for piece in _chinese(run):
                    yield piece._replace(first=first)
                    first = False
                continue
            word = run.strip(_EDGES)
            if word:
                lower = word.lower().replace("’", "'")
                asking = lower in _ASKING_ENGLISH
                yield Piece(word, lower not in ENGLISH, asking, first or run[0] in _EDGES)
                first = False
            first = first or not word or run[-1] in _ENDS


def _runs(chunk: str) -> Iterator[tuple[str, bool]]:
    """Stretches of Chinese and of everything else."""
    if chunk.isascii():
        yield chunk, False
        return
    end = 0
    for match in re.finditer(f"[{HAN}]+", chunk):
        if match.start() > end:
            yield chunk[end : match.start()], False
        end = match.end()
        yield match[0], True
    if end < len(chunk):
        yield chunk[end:], False


@cache
def _words() -> dict[str, str]:
    """Looked up rather than matched: compiling so many alternatives costs a cold process 4 ms."""
    listed = (("grammar", _GRAMMAR), ("asks", _ASKING_CHINESE), ("whole", _WHOLE))
    return {word: kind for kind, words in listed for word in words.split()}


def _chinese(run: str) -> Iterator[Piece]:
    """The longest word that begins at a place counts."""
    words = _words()
    start = at = 0
    while at < len(run):
        for length in (4, 3, 2, 1):
            word = run[at : at + length]
            kind = words.get(word)
            if kind is not None and len(word) == length:
                break
        else:
            at += 1
            continue
        if kind != "whole":
            if at > start:
                yield _stretch(run[start:at])
            yield Piece(word, telling=False, asking=kind == "asks", first=False)
            start = at + length
        at += length
    if start < len(run):
        yield _stretch(run[start:])


def _stretch(text: str) -> Piece:
    return Piece(text, not (len(text) <= 2 and is_grammar(text)), asking=False, first=False)


def telling_pieces(text: str) -> list[str]:
    """What tells something; everything where nothing does ("what is it" asks for something too)."""
    every = list(pieces(text))
    return [p.text for p in every if p.telling] or [p.text for p in every]


def segments(text: str) -> list[str]:
    """Telling pieces that stand together, joined: "dark mode", 深色主题, "偏好 dark mode"."""
    found: list[list[str]] = []
    together = False
    for piece in pieces(text):
        if not piece.telling:
            together = False
            continue
        if not together or piece.first:
            found.append([])
        found[-1].append(piece.text)
        together = True
    return [" ".join(segment) for segment in found]


def is_chinese(piece: str) -> bool:
    return re.match(f"[{HAN}]", piece) is not None


def weight(piece: str) -> float:
    """How many words a piece or segment is worth: a Chinese word has about two characters."""
    return sum(max(1.0, len(p) / 2) if is_chinese(p) else 1.0 for p in piece.split())
