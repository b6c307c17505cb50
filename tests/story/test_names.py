"""One entity, many names: whatever was used on writing, reading by any other finds it."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bethink.errors import InvalidInput
from bethink.story import Cast, Character, Story, StoryTools
from bethink.story.naming import Names, id_for
from bethink.text.fold import _simplified, fold
from tests.story.telling import CAST, small_engine, story_in

# Characters that only one traditional form stands for: the way back is certain.
_BACK: dict[str, str] = {}
for _old, _new in _simplified().items():
    if len(_new) == 1 and fold(chr(_old)) == _new:
        _BACK.setdefault(_new, chr(_old))

_CHINESE = "林婉赵允剑门龙凤马车书东云飞李王张陈刘长风"
_LATIN = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyzéüöñß"


def _wide(text: str) -> str:
    return "".join(chr(ord(c) + 0xFEE0) if "!" <= c <= "~" else c for c in text)


def _traditional(text: str) -> str:
    return "".join(_BACK.get(c, c) for c in text)


def _spaced(text: str) -> str:
    return f"\u3000{text.replace(' ', '  ')}\t"


def _invisible(text: str) -> str:
    return "\u200b".join(text)


VARIANTS: list[Callable[[str], str]] = [
    str, str.upper, str.lower, str.title, _wide, _traditional, _spaced, _invisible,
    lambda text: unicodedata.normalize("NFD", text), lambda text: _wide(_traditional(text)),
]  # fmt: skip

_latin_names = st.lists(st.text(_LATIN, min_size=1, max_size=6), min_size=1, max_size=3).map(
    " ".join
)
_names = st.one_of(_latin_names, st.text(_CHINESE, min_size=1, max_size=4))


@st.composite
def casts(draw: st.DrawFn) -> Cast:
    """Every name is one character's only: what two share names nobody (tested apart)."""
    names = draw(st.lists(_names, min_size=3, max_size=9, unique_by=id_for))
    cut = draw(st.integers(1, len(names) - 1))
    groups = [group for group in (names[:cut], names[cut:]) if group]
    return Cast(
        characters=[
            Character(
                id=draw(st.sampled_from(["", f"c{number}", f"实体-{number}"])),
                name=group[0],
                aliases=group[1::2],
                titles=group[2::2],
            )
            for number, group in enumerate(groups)
        ]
    )


@settings(max_examples=60, deadline=None)
@given(casts(), st.data())
def test_written_by_one_name_it_is_found_by_any_other(cast: Cast, data: st.DataObject) -> None:
    with small_engine(embedder="none") as engine:
        story = Story(engine, "河流")
        first = data.draw(st.booleans())
        if first:
            story.set_cast(cast)
        truth: dict[str, dict[str, str]] = {}
        for number, character in enumerate(cast.characters):
            called = [character.id, character.name, *character.aliases, *character.titles]
            told = data.draw(st.sampled_from(called[1:] if not first else called))
            told = data.draw(st.sampled_from(VARIANTS))(told)
            wound = {"伤": f"wound {number}"}
            story.record_state(told, 1, number, wound, allow_new=not first)  # 东 is not 东东
            truth[character.id] = {"伤": f"wound {number}"}
        if not first:  # told before anybody was in the cast
            story.set_cast(cast)
        for character in cast.characters:
            called = [character.id, character.name, *character.aliases, *character.titles]
            asked = data.draw(st.sampled_from(VARIANTS))(data.draw(st.sampled_from(called)))
            state = story.state_of(asked, chapter=1, scene=99)
            assert state is not None, (asked, cast)
            assert (state.entity_id, state.facts) == (character.id, truth[character.id])


@given(_names, st.sampled_from(VARIANTS))
def test_a_name_has_one_form(name: str, vary: Callable[[str], str]) -> None:
    assert id_for(vary(name)) == id_for(name)
    assert id_for(id_for(name)) == id_for(name)


def test_a_character_who_is_not_in_the_cast_goes_by_the_name() -> None:
    with small_engine() as engine:
        story = story_in(engine)
        story.record_state("  GATE　Keeper ", 1, 1, {"mood": "angry"}, allow_new=True)
        state = story.state_of("gate keeper", chapter=1, scene=1)
        assert state is not None
        assert (state.name, state.facts) == ("GATE　Keeper", {"mood": "angry"})


