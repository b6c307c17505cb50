"""The files of a local model, and the check that they have the expected content.

`embedders/models.py` and `rerankers/models.py` list the models; `pulling.py` gets their files.
`hub.py` gets readers that nobody has listed, and records their hashes.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path


@dataclass(frozen=True, slots=True)
class ModelFile:
    name: str  # as it is called in our models directory
    inside: str  # where it lies in the package that carries it
    sha256: str
    bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """What every local model has, whatever it is for."""

    id: str
    title: str
    licence: str
    languages: str
    package: str  # the package that carries the weights, with its version
    module: str  # the folder that this package installs
    files: tuple[ModelFile, ...]  # empty: the package is a dependency and brings its own code
    folder: str = ""  # in the models directory; empty: called as the id

    def place(self, models: Path) -> Path:
        return models / (self.folder or self.id)


def is_ready(model: Download, models: Path) -> bool:
    """Is everything here that this model needs? (By size; `verify` reads every byte.)"""
    if not model.files:
        return not model.module or find_spec(model.module) is not None
    folder = model.place(models)
    return all(
        (folder / f.name).is_file() and (folder / f.name).stat().st_size == f.bytes
        for f in model.files
    )


def verify(model: Download, models: Path) -> str | None:
    """Compare every file with its hash; what is wrong, or None."""
    for file in model.files:
        path = model.place(models) / file.name
        if not path.is_file():
            return f"{path} is missing"
        if hash_of(path) != file.sha256:
            return f"{path} does not have the expected content"
    return None


def hash_of(path: Path) -> str:
    digest = sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()
