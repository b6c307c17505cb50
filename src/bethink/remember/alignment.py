"""Two statements about the same thing with another value, in whatever words.

`changes` knows the forms in which a change is told. This module needs none of them. It aligns an
older and a newer text and asks:

- what the newer one says of now: a question, a condition, a plan, hearsay and a quotation say
  nothing, and a clause about the past or about what stays as it is names former values at most;
- whether both are about the same thing: the telling words of the older one are in the newer one,
  and no word stands in the place of another ("the staging API", "the production API");
- whether a value of the same kind differs: a number with the same sort of unit, a day, a date, a
  time, a version, an address; or whether the newer one says that the older is over;
- how the newer one shows a change: a verb of change, "now", an arrow, 改, 换, 不…了.

It replaces surely if all of this is found, perhaps if the subject is the same and either a value
differs or a change is told, and not at all otherwise.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import pairwise

from bethink.remember.changes import Replaces, comes_beside
from bethink.remember.statements import (
    ARROW,
    CHANGE,
    CHANGING,
    ENDED,
    FUNCTION,
    GENERIC,
    KIN,
    MOVED,
    NO_MORE,
    NOW,
    OVER,
    UNTELLING,
    VERBS_CHINESE,
    WAS_OVER,
    WEIGHT_OF_HAN,
    WHEN,
    Clause,
    Statement,
    statement,
)
from bethink.text.facts import stem
from bethink.text.stop_words import ENGLISH as STOP_WORDS
from bethink.text.stop_words import is_grammar


def another_subject(older: str, newer: str) -> bool:
    """Whether the newer of two texts is about somebody or something else."""
    return _Pair(statement(older).whole, statement(newer)).of_another


def align(older: str, newer: str) -> Replaces:
    """Whether the newer of two texts replaces the older one."""
    old, new = statement(older), statement(newer)
    if new.silent or old.silent:
        return Replaces.NOT
    return _Pair(old.whole, new).replaces()


class _Pair:
    """An older clause beside what is said of now."""

    def __init__(self, old: Clause, new: Statement) -> None:
        self.old, self.new = old, new
        self.said = _joined(new.now)
        self.told = "".join(clause.text + " " for clause in new.now)
        self.change = (
            any(sign.search(self.told) for sign in (CHANGE, ARROW)) or self._has_a_new_one()
        )
        self.now = self.change or NOW.search(self.told) is not None
        self.shared, self.lost = self._coverage(old.tokens)
        if not old.values and self._coverage(old.tokens[old.subject :]) == (0, 0):
            self.lost += 1.0 if old.subject < len(old.tokens) else 0.0  # 成都 is no grammar there
        kin = (m["en"] or m["zh"] for m in KIN.finditer(self.told))
        held = old.text.lower()
        self.of_another = any(who.lower() not in held for who in kin) or self._owned()
        self.about_another = self._another_subject()

    def replaces(self) -> Replaces:
        enough = self.shared >= (0.5 if self.change and self._same_verb() else 1)
        if not enough or self.about_another:
            return Replaces.NOT
        former = self._former_is_over()
        if comes_beside(self.told) and not former:
            return Replaces.NOT
        share = self.shared / (self.shared + self.lost)
        differs = self._differing()
        sure = self.now and not self._narrowed(named_former=former)
        if former:
            _, lost = self._coverage(self.old.tokens[: self.old.subject])
            certain = sure and share >= 0.6 and lost <= 0.5
            return Replaces.SURELY if certain else Replaces.PERHAPS
        if differs:
            if not self.change and (self.old.event or self._names_it()):
                return Replaces.NOT
            parallel = _in_parallel(self.old, self.said)
            if sure and self.lost <= 0.5 and not parallel and not _inserted(self.old, self.said):
                return Replaces.SURELY
            more = {v.sort for v in self.said.values} - {v.sort for v in self.old.values}
            if more & WHEN and not self.now:
                return Replaces.NOT  # on Saturdays it closes at four
            likely = share >= 0.5 or (self.change and share >= 0.3)
            return Replaces.PERHAPS if likely else Replaces.NOT
        if self._itself_is_over():
            certain = sure and self.lost == 0 and self.shared >= 1.5
            return Replaces.SURELY if certain else Replaces.PERHAPS
        if WAS_OVER.search(self.old.text) and OVER.search(self.told):
            return Replaces.NOT
        if self.change and self._new_words() and self._swapped():
            half = share >= 0.5 or self._subject_share() >= 0.5
            like = self._same_verb() or self._moved() or (share >= 0.5 and self.shared >= 2)
            likely = share >= 0.65 or (half and like)
            return Replaces.PERHAPS if likely else Replaces.NOT
        return Replaces.NOT

    def _has_a_new_one(self) -> bool:
        """ "A new phone number", 新地址: of something that the older one names."""
        english = re.findall(r"\bnew ((?:\w+ ){0,2}\w+)", self.told.lower())
        if any(t[:4] in words for words in english for t in self.old.tokens if len(t) > 3):
            return True
        return any(
            new in self.old.text for new in re.findall("新的?([\u4e00-\u9fff]{2})", self.told)
        )

    def _moved(self) -> bool:
        """Something is at another place."""
        placed = re.search(r"\b(?:in|at|on|to)\b|[在到寄放存]", self.old.text) is not None
        return placed and MOVED.search(self.told) is not None

    def _names_it(self) -> bool:
        """The value says which one it is, and the same is said of both: Room 101, Room 102."""
        mine, yours = _telling(self.old.order), _telling(self.said.order)
        for at, token in enumerate(mine[:-1]):
            if token.startswith("<") and mine[at + 1 :] == yours[-len(mine[at + 1 :]) :]:
                return True
        return False

    def _same_verb(self) -> bool:
        """Both say it with one of the usual verbs: 叫, 用, live, work."""
        if any(verb in self.old.text and verb in self.told for verb in VERBS_CHINESE):
            return True
        return any(
            t in GENERIC and t not in STOP_WORDS and t in self.said.tokens for t in self.old.tokens
        )

    def _subject_share(self) -> float:
        shared, lost = self._coverage(self.old.tokens[: self.old.subject])
        return shared / (shared + lost) if shared else 0.0

    def _owned(self) -> bool:
        """The newer one puts an owner or a kind in front of what the older one begins with:
        表哥的婚礼 for 婚礼, 大会议室 for 会议室, "Olga's sister's wedding"."""
        run = re.match(r"[^\u4e00-\u9fff]*(?:我们?的?|用户的?)?([\u4e00-\u9fff]{2})", self.old.text)
        head = run[1] if run and run[1][0] not in "在从把对给由用" else "-"
        for part in re.split("[，。；！,;!：:\\s]", self.told):
            before = part[: max(0, part.find(head))].removesuffix("的")
            chinese = re.fullmatch("[\u4e00-\u9fff]{1,5}", before) is not None
            if chinese and (FUNCTION | CHANGING | {*self.old.text, *"别勿莫请先"}).isdisjoint(
                before
            ):
                return True
        owners = re.findall(r"(\w+)'s (\w+)", self.told.lower())
        return any(
            stem(owned) in self.old.tokens
            and stem(who) in self.said.tokens
            and not any(_same_word(stem(who), t) for t in self.old.tokens)
            for who, owned in owners
        )

    def _narrowed(self, *, named_former: bool) -> bool:
        """One of them says whose or which it is, in front of a word that both hold."""
        held = {*self.said.tokens, *self.said.pairs}
        held |= {t for c in self.new.past for t in (*c.tokens, *c.pairs)}
        known = {*self.old.tokens, *self.old.pairs}
        return any(
            word in held and not any(_same_word(f, one) for one in held)
            for word, fronts in _fronts(self.old).items()
            for f in fronts
        ) or any(
            not named_former and f not in known and any(_same_word(word, one) for one in known)
            for word, fronts in _fronts(self.said).items()
            for f in fronts
        )

    def _swapped(self) -> bool:
        """All values of the older one are named again, or one of them beside another."""
        old = {v.token for v in self.old.values}
        return old <= {v.token for v in self.said.values}

    def _coverage(self, tokens: tuple[str, ...]) -> tuple[float, float]:
        """The weight of the older one's telling words that the newer one holds, and of the rest."""
        held = {t for c in (*self.new.now, *self.new.past) for t in c.tokens}
        pairs = {p for c in (*self.new.now, *self.new.past) for p in c.pairs}
        shared = lost = 0.0
        for at, token in enumerate(tokens):
            han = len(token) == 1
            if token in GENERIC or token in STOP_WORDS:
                continue
            if han:
                around = tokens[at - 1 : at + 2] if at else tokens[:2]
                found = any(
                    a + b in pairs and not FUNCTION.issuperset(a + b) for a, b in pairwise(around)
                )
                if token in FUNCTION and (not found or is_grammar(token)):
                    continue
            else:
                found = any(_same_word(token, one) for one in held)
            weight = WEIGHT_OF_HAN if han else 1.0
            shared, lost = shared + weight * found, lost + weight * (not found)
        kept = {v.token for v in self.old.values} & {v.token for v in self.said.values}
        return shared + 0.5 * len(kept), lost

    def _differing(self) -> bool:
        """A value of the same kind is another one; all others are the same."""
        sorts = {v.sort for v in self.old.values}
        changed: set[str] = set()
        for sort in sorts:
            old = {v.token for v in self.old.values if v.sort == sort}
            new = {v.token for v in self.said.values if v.sort == sort}
            if new and new.isdisjoint(old):
                changed.add(sort)
            elif new - old:
                return False
            if sort not in WHEN and len(old) > 1:
                return False  # which of them it would be is not told
        return len(changed) == 1 or bool(changed and changed <= WHEN)

    def _former_is_over(self) -> bool:
        """A value of the older one is named as what holds no more, beside a new one."""
        if WAS_OVER.search(self.old.text):
            return False
        for clause in (*self.new.past, *self.new.now):
            text = clause.text.lower()
            words = [t for t in self.old.tokens if len(t) > 1 and t not in GENERIC]
            values = [re.sub(r"\s.*", "", v.token) for v in self.old.values]
            for word in (*words, *values, *filter(None, [_last_run(self.old).lower()])):
                if (at := text.find(word[: max(4, len(word) - 2)])) < 0:
                    continue
                if re.match(rf"\w*\s*(?:{ARROW.pattern})", text[at + len(word[:-2]) :]):
                    return True
                before = text[max(0, at - 14) : at]
                if re.search(
                    r"(?:\bfrom|, not|instead of|rather than|从|不是)\s?(?:the )?$", before
                ):
                    return self.change
            own = self._own_words(clause)
            if not own:
                continue
            if clause in self.new.past:
                return bool(self._new_words())
            if self._over_near(text, own) and self._new_words():
                return True
        return False

    def _own_words(self, clause: Clause) -> list[str]:
        """Values, and words in the place of a value, of the older one that a clause names."""
        own = [re.sub(r"\s.*", "", v.token) for v in self.old.values if v in clause.values]
        bare = {re.match(r"[\d.]*", v.token)[0] for v in clause.values}  # type: ignore[index]
        own += [
            m[0]
            for v in self.old.values
            if (m := re.match(r"\d[\d.]*(?=\s|$)", v.token)) and m[0] in bare and m[0] not in own
        ]
        if self.old.values:
            return own
        half = 0 if not self.old.text.isascii() else len(self.old.tokens) / 2
        own += [
            token
            for at, token in enumerate(self.old.tokens)
            if at >= half and len(token) > 1 and token in clause.tokens and token in self.old.names
        ]
        run = _last_run(self.old)
        if len(run) >= 2 and run in clause.text:
            own.append(run)
        return own

    def _over_near(self, text: str, own: list[str]) -> bool:
        for part in re.split(r"[,，;；.。:：]\s*|\s+(?:and|but)\s+", text):
            if any(word[:4] in part.lower() for word in own) and OVER.search(part):
                return True
        return False

    def _itself_is_over(self) -> bool:
        """The newer one says that what the older one tells is over."""
        if WAS_OVER.search(self.old.text) or self.shared < 1:
            return False
        share = self.shared / (self.shared + self.lost)
        value = self._coverage(self.old.tokens[self.old.subject :])
        sign = NO_MORE if share < 0.6 or (value[1] and not value[0]) else ENDED
        return share >= 0.3 and any(
            sign.search(c.text) and _overlap(self.old, c) for c in self.new.now
        )

    def _new_words(self) -> bool:
        """There is something in the newer one that the older one does not hold."""
        held = set(self.old.tokens)
        fresh = [t for t in self.said.tokens if t not in held and t not in GENERIC | FUNCTION]
        values = {v.token for v in self.said.values} - {v.token for v in self.old.values}
        return bool(fresh or values)

    def _another_subject(self) -> bool:
        """A word stands in front of a shared word where the older one has another one."""
        mine, yours = _fronts(self.old), _fronts(self.said)
        held = set(self.said.tokens) | {t for c in self.new.past for t in c.tokens}
        held |= self.said.pairs | {p for c in self.new.past for p in c.pairs}
        known = set(self.old.tokens) | self.old.pairs
        subject = self.old.tokens if self.old.values else self.old.tokens[: self.old.subject]
        for word, fronts in mine.items():
            others = yours.get(word)
            if not others or not (word in subject or word in "".join(subject)):
                continue
            lost = {f for f in fronts if not any(_same_word(f, one) for one in held)}
            fresh = others - known
            if lost == fronts and fresh == others and not fronts <= GENERIC:
                return True
        names = self.old.names - {t for t in self.old.names if any(_same_word(t, o) for o in held)}
        fresh_names = {n for n in self.said.names if n not in self.old.tokens}
        if self.of_another:
            return True
        former, latter = _telling(self.old.tokens), _telling(self.said.tokens)
        if former != latter and sorted(former) == sorted(latter) and not self.change:
            return True  # from one to the other, and back
        if not self._differing():
            return False
        sure = self.change and self.shared >= 1.5 * self.lost
        return bool(names and fresh_names) or (not sure and _in_parallel(self.old, self.said))