def test_a_name_of_two_names_nobody_and_says_so() -> None:
    cast = Cast(
        characters=[
            Character(id="a", name="赵允", titles=["王爷", "Captain"]),
            Character(id="b", name="李和", titles=["王爷"], aliases=["赵允"]),
        ]
    )
    names = Names(cast)
    with pytest.raises(InvalidInput, match="title of a, b; use one of these ids"):
        names.resolve("王爺")
    assert names.resolve("赵允") == "a"  # his name; the other's alias
    assert names.resolve("CAPTAIN") == "a"
    assert names.found_in("王爷来了。") == []
    notes = names.notes()
    assert any("'王爷'" in note and "names nobody" in note for note in notes)
    assert any("'赵允' is the alias of b, but means a first" in note for note in notes)


def test_a_cast_is_refused_with_a_reason() -> None:
    with pytest.raises(InvalidInput, match="same id"):
        Names(Cast(characters=[Character(id="A", name="甲"), Character(id="a", name="乙")]))
    with pytest.raises(InvalidInput, match="nothing that can be read"):
        id_for("\u200b \u3000")
    with pytest.raises(InvalidInput, match="too long for a name"):
        id_for("长" * 101)
    with small_engine() as engine:
        story = Story(engine, "p")
        with pytest.raises(
            InvalidInput, match=r"characters\.0: .*alias.*a character has id, name, aliases"
        ):
            story.set_cast({"characters": [{"name": "林婉", "alias": ["阿婉"]}]})
        assert story.cast() == Cast()


def test_a_new_cast_finds_what_was_written_by_the_old_ids() -> None:
    with small_engine() as engine:
        story = story_in(engine)
        story.record_state("林婉", 1, 1, {"左臂": "受伤"})
        renamed = Cast(characters=[Character(id="C-001", name="林婉", aliases=["Lin Wan"])])
        story.set_cast(renamed)
        story.set_cast(renamed)  # and again: what was known of the past stays
        state = story.state_of("lin wan", chapter=1, scene=1)
        assert state is not None
        assert (state.entity_id, state.facts) == ("C-001", {"左臂": "受伤"})
        assert [one.id for one in story.cast().characters] == ["C-001"]


def test_two_who_were_one_for_a_while_have_what_is_theirs() -> None:
    """The stranger turns out to be Ann; in the next draft he does not."""
    apart = [Character(id="a", name="Ann"), Character(id="b", name="The Stranger 陌生人")]
    one = [Character(id="a", name="Ann", aliases=["The Stranger 陌生人"])]
    with small_engine() as engine:
        story = story_in(engine, cast=Cast(characters=apart))
        told = "Ann met The Stranger 陌生人."
        story.add_scene(1, 1, told, states={"a": {"arm": "sound"}, "b": {"hat": "red"}})

        def facts(entity: str) -> dict[str, str]:
            found = story.state_of(entity, chapter=1, scene=1)
            return {} if found is None else found.facts

        story.set_cast(one)
        assert facts("Ann") == facts("the stranger 陌生人") == {"arm": "sound", "hat": "red"}
        assert story.timeline(1)[0].participants == ["a"]
        story.set_cast(apart)
        assert (facts("Ann"), facts("b")) == ({"arm": "sound"}, {"hat": "red"})
        assert story.timeline(1)[0].participants == ["a", "b"]


def test_an_id_like_a_pronoun_is_no_matter() -> None:
    he = Character(id="he", name="何静秋")
    assert Names(Cast(characters=[he])).notes() == []
    (note,) = Names(Cast(characters=[Character(name="他")])).notes()
    assert note == "'他' is a pronoun: it is not looked for in texts"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Lin Wan's arm bled. 她没有说话。", ["lin"]),
        ("LIN WAN fell.", ["lin"]),
        ("林婉见到王爺。", ["lin", "zhao"]),
        ("八王爷到了，小王爷也到了。", []),  # others of that rank
        ("the captain shouted", ["lin"]),
        ("a captain from another ship; captains all", []),
        ("Captain Morgan came aboard.", []),  # not ours
        ("Captain Wan nodded; Captain!", ["lin"]),
        ("Lin Wanda and Berlin Wan", []),
        ("Ｌｉｎ　Ｗａｎ说：走。", ["lin"]),
        ("他把月劍交给她。", ["sword"]),
        ("nobody he knew", []),
    ],
)
def test_who_is_named_in_a_text(text: str, found: list[str]) -> None:
    assert Names(CAST).found_in(text) == found


def test_names_in_names_and_words_that_are_names() -> None:
    cast = Cast(
        characters=[
            Character(id="wan", name="林婉"),
            Character(id="waner", name="林婉儿", aliases=["婉", "她"]),
            Character(id="will", name="Will", aliases=["he"]),
            Character(id="rose", name="Rose"),
            Character(id="mary", name="Mary"),
            Character(id="a", name="A"),
            Character(id="maryann", name="Mary-Ann"),
        ]
    )
    names = Names(cast)
    assert names.found_in("林婉儿笑了。") == ["waner"]
    assert names.found_in("她说他不来，婉转地说。") == []  # pronouns, and one character alone
    assert names.found_in("Will you come? he will. A rose is a rose.") == []  # words
    assert names.found_in("Will came with a rose for Rose.") == ["will", "rose"]
    assert names.found_in("Mary-Ann left.") == ["maryann"]
    assert names.found_in("“Mary’s late,” said Will-") == ["mary", "will"]
    assert any("'她' is a pronoun" in note for note in names.notes())


