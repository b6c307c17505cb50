"""Words that say nothing about what is asked. Dropped from questions only; the index keeps all.

Dropping them costs no recall (see benchmarks/LOG.md) and saves most of the time of a search by
words, because these are the words that match nearly every row.
"""

from __future__ import annotations

ENGLISH = frozenset(
    """
    a about above after again against all also am an and any are aren't as at be because been before
    being below between both but by can can't cannot could couldn't did didn't do does doesn't doing
    don't down during each either else ever few for from further get gets got had hadn't has hasn't
    have haven't having he he'd he'll he's her here here's hers herself him himself his how how's i
    i'd i'll i'm i've if in into is isn't it it's its itself just let let's like may me might more
    most much must my myself no nor not of off on once one only or other ought our ours ourselves
    out over own please quite rather really same shall she she'd she'll she's should shouldn't so
    some such than that that's the their theirs them themselves then there there's these they they'd
    they'll they're they've this those though through to too under until up upon us very was wasn't
    we we'd we'll we're we've were weren't what what's when when's where where's which while who
    who's whom whose why why's will with won't would wouldn't yes yet you you'd you'll you're you've
    your yours yourself yourselves
    """.split()
)

# Characters that carry grammar rather than meaning; a pair made of two of them is a stop word.
_FUNCTION_CHARACTERS = frozenset(
    "的了是在和也就都而及与着或之吗呢吧啊呀么嘛哦啦这那哪其此被把让给对于从到向以为因所由但"
    "我你他她它们您谁有没不很太又再还会能要想可请问个些什怎样何几多"
)
_PAIRS = frozenset(
    """
    什么 怎么 怎样 如何 为何 为什 哪里 哪儿 哪个 哪些 哪种 哪位 多少 几个 是否 能否 可否 可以 应该
    一个 一些 一下 一种 这个 那个 这些 那些 这样 那样 这里 那里 我们 你们 他们 她们 它们 咱们 自己
    以及 并且 而且 但是 因为 所以 如果 虽然 然后 或者 还是 就是 不是 没有 有没 有些 有的 关于 对于
    曾经 已经 正在 请问 告诉 知道 记得 现在 时候 之前 之后 的话 是不 吗的 了吗 是谁 的是 过的 过什
    """.split()
)


def is_grammar(piece: str) -> bool:
    """Is this piece of Chinese, one character or two, only grammar?"""
    return piece in _PAIRS or all(character in _FUNCTION_CHARACTERS for character in piece)
