"""Where a setting comes from, what a project file may not say, and how a file is kept safe."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from bethink import settings
from bethink.consent import agree, agreed_space
from bethink.errors import SettingsError
from bethink.settings import MEANING, PROJECT_FILE, PROJECT_MAY_SET, RANGES, Settings
from bethink.settings_kept import save_user


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    return tmp_path


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project" / "src" / "deep"
    folder.mkdir(parents=True)
    return folder


def user(text: str) -> Path:
    path = settings.config_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    return path


def test_every_setting_is_explained() -> None:
    from dataclasses import fields

    names = {field.name for field in fields(Settings)}
    assert set(MEANING) == names
    assert names > PROJECT_MAY_SET
    assert names > set(RANGES) - {"candidates"}  # an argument of a recall and no setting


def test_the_space_of_a_project_needs_consent(project: Path, tmp_path: Path) -> None:
    data = settings.data_directory()
    file = project / PROJECT_FILE
    file.write_text('space = "api 接口"\nlimit = 3\n', "utf-8")
    loaded = settings.load(environment={}, directory=project)
    assert (loaded.settings.space, loaded.settings.limit) == ("global", 3)
    assert loaded.origins["space"] == "default"
    assert loaded.withheld is not None
    assert loaded.withheld.space == "api 接口"
    assert "bethink init" in loaded.warnings[0]
    with pytest.warns(UserWarning, match="bethink init"), pytest.MonkeyPatch.context() as patch:
        patch.chdir(project)
        assert settings.here().space == "global"

    agree(data, tmp_path / "other", "other")
    agree(data, project, "api 接口")
    loaded = settings.load(environment={}, directory=project)
    assert (loaded.settings.space, loaded.warnings, loaded.withheld) == ("api 接口", (), None)
    link = tmp_path / "link"
    link.symlink_to(project)
    assert settings.load(environment={}, directory=link).settings.space == "api 接口"

    file.write_text('space = "other"\n')  # what was agreed to is this space, and no other
    assert settings.load(environment={}, directory=project).settings.space == "global"
    moved = project.rename(project.with_name("moved"))
    (moved / PROJECT_FILE).write_text('space = "api 接口"\n', "utf-8")
    assert settings.load(environment={}, directory=moved).settings.space == "global"
    assert agreed_space(data, tmp_path / "other") == "other"


def test_a_damaged_list_of_consents_agrees_to_nothing(project: Path) -> None:
    (project / PROJECT_FILE).write_text('space = "p"\n')
    data = settings.data_directory()
    agree(data, project, "p")
    for text in ("", "[]", '{"format": 1, "projects": []}', '{"format": 2, "projects": {}}'):
        (data / "projects.json").write_text(text)
        assert settings.load(environment={}, directory=project).settings.space == "global"
    agree(data, project, "p")
    assert settings.load(environment={}, directory=project).settings.space == "p"


def test_no_consent_is_asked_where_nothing_changes(project: Path) -> None:
    (project / PROJECT_FILE).write_text('space = "global"\n')
    assert settings.load(environment={}, directory=project).warnings == ()
    (project / PROJECT_FILE).write_text('space = "p"\n')
    named = settings.load(environment={"BETHINK_SPACE": "mine"}, directory=project)
    assert (named.settings.space, named.warnings) == ("mine", ())


def test_defaults(project: Path, home: Path) -> None:
    loaded = settings.load(environment={}, directory=project)
    assert loaded.settings == Settings()
    assert set(loaded.origins.values()) == {"default"}
    assert loaded.settings.store_path == home / "data" / "bethink" / "memory.db"
    assert loaded.settings.models_path == home / "data" / "bethink" / "models"


def test_each_layer_wins_over_the_one_before(project: Path) -> None:
    where = user('space = "user"\nlimit = 1\nbudget = 1\ndeadline = 1\nembedder = "hashing"\n')
    file = project.parent.parent / PROJECT_FILE
    file.write_text('space = "项目"\nlimit = 2\nbudget = 2\n', "utf-8")
    loaded = settings.load(
        {"space": "argument", "limit": None},
        environment={"BETHINK_LIMIT": "3", "BETHINK_SPACE": "env", "BETHINK_BUDGET": ""},
        directory=project,
    )
    got = loaded.settings
    assert (got.space, got.limit, got.budget, got.deadline) == ("argument", 3, 2, 1.0)
    assert got.embedder == "hashing"
    assert loaded.origins["space"] == "argument"
    assert loaded.origins["limit"] == "BETHINK_LIMIT"
    assert loaded.origins["budget"] == str(file)
    assert loaded.origins["deadline"] == str(where)
    assert loaded.origins["store"] == "default"
    assert loaded.warnings == ()


@pytest.mark.parametrize("name", sorted(set(MEANING) - PROJECT_MAY_SET))
def test_a_project_file_is_not_trusted(project: Path, name: str) -> None:
    (project / PROJECT_FILE).write_text(f'{name} = "http://evil.example"\nspace = "p"\n', "utf-8")
    agree(settings.data_directory(), project, "p")
    loaded = settings.load(environment={}, directory=project)
    assert getattr(loaded.settings, name) == getattr(Settings(), name)
    assert loaded.settings.space == "p"
    assert len(loaded.warnings) == 1
    assert f"{name!r} is ignored; a project file may only set" in loaded.warnings[0]
    assert "evil" not in loaded.warnings[0]


def test_the_search_for_a_project_file_ends_at_the_repository(project: Path) -> None:
    (project.parent.parent / PROJECT_FILE).write_text("limit = 7\n")
    assert settings.load(environment={}, directory=project).settings.limit == 7
    (project.parent / ".git").mkdir()
    assert settings.load(environment={}, directory=project).settings.limit == 10


@pytest.mark.parametrize(
    ("content", "says"),
    [
        (b"limit = ", "cannot be read"),
        (b"\xff\xfe", "Mend or remove it"),
        (b'limit = "many"', "limit must be a number, got 'many'"),
        (b"limit = true", "limit must be a whole number, got True"),
        (b"limit = 2.5", "limit must be a whole number, got 2.5"),
        (b"limit = 0", "limit must be from 1 to 1,000, got 0"),
        (b"budget = -1", "budget must be from 1 to 1,000,000, got -1"),
        (b"deadline = nan", "deadline must be from 0.001 to 3,600"),
        (b"deadline = inf", "deadline must be from 0.001 to 3,600"),
        (b"space = 5", "space must be text, got 5"),
        (b"colour = 1", "there is no setting 'colour'; known: store, space"),
        (b"[space]\na = 1", "space must be text"),
        (b"endpoint_key = 12345", "endpoint_key must be text"),
    ],
)
def test_a_bad_file_is_named_with_its_fault(project: Path, content: bytes, says: str) -> None:
    path = user("")
    path.write_bytes(content)
    with pytest.raises(SettingsError) as caught:
        settings.load(environment={}, directory=project)
    assert says in str(caught.value)
    assert str(path) in str(caught.value)
    assert "12345" not in str(caught.value)


@pytest.mark.parametrize("value", ["x", "0", "-5", "1e3", "99999999", "nan"])
def test_a_bad_variable_is_named(project: Path, value: str) -> None:
    with pytest.raises(SettingsError, match="BETHINK_LIMIT: limit must be"):
        settings.load(environment={"BETHINK_LIMIT": value}, directory=project)


def test_a_bad_argument_is_named(project: Path) -> None:
    with pytest.raises(SettingsError, match="argument: there is no setting 'x'"):
        settings.load({"x": 1}, environment={}, directory=project)


def test_save_keeps_the_others_and_what_they_say(project: Path) -> None:
    user('space = "工作"\ndeadline = 2.5\n')
    path = save_user("limit", "5")
    save_user("endpoint", 'http://x/?q="\\\t\x7f\u3000')
    got = settings.load(environment={}, directory=project).settings
    assert (got.space, got.deadline, got.limit) == ("工作", 2.5, 5)
    assert got.endpoint == 'http://x/?q="\\\t\x7f\u3000'
    save_user("limit", None)
    save_user("limit", None)
    got = settings.load(environment={}, directory=project).settings
    assert (got.space, got.limit) == ("工作", 10)
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_save_keeps_comments_and_order(project: Path, newline: str) -> None:
    written = (
        "# 我的设置 my settings\n\nspace = '工作'   # where I work\n"
        'limit = 7\t# few\nretrievers = [  # engines\n  "qdrant://h:1/x",\n]\n# the end'
    ).replace("\n", newline)
    path = user("")
    path.write_bytes(written.encode())
    save_user("limit", "5")
    assert path.read_bytes().decode() == written.replace("limit = 7", "limit = 5")
    save_user("limit", None)
    left = written.replace(f"limit = 7\t# few{newline}", "")
    assert path.read_bytes().decode() == left
    save_user("deadline", "2.5")
    assert path.read_bytes().decode().startswith(left)
    got = settings.load(environment={}, directory=project).settings
    assert (got.space, got.deadline) == ("工作", 2.5)
    assert got.retrievers == ("qdrant://h:1/x",)


@pytest.mark.parametrize(("name", "value"), [("limit", "many"), ("colour", "red"), ("limit", "0")])
def test_save_refuses_what_load_would(name: str, value: str) -> None:
    before = user("limit = 5\n").read_bytes()
    with pytest.raises(SettingsError, match="config set: "):
        save_user(name, value)
    assert settings.config_file().read_bytes() == before
    assert list(settings.config_file().parent.iterdir()) == [settings.config_file()]


def test_nobody_else_may_read_a_key(project: Path) -> None:
    user("limit = 5\n").chmod(0o644)
    path = save_user("endpoint_key", "sk-very-secret")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    loaded = settings.load(environment={}, directory=project).settings
    assert loaded.endpoint_key == "sk-very-secret"
    assert "sk-very-secret" not in repr(loaded)


def test_a_linked_file_stays_a_link(tmp_path: Path) -> None:
    path = user("limit = 5\n")
    real = tmp_path / "dotfiles.toml"
    path.rename(real)
    path.symlink_to(real)
    save_user("budget", "7")
    assert path.is_symlink()
    assert real.read_text("utf-8") == "limit = 5\nbudget = 7\n"


def test_directories_without_xdg(monkeypatch: pytest.MonkeyPatch, home: Path) -> None:
    monkeypatch.delenv("XDG_CONFIG_HOME")
    monkeypatch.delenv("XDG_DATA_HOME")
    for place in (settings.config_file(), settings.data_directory()):
        assert place.is_relative_to(home / "home")
        assert "bethink" in place.parts


def test_paths_may_start_at_home(home: Path) -> None:
    assert Settings(store="~/m.db").store_path == home / "home" / "m.db"
    assert Settings(models="~/models").models_path == home / "home" / "models"


@pytest.mark.parametrize("values", [{"limit": 0}, {"budget": 0}, {"deadline": 0.0}])
def test_bad_settings_made_in_python_never_look_like_an_empty_memory(values: Any) -> None:
    from bethink import Engine
    from bethink.errors import InvalidInput

    with Engine.in_memory(settings=Settings(embedder="none", **values)) as engine:
        engine.remember("something")
        with pytest.raises(InvalidInput, match=f"{next(iter(values))}: expected"):
            engine.recall("something")


def test_the_environment_is_read_by_default(monkeypatch: pytest.MonkeyPatch, project: Path) -> None:
    monkeypatch.setenv("BETHINK_SPACE", "from-env")
    monkeypatch.chdir(project)
    assert settings.load().settings.space == "from-env"
    assert os.environ["BETHINK_SPACE"] == "from-env"


@pytest.mark.parametrize(
    ("told", "meant"),
    [(True, True), (False, False), ("true", True), ("FALSE", False), ("on", True), ("0", False)],
)
def test_yes_or_no(project: Path, told: bool | str, meant: bool) -> None:
    assert (
        settings.load({"redact": told}, environment={}, directory=project).settings.redact is meant
    )
    if isinstance(told, str):
        loaded = settings.load(environment={"BETHINK_REDACT": told}, directory=project)
        assert loaded.settings.redact is meant
        save_user("redact", told)
        assert settings.load(environment={}, directory=project).settings.redact is meant


def test_yes_is_no_number(project: Path) -> None:
    user("limit = true\n")
    with pytest.raises(SettingsError, match="limit must be a whole number, got True"):
        settings.load(environment={}, directory=project)


@pytest.mark.parametrize("told", ["maybe", 1, 0.0, "2"])
def test_neither_yes_nor_no(project: Path, told: object) -> None:
    with pytest.raises(SettingsError, match="redact must be true or false"):
        settings.load({"redact": told}, environment={}, directory=project)
