"""One entity, many names. Whatever name was used on writing, reading by any other finds it.

A name is looked up by its `id_for`: case, width, white space, traditional or simplified characters
make no difference. Ids come first, then names, aliases, titles: a name that is one character's
name and another's alias is the first one's. A title may come with an article, a name or a word of
respect, where the cast gives that title: "the captain", "Captain Mara", 知县大人, 沈知县.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Mapping
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

from bethink.checks import check_encodable, shown
from bethink.errors import InvalidInput
from bethink.text.fold import fold_width

if TYPE_CHECKING:
    from bethink.story.finding import Finder
    from bethink.story.models import Cast, Character

MAX_NAME_CHARS = 100
MAX_CAST = 2_000
_ALIKE, _ALIKE_HAN = 0.7, 0.6  # shares of two names that are the same
_SAME_SIGN = str.maketrans({**dict.fromkeys("•‧∙・⋅", "·"), **dict.fromkeys("’‘ʼ`´", "'")})
PRONOUNS = frozenset(
    "i me my mine myself you your yours yourself he him his himself she her hers herself it its "
    "itself we us our ours they them their theirs one who this that these those someone nobody "
    "我 你 您 他 她 它 咱 俺 吾 余 汝 我们 你们 他们 她们 它们 咱们 自己 本人 人家 大家 某人 有人 "
    "谁 这 那 此 其 彼".split()
)


def plain(text: str) -> str:
    """One width, simplified Chinese, one kind of apostrophe and of dot between names; case kept."""
    return " ".join(fold_width(text).translate(_SAME_SIGN).split())


def id_for(name: str) -> str:
    """The form by which names are compared, and the id of whoever has no other."""
    if not isinstance(name, str):
        raise InvalidInput(f"a name is text, got {type(name).__name__}")
    check_encodable(name, name="name")
    if len(name) > MAX_NAME_CHARS:
        raise InvalidInput(f"{shown(name)} is too long for a name; at most {MAX_NAME_CHARS} fit")
    return _key(name)


@lru_cache(maxsize=16_384)  # a cast is read for every scene: it was most of the time of a write
def _key(name: str) -> str:
    # folding case may give characters that have a wide form, and the other way round
    folded = unicodedata.normalize("NFKC", plain(plain(name).casefold()).casefold())
    key = "-".join("".join(c if c.isprintable() else " " for c in folded).split())
    if not key:
        raise InvalidInput(f"{shown(name)} is no name; it has nothing that can be read")
    return key


# Words before a title that name nobody by themselves, as they are in a key.
_ARTICLE = re.compile(r"^(?:the|our|my|your|his|her|their|dear)-")
# Words of respect after a Chinese title: 知县大人 is 知县.
_RESPECT = ("大人", "老爷", "阁下", "殿下", "陛下", "先生", "女士")
_DOUBLE_FAMILY_NAMES = frozenset(
    "欧阳 司马 上官 诸葛 慕容 东方 皇甫 尉迟 公孙 令狐 独孤 南宫 西门 夏侯 端木 司徒 司空 宇文 "
    "长孙 呼延 百里 轩辕 完颜 拓跋".split()
)


def _title_and_rest(key: str) -> Iterable[tuple[str, str]]:
    """Every way to take a key for a title and what stands beside it, longest title first."""
    yield key, ""
    words = key.split("-")
    for cut in range(len(words) - 1, 0, -1):
        yield "-".join(words[:cut]), "-".join(words[cut:])  # captain-mara
    if key.isascii():
        return
    for cut in range(1, len(key)):
        yield key[cut:], key[:cut]  # 沈知县


def _without_respect(title: str) -> str:
    for word in _RESPECT:
        if title.endswith(word) and len(title) > len(word):
            return title[: -len(word)]
    return title


def _family_names(name: str) -> tuple[str, ...]:
    if name.isascii() or not 2 <= len(name) <= 4:
        return ()
    return (name[:2],) if name[:2] in _DOUBLE_FAMILY_NAMES else (name[:1],)


def _the_one(ids: tuple[str, ...], name: str, what: str) -> str:
    if len(ids) == 1:
        return ids[0]
    raise InvalidInput(f"{name!r} is the {what} of {', '.join(ids)}; use one of these ids")


class _Level(NamedTuple):
    what: str
    ids: Mapping[str, tuple[str, ...]]  # by key


class Names:
    """The names of a cast. `former` are ids under which characters were written of before."""

    def __init__(self, cast: Cast, former: Mapping[str, Iterable[str]] | None = None) -> None:
        if len(cast.characters) > MAX_CAST:
            raise InvalidInput(f"a cast has at most {MAX_CAST:,} characters")
        self.cast = cast
        self.former = {one: tuple(ids) for one, ids in (former or {}).items()}
        self._by_id = {character.id: character for character in cast.characters}
        if len({id_for(one) for one in self._by_id}) < len(cast.characters):
            raise InvalidInput("two characters of the cast have the same id; give each its own")
        self._levels = (
            _level("id", ((c.id, [c.id]) for c in cast.characters)),
            _level("name", ((c.id, [c.name]) for c in cast.characters)),
            _level("alias", ((c.id, c.aliases) for c in cast.characters)),
            _level("title", ((c.id, c.titles) for c in cast.characters)),
        )

    def resolve(self, name: str) -> str | None:
        """The id of whoever is called so; None if nobody of the cast is."""
        key = id_for(name)
        for level in self._levels:
            if ids := level.ids.get(key, ()):
                return _the_one(ids, name, level.what)
        return self._by_title(key, name)

    def _by_title(self, key: str, name: str) -> str | None:
        """The id of whoever is called by a title together with other words."""
        bare = _ARTICLE.sub("", key)
        if bare != key and (found := self._exactly(bare, name)):
            return found
        for title, rest in _title_and_rest(bare):
            bearers = self._titles.get(_without_respect(title), ())
            if not rest:
                if bearers:
                    return _the_one(bearers, name, "title")
                continue
            mine = [one for one in bearers if rest in self._parts_of_names[one]]
            if mine:
                return _the_one(tuple(mine), name, "title")
        return None

    def _exactly(self, key: str, name: str) -> str | None:
        for level in self._levels[1:]:
            if ids := level.ids.get(key, ()):
                return _the_one(ids, name, level.what)
        return None

    @cached_property
    def _titles(self) -> dict[str, tuple[str, ...]]:
        """Who bears a title, without words of respect; "Captain Brandt" says that Brandt is one."""
        bearers: dict[str, tuple[str, ...]] = {}
        for one in self.cast.characters:
            for title in map(id_for, one.titles):
                short = [t for t, rest in _title_and_rest(title)
                         if rest in self._parts_of_names[one.id]]  # fmt: skip
                for key in dict.fromkeys(_without_respect(t) for t in (title, *short)):
                    if key and one.id not in bearers.get(key, ()):
                        bearers[key] = (*bearers.get(key, ()), one.id)
        return bearers

    @cached_property
    def _parts_of_names(self) -> dict[str, frozenset[str]]:
        """What may stand beside a title: a name, a word of one, a Chinese family name."""
        return {
            one.id: frozenset(
                part
                for told in map(id_for, (one.name, *one.aliases))
                for part in (told, *told.split("-"), *(_family_names(told)))
            )
            for one in self.cast.characters
        }

    def canonical(self, name: str) -> str:
        """The id that is written and asked for. One who is not in the cast goes by the name."""
        return self.resolve(name) or id_for(name)

    def canonicals(self, names: Iterable[str]) -> list[str]:
        return list(dict.fromkeys(map(self.canonical, names)))

    def keys(self, entity_id: str) -> list[str]:
        """Every id that this entity may have been written under: what was told before it was in
        the cast stands under its name."""
        character = self._by_id.get(entity_id)
        if character is None:
            return [entity_id]
        mine = [
            key
            for level in self._levels
            for key, ids in level.ids.items()
            if ids == (entity_id,) and self.resolve(key) == entity_id
        ]
        # told as "the captain" before the cast was
        mine += [f"the-{key}" for key in mine if key in self._levels[-1].ids]
        return list(dict.fromkeys([entity_id, *self.former.get(entity_id, ()), *mine]))

    def now(self, written: str) -> str:
        """The present id of what was written under this one."""
        if written in self._by_id:
            return written
        return self._renamed.get(written) or self.canonical_or_itself(written)

    def canonical_or_itself(self, written: str) -> str:
        try:
            return self.canonical(written)
        except InvalidInput:  # it names two by now
            return written

    @cached_property
    def _renamed(self) -> dict[str, str]:
        return {old: new for new, ids in self.former.items() for old in ids}

    def name_of(self, entity_id: str) -> str:
        character = self._by_id.get(entity_id)
        return entity_id if character is None else character.name

    def character(self, entity_id: str) -> Character | None:
        return self._by_id.get(entity_id)

    @cached_property
    def _finder(self) -> Finder:
        from bethink.story.finding import Finder

        return Finder(self)

    def found_in(self, text: str) -> list[str]:
        """Who is named in a text, in the order of their first mention."""
        return self._finder.found_in(text)

    def doubts(self, asked: Iterable[str]) -> list[str]:
        """Names that are nobody's and nearly somebody's: a slip of the pen would make a new
        character, and nobody would notice."""
        said: list[str] = []
        for name in dict.fromkeys(asked):
            near = self.nearly(name)
            if near is not None:
                said.append(f"{name!r} is nobody of the cast; did you mean {near!r}?")
        return said

    def nearly(self, name: str) -> str | None:
        try:
            if self.resolve(name) is not None:
                return None
        except InvalidInput:  # it is too near two of them; that is said elsewhere
            return None
        from difflib import SequenceMatcher  # of no use to those who spell well

        compare = SequenceMatcher(None, b=id_for(name))
        best, found = 0.0, None
        for character in self.cast.characters:
            for told in (character.name, *character.aliases, *character.titles):
                compare.set_seq1(id_for(told))
                # two of three Chinese characters are much alike, two of three letters are not
                least = _ALIKE_HAN if not name.isascii() else _ALIKE
                least = max(best, least)
                if compare.real_quick_ratio() > least and compare.quick_ratio() > least:
                    ratio = compare.ratio()
                    if ratio > least:
                        best, found = ratio, told
        return found

    def notes(self) -> list[str]:
        """What an author should know about this cast: names that cannot tell who is meant."""
        said: list[str] = []
        taken: dict[str, tuple[str, ...]] = {}
        for level in self._levels:
            for key, ids in level.ids.items():
                others = [one for one in ids if one not in taken.get(key, ids)]
                if len(ids) > 1:
                    said.append(f"{key!r} is the {level.what} of {', '.join(ids)}: it names nobody")
                elif others:
                    first = ", ".join(taken[key])
                    said.append(
                        f"{key!r} is the {level.what} of {others[0]}, but means {first} first"
                    )
                if key in PRONOUNS and level.what != "id":  # ids are not looked for anyhow
                    said.append(f"{key!r} is a pronoun: it is not looked for in texts")
                taken.setdefault(key, ids)
        return list(dict.fromkeys(said))


def _level(what: str, named: Iterable[tuple[str, list[str]]]) -> _Level:
    ids: dict[str, tuple[str, ...]] = {}
    for entity_id, names in named:
        for key in dict.fromkeys(map(id_for, names)):
            ids[key] = (*ids.get(key, ()), entity_id)
    return _Level(what, ids)


def former_ids(old: Names, new: Cast) -> dict[str, list[str]]:
    """Ids that characters had in the cast before, by their ids now: whoever kept a name is the
    same one."""
    kept: dict[str, list[str]] = {}
    now = {character.id for character in new.characters}
    for character in new.characters:
        # one who is in the cast again speaks for itself
        mine = [one for one in old.former.get(character.id, ()) if one not in now]
        for name in (character.name, *character.aliases):
            try:
                before = old.resolve(name)
            except InvalidInput:
                continue
            if before is not None and before not in now:
                mine += [one for one in (before, *old.former.get(before, ())) if one not in now]
        if mine:
            kept[character.id] = list(dict.fromkeys(mine))
    return kept