OFFICERS = Cast(
    characters=[
        Character(id="mara", name="Mara Venn", aliases=["Mara"], titles=["Captain"]),
        Character(id="brandt", name="Brandt", titles=["Sergeant Brandt"]),
        Character(id="shen", name="沈青", titles=["知县"]),
        Character(id="wang", name="王伦", titles=["丞相大人"]),
        Character(id="ou", name="欧阳锋", titles=["将军"]),
        Character(id="li", name="李广", titles=["将军"]),
    ]
)


@pytest.mark.parametrize(
    ("called", "entity"),
    [
        ("the captain", "mara"), ("The Captain", "mara"), ("our captain", "mara"),
        ("Captain Mara", "mara"), ("captain venn", "mara"), ("Captain Mara Venn", "mara"),
        ("the sergeant", "brandt"), ("Captain Reed", None), ("a captain", None),
        ("知县大人", "shen"), ("知縣大人", "shen"), ("沈知县", "shen"), ("沈知县大人", "shen"),
        ("沈青知县", "shen"), ("丞相", "wang"), ("王丞相", "wang"), ("李将军", "li"),
        ("欧阳将军", "ou"), ("赵知县", None), ("知府大人", None), ("大人", None),
    ],
)  # fmt: skip
def test_a_title_names_its_bearer(called: str, entity: str | None) -> None:
    assert Names(OFFICERS).resolve(called) == entity


def test_a_title_of_two_is_asked_back() -> None:
    for called in ("将军", "将军大人"):
        with pytest.raises(InvalidInput, match="title of ou, li; use one of these ids"):
            Names(OFFICERS).resolve(called)


def test_states_by_title_through_the_tools() -> None:
    """What was told as "the captain" before there was a cast is found, too."""
    with small_engine() as engine:
        story = story_in(engine, cast=None)
        story.record_state("the captain", 1, 1, {"mood": "calm"})
        story.set_cast(OFFICERS)
        story.record_state("沈知县", 1, 1, {"印": "在身上"})
        story.record_state("Captain Mara", 1, 2, {"arm": "broken"})
        tools = StoryTools(story)
        for name in ("the captain", "Captain Mara", "Mara"):
            state = tools.get_entity_state_tool(name)
            assert state is not None
            assert state.facts == {"mood": "calm", "arm": "broken"}
        assert [one.entity_id for one in story.states(1, 2)] == ["mara", "shen"]
        state = tools.get_entity_state_tool("知县大人")
        assert state is not None
        assert state.facts == {"印": "在身上"}


@pytest.mark.parametrize(("slip", "meant"), [("Captian", "Captain"), ("沈清", None)])
def test_a_state_of_an_unknown_name_is_refused(slip: str, meant: str | None) -> None:
    with small_engine() as engine:
        story = story_in(engine, cast=OFFICERS)
        says = f"did you mean '{meant}'" if meant else "is nobody of the cast. Nothing was recorded"
        with pytest.raises(InvalidInput, match=says):
            story.record_state(slip, 1, 1, {"mood": "calm"})
        with pytest.raises(InvalidInput, match=says):
            story.add_scene(1, 1, "Rain. 雨。", states={slip: {"mood": "calm"}})
        with pytest.raises(InvalidInput, match=says):
            story.add_scene(1, 1, "Rain. 雨。", mentions={"Rain": slip})
        assert (story.states(9, 9), story.timeline(1)) == ([], [])  # nothing was written
        story.record_state(slip, 1, 1, {"mood": "calm"}, allow_new=True)
        story.record_state(slip, 1, 2, {"mood": "wild"})  # known from now on
        assert [one.facts for one in story.states(9, 9)] == [{"mood": "wild"}]


def test_without_a_cast_only_what_is_nearly_a_name_before_is_refused() -> None:
    with small_engine() as engine:
        story = story_in(engine, cast=None)
        story.record_state("Tamsin Reed", 1, 1, {"mood": "calm"})
        story.record_state("阿福", 1, 1, {"mood": "calm"})
        with pytest.raises(InvalidInput, match="did you mean 'Tamsin Reed'"):
            story.record_state("Tamsyn Reed", 1, 2, {"mood": "wild"})
        assert len(story.states(9, 9)) == 2