def _joined(clauses: tuple[Clause, ...]) -> Clause:
    return Clause(
        " ".join(c.text for c in clauses),
        tuple(t for c in clauses for t in c.tokens),
        tuple(t for c in clauses for t in c.order),
        frozenset().union(*(c.pairs for c in clauses)),
        tuple(v for c in clauses for v in c.values),
        frozenset().union(*(c.names for c in clauses)),
        frozenset().union(*(c.fronts for c in clauses)),
        0,
        False,
    )


def _overlap(old: Clause, clause: Clause) -> bool:
    words = {t for t in old.tokens if len(t) > 1 and t not in GENERIC}
    return bool(words & set(clause.tokens)) or any(
        p in clause.pairs and not is_grammar(p) for p in old.pairs
    )


def _fronts(clause: Clause) -> dict[str, set[str]]:
    """Each telling word with the words that stand right in front of it."""
    found: dict[str, set[str]] = {}
    for before, word in clause.fronts:
        if STOP_WORDS.isdisjoint((before, word)) and before not in CHANGING and word not in GENERIC:
            found.setdefault(word, set()).add(before)
    return found


def _in_parallel(old: Clause, new: Clause) -> bool:
    """Words between what both share are others, beside values that are others too: two budgets."""
    mine, yours = _telling(old.tokens), _telling(new.tokens)
    found = SequenceMatcher(None, mine, yours, autojunk=False).get_opcodes()
    if all(op != "equal" for op, *_ in found):
        return False
    return any(
        op == "replace" and not all(map(_same_word, mine[a0:a1], yours[b0:b1]))
        for op, a0, a1, b0, b1 in found
    )


def _inserted(old: Clause, new: Clause) -> bool:
    """The newer one puts a word between two that both hold: the default region for production."""
    found = SequenceMatcher(
        None, _telling(old.order), _telling(new.order), autojunk=False
    ).get_opcodes()
    ops = [op for op, *_ in found]
    return (
        "equal" in ops and "insert" in ops[ops.index("equal") : len(ops) - ops[::-1].index("equal")]
    )


def _telling(tokens: tuple[str, ...]) -> list[str]:
    return [t for t in tokens if t not in UNTELLING and not (len(t) == 1 and is_grammar(t))]


def _same_word(one: str, other: str) -> bool:
    """The same, or of one family: "owns", "ownership"."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    return len(short) >= 4 and short.isascii() and long.startswith(short[: max(4, len(short) - 2)])


def _last_run(clause: Clause) -> str:
    """The last Chinese words of a clause, where its value stands: 支付组由安娜负责 has none."""
    runs = re.findall(r"[\u4e00-\u9fff]{2,}|[A-Za-z][A-Za-z0-9 ]+", clause.text)
    if not runs:
        return ""
    last = re.split("[是在叫由用的到为了]", runs[-1])[-1]
    return last.strip()
