"""What a follow-up looks like in English, and how it is made whole.

Tried in this order: "the second one", a question that names nothing ("why?"), a fragment in place
of a part of the last question ("and in Germany?"), a pronoun for what that question was about.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from bethink.knowledge.follow_up_parts import (
    Context,
    Made,
    besides_items,
    names_in,
    names_something,
    told_pieces,
    with_topic,
    without_pair,
)

_ORDINALS = {
    "first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4,
    "fifth": 5, "5th": 5, "sixth": 6, "6th": 6, "seventh": 7, "7th": 7, "eighth": 8, "8th": 8,
    "last": -1,
}  # fmt: skip
_NUMBERS = {"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}
_GENERIC = (
    r"ones?|option|item|point|method|choice|example|reason|result|answer|passage|document|"
    r"section|entry|suggestion|approach|bullet|alternative"
)
_NTH = (
    rf"\b(?:the\s+)?({'|'.join(_ORDINALS)})\s+(?:{_GENERIC})\b(?!\s+of\s+the\s+(?:month|year|week))|"
    rf"\bthe\s+({'|'.join(_ORDINALS)})(?=\s*(?:[?.!,;]|\Z))|"
    rf"\b(?:option|item|number|step|point|method|choice|no\.)\s*#?\s*"
    rf"([0-9]{{1,2}}|{'|'.join(_NUMBERS)})\b"
)
_COMPARED = r"\b(?:difference|differ|different|between|better|compared?|versus|vs)\b"
_FORMER = r"\bthe\s+(former|latter)(?:\s+one)?\b"
_LEAD = r"(?:(?:and|or|but|so|then|also|ok|okay|well|now|what\s+about|how\s+about)\b[\s,]*)+"
_ABOUT = (
    r"(?:and\s+|or\s+|but\s+|so\s+|ok\s+|okay\s+|then\s+)*"
    r"(?:(?:what|how)\s+about|(?:is\s+(?:it|that)\s+)?(?:the\s+)?same(?:\s+(?:question|thing))?\s+"
    r"(?:for|with|in|to|of))\s+"
)
_PREPOSITION = (
    r"in|for|on|at|with|from|to|by|during|before|after|under|without|outside|within|per|via|as"
)
_ASKS = (
    r"\b(?:what|which|who|whom|whose|when|where|why|how|is|are|was|were|do|does|did|can|could|will|"
    r"would|should|may|must|has|have)\b"
)

# "it" that stands for nothing: how long does it take to …, is it possible that …
_EMPTY_IT = (
    r"\b(?:is|was|be)\s+it\b[^,.;?!]{0,60}?\b(?:to|that|if|when|for|before)\b|"
    r"\b(?:does|did|will|would|can|could)\s+it\s+(?:usually\s+|normally\s+|still\s+)?"
    r"(?:take|cost|need|require|matter|make|be|seem|help)\b[^,.;?!]{0,60}?"
    r"\b(?:to|that|if|when|for|before|until)\b|"
    r"\bit\s+(?:is|was|'s|takes?|took|seems|means?|would|will)\b[^,.;?!]{0,40}?"
    r"\b(?:to|that|if|when)\b|"
    r"\bwhat\s+time\s+is\s+it\b|\bmake\s+it\s+\w+\s+to\b"
)
_EMPTY_THERE = (
    r"\b(?:is|are|was|were|will|would|can|could|should|has|have|if|that)\s+there\b|"
    r"\bthere\s+(?:is|are|was|were|will|a|an|any|be)\b"
)
_TIMES = (
    r"year|month|week|quarter|morning|afternoon|evening|summer|winter|spring|autumn|season|time|"
    r"weekend|decade"
)
_HERE = (
    r"company|handbook|manual|document|policy|guide|site|website|app|software|product|service|page|"
    r"tool|version|file|book"
)
_PERSON = r"\b(?:he|him|his|she|her|hers)\b"
_THEY = r"\b(?:it|its|they|them|their|theirs)\b"
# Not the "that" of "the form that I need" or "make sure that": what stands before it tells.
_BEFORE_THAT = (
    "is are does do did can will would was were about of for with in to from on by has after "
    "before under why use change get cancel avoid fix increase include extend mean without"
)
_THAT = (
    rf"(?:\A|(?<!\w)(?:{_BEFORE_THAT.replace(' ', '|')})\s+)((?:that|those)\b)"
    rf"(?!\s+(?:{_TIMES})\b)|\bthat(?=(?:\s+(?:on|off|up|down|in|out|back|for|with))?\s*\Z)"
)
_THIS = rf"\b(?:this|these)\b(?!\s+(?:{_TIMES}|{_HERE})s?\b)"
_ONE = (
    r"\b(?:a|an|any|another|the\s+other|the|that|this|which)\s+(?:[a-z]+\s+)?ones?\b"
    r"(?!\s+(?:of|time|day|week|month|year|hour))|\b(?:the\s+others?|another)\s*[?.!]?\Z"
)
_WHOSE = frozenset({"his", "her", "hers", "its", "their", "theirs"})
_PEOPLE = frozenset({"he", "him", "she", "they", "them"}) | _WHOSE
_SOMETHING = r"\b(?:the|a|an|my|our|your)\s+[a-z]|'s\b|(?<!\A)\b[A-Z][a-z]"  # whose it may be
_NAMED = r"(?<!\A)\b(?!I\b)[A-Z][\w'-]*"  # somebody with a name
_MOST_BEFORE = 3  # telling words: after more, a pronoun speaks of one of them
_PLACE = r"\b(?:from|get|up|over|in)\s+there\b|\bthere\s*[?.!]?\Z"
_CLAUSE = (
    r"[,;:.?!]|\b(?:if|when|while|after|before|because|since|once|and|but|or|that|who|which|where|"
    r"until|so|unless|although)\b"
)

_EXPLAIN = r"explain(?:\s+(?:more|further|that|it|please))?"
_NOTHING_NEW = (
    r"(?:tell\s+me\s+more|more(?:\s+(?:details?|info(?:rmation)?|examples?))?|go\s+on|continue|"
    r"what\s+else|anything\s+else|any\s+other(?:s|\s+(?:options|ways|exceptions|conditions|rules))?|"
    r"(?:for|an?|any|some)\s+examples?|such\s+as|details?|elaborate|say\s+more|"
    rf"expand\s+on\s+(?:that|it|this)|{_EXPLAIN}|"
    rf"(?:can|could)\s+you\s+(?:elaborate|{_EXPLAIN}|"
    r"give\s+(?:me\s+)?(?:an?\s+)?(?:more\s+)?(?:examples?|details?))|"
    r"are\s+you\s+sure|really|is\s+that\s+(?:all|it|right|true|correct)|and\s+then|then\s+what)"
    r"(?:\s+please)?"
)
_BARE = (
    r"(?:why|how|when|where|who|which|how\s+(?:much|many|long|often|far|soon)|by\s+(?:when|whom)|"
    r"for\s+how\s+long|until\s+when|since\s+when|how\s+(?:come|so)|why\s+not|says\s+who|what\s+for)"
)


def made_whole(question: str, context: Context) -> Made | None:
    plain = question.strip().rstrip("?.! ").strip()
    for rule in (_ordinal, _bare, _fragment, _pronoun, _lead):
        made = rule(plain, question, context)
        if made is not None:
            return made
    return None


def _ordinal(plain: str, question: str, context: Context) -> Made | None:
    match = re.search(_FORMER, plain, re.IGNORECASE)
    if match:
        both = context.items()
        pair = _two_of(context.before)
        both = both if len(both) == 2 else pair or both[:2]
        if len(both) < 2:
            return None
        context = context._replace(before=without_pair(context.before, pair, _COMPARED))
        return _with_item(plain, match, both[match[1].lower() == "latter"], context)
    match = re.search(_NTH, plain, re.IGNORECASE)
    if match is None or "'s" in plain[match.end() : match.end() + 2]:
        return None
    said = next(filter(None, match.groups())).lower()
    at = _ORDINALS.get(said) or _NUMBERS.get(said) or int(said)
    items = context.items()
    if not (-len(items) <= at <= len(items)) or at == 0 or not items:
        return None
    context = besides_items(context, items, _COMPARED)
    return _with_item(plain, match, items[at - 1 if at > 0 else at], context)


def _with_item(plain: str, match: re.Match[str], item: str, context: Context) -> Made | None:
    if not item:
        return None
    said = f"{plain[: match.start()]}{item}{plain[match.end() :]}"
    said = re.sub(rf"\A{_LEAD}", "", said, flags=re.IGNORECASE).strip()
    return Made(with_topic(said, context.before), f"“{match[0]}” is “{item}”")


def _two_of(question: str) -> list[str]:
    """A and B of "the difference between A and B", "compare A with B", "A or B", "A vs B"."""
    match = re.search(
        r"\bcompare\s+(.{1,40}?)\s+(?:and|with|to)\s+(.{1,40}?)"
        r"(?=[?.!,]|\Z|\s+(?:in|for|when|if)\b)|"
        r"\bbetween\s+(.{2,40}?)\s+and\s+(.{2,40}?)(?=[?.!,]|\Z|\s+(?:in|for|when|if)\b)|"
        r"((?:[\w'-]+\s+){0,2}[\w'-]+)\s+(?:or|versus|vs\.?)\s+((?:[\w'-]+\s+){0,2}[\w'-]+)",
        question,
        re.IGNORECASE,
    )
    return [one.strip() for one in match.groups() if one] if match else []


def _bare(plain: str, question: str, context: Context) -> Made | None:
    """It names nothing by itself: the last question, with what is asked of it now."""
    said = re.sub(r"\A(?:and|but|so|or|ok|okay|then)\b[\s,]*(?=\S)", "", plain, flags=re.IGNORECASE)
    if re.fullmatch(_NOTHING_NEW, said, re.IGNORECASE):
        return Made(context.before, "more of the same is asked for")
    if re.fullmatch(_BARE, said, re.IGNORECASE):
        return Made(f"{said}: {context.before}", "only the question word is new")
    return None


def _fragment(plain: str, question: str, context: Context) -> Made | None:
    """A part that takes the place of one in the last question."""
    about = re.match(_ABOUT, plain, re.IGNORECASE)
    lead = re.match(r"(?:and|or|but|also)\b[\s,]*", plain, re.IGNORECASE)
    begins = about or lead
    part = plain[begins.end() :] if begins else plain
    words = part.split()
    if not words or len(words) > (8 if about else 5):
        return None
    if re.search(_PERSON, part, re.IGNORECASE) or re.search(_THEY, part, re.IGNORECASE):
        return None
    bare = re.match(
        rf"(?:only\s+|just\s+|also\s+)?(?:{_PREPOSITION}|if|as)\s+\S", part, re.IGNORECASE
    )
    if about is None and re.search(_ASKS, part, re.IGNORECASE):
        return None
    if about is None and lead is None and not (bare and question.rstrip().endswith("?")):
        return None
    if not names_something(part):
        return None
    rules = _ALIKE if about and "same" in about[0].lower() else (*_ALIKE, _subject)
    whole = _joined(part, context.before, rules)
    return Made(whole, f"“{part}” is asked of the question before")


def _joined(part: str, before: str, rules: Sequence[_Rule]) -> str:
    """The last question with this part in place of its counterpart; beside it where none is. Of
    whom the same is asked takes only the place of one that looks alike."""
    asked = before.rstrip("?.! ")
    for rule in rules:
        span = rule(part, asked)
        if span is not None:
            start, end, new = span
            return f"{asked[:start]}{new}{asked[end:]}?"
    return f"{part}: {before}"


Span = tuple[int, int, str]
_NAMES = r"\b(?:[A-Z]|[a-z]{1,3}(?=[A-Z]))[\w'’.-]*(?:\s+[A-Z][\w'’.-]*)*"  # and macOS
_STOPS = rf"(?=\s+(?:{_PREPOSITION}|and|or|if|when|is|are|do|does|that|who|which)\b|[,;()]|\Z)"


def _same_preposition(part: str, asked: str) -> Span | None:
    match = re.match(rf"(?:only\s+|just\s+|also\s+)?({_PREPOSITION})\s+(.+)", part, re.IGNORECASE)
    if match is None:
        return None
    places = list(re.finditer(rf"\b{match[1]}\s+(?:.+?){_STOPS}", asked, re.IGNORECASE))
    if places:
        return places[-1].start(), places[-1].end(), match[0]
    return len(asked), len(asked), f" {match[0]}"


def _same_head(part: str, asked: str) -> Span | None:
    """ "sick leave" for "annual leave": the last word is the same."""
    words = part.split()
    if len(words) < 2:
        return None
    head = re.escape(words[-1])
    match = re.search(rf"\b(?:(?:the|a|an|my|our)\s+)?([\w'-]+)\s+{head}\b", asked, re.IGNORECASE)
    if match is None:
        return None
    return match.start(), match.end(), part


def _same_determiner(part: str, asked: str) -> Span | None:
    match = re.match(r"(my|our|your)\s+", part, re.IGNORECASE)
    if match is None:
        return None
    places = list(
        re.finditer(rf"\b{match[1]}\s+(?:[\w'-]+\s+){{0,4}}?[\w'-]+{_STOPS}", asked, re.IGNORECASE)
    )
    return (places[-1].start(), places[-1].end(), part) if places else None


def _same_shape(part: str, asked: str) -> Span | None:
    """A name for a name, a number for a number."""
    bare = re.sub(r"\A(?:the|a|an)\s+", "", part, flags=re.IGNORECASE)
    if re.match(r"[0-9]", bare):
        places = list(re.finditer(r"\b[0-9][\w.,%-]*", asked))
        return (places[-1].start(), places[-1].end(), bare) if places else None
    if bare[:2].lower() == bare[:2]:  # iOS has its capital second
        return None
    names = [m for m in re.finditer(_NAMES, asked)
             if m.start() > 0 and m[0] != "I"]  # fmt: skip
    return (names[-1].start(), names[-1].end(), bare) if names else None


_Rule = Callable[[str, str], Span | None]
_ALIKE: tuple[_Rule, ...] = (_same_preposition, _same_head, _same_determiner, _same_shape)


def _subject(part: str, asked: str) -> Span | None:
    """What follows the auxiliary: how long does [shipping] take, is [parking] free."""
    match = re.search(
        r"\b(?:does|do|did|is|are|was|were|will|can|should|must|has|have)\s+"
        r"((?:(?:the|a|an|my|our|your)\s+)?(?:[\w'-]+\s+){0,2}?[\w'-]+)(?=\s+[\w'-]+\Z|\s+[\w'-]+\s+"
        rf"(?:{_PREPOSITION})\b|\s+be\s+[\w'-]+)",
        asked,
        re.IGNORECASE,
    )
    if match is None or match[1].lower() in ("i", "we", "you", "it", "they", "there", "one"):
        return None
    if match[1].split()[0].lower() in ("i", "we", "you", "it", "they", "there"):
        return None
    return match.start(1), match.end(1), part


def _pronoun(plain: str, question: str, context: Context) -> Made | None:
    said = re.sub(_EMPTY_THERE, lambda m: "_" * len(m[0]), plain, flags=re.IGNORECASE)
    said = re.sub(_EMPTY_IT, _without_it, said, flags=re.IGNORECASE)
    person = re.search(_PERSON, said, re.IGNORECASE)
    found = person
    for pattern in (_THEY, _THIS, _THAT, _ONE, _PLACE):
        found = found or re.search(pattern, said, re.IGNORECASE)
    if found is None or _named_after(said, found):
        return None
    before = said[: found.start()]
    if _named_before(before) or (found[0].lower() in _PEOPLE and re.search(_NAMED, before)):
        return None
    if found[0].lower() in _WHOSE and re.search(_SOMETHING, before):
        return None
    whole = with_topic(question.strip(), context.before)
    if person is not None and (names := names_in(context.answer)):
        whole = f"{question.strip()} ({names})"
    if whole == question.strip():
        return None
    return Made(whole, f"“{found[0]}” speaks of the question before")


def _without_it(match: re.Match[str]) -> str:
    return re.sub(r"\bit\b", "__", match[0], flags=re.IGNORECASE)


def _named_before(text: str) -> bool:
    """Does an earlier clause of the same question name what the pronoun means?"""
    cuts = list(re.finditer(_CLAUSE, text, re.IGNORECASE))
    if len(told_pieces(text)) > _MOST_BEFORE:
        return True
    return bool(cuts) and len(told_pieces(text[: cuts[-1].start()])) > 0


def _named_after(said: str, found: re.Match[str]) -> bool:
    """ "which one is better, A or B": what is meant comes yet. And "this error: ERR_7"."""
    rest = said[found.end() :]
    if re.search(r"\bor\b", rest) and len(told_pieces(rest)) >= 2 and "one" in found[0].lower():
        return True
    return ":" in rest and names_something(rest[rest.index(":") :])


def _lead(plain: str, question: str, context: Context) -> Made | None:
    """ "And how do I cancel?": a short question that goes on with the last one."""
    match = re.match(r"(?:and|but|so|then|also)\b[\s,]+(?=\S)", plain, re.IGNORECASE)
    if match is None:
        return None
    said = plain[match.end() :]
    if len(told_pieces(said)) > 2 or not re.search(_ASKS, said, re.IGNORECASE):
        return None
    whole = with_topic(f"{said}?", context.before)
    return Made(whole, f"“{match[0].strip()}” goes on with the question before")
