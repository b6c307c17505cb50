"""Settings: one small frozen tree, from defaults, files, the environment and arguments, in order.

    defaults → user file → project file → environment → arguments

The user file is `config.toml` in the user's configuration directory. A project file
(`.bethink.toml`, found upwards from the working directory) is untrusted: a repository that you
cloned may name a space or a budget, but no store, endpoint, key or model. And the space that it
names is not used before the user agreed to it there (`consent.py`).
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime, tzinfo
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from bethink.addresses import file_named, is_server, mark_of, without_password
from bethink.errors import SettingsError

__all__ = ["MEANING", "Loaded", "Settings", "Withheld", "config_file", "data_directory", "load"]

PROJECT_FILE = ".bethink.toml"
_ARGUMENT, SET = "argument", "config set"  # where a value comes from, if somebody just typed it


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting with its default. `MEANING` says what each is for."""

    store: str = field(default="", repr=False)  # an address may hold a password
    space: str = "global"
    embedder: str = "use-m"
    limit: int = 10
    budget: int = 1500
    deadline: float = 10.0
    meaning_threshold: float | None = None
    words_threshold: float | None = None
    floor: float | None = None
    timezone: str = ""
    models: str = ""
    endpoint: str = ""
    endpoint_key: str = field(default="", repr=False)
    endpoint_dimension: int = 0
    llm: str = "none"
    llm_endpoint: str = ""
    llm_endpoint_key: str = field(default="", repr=False)
    reranker: str = "auto"
    reranker_endpoint: str = ""
    reranker_key: str = field(default="", repr=False)
    web_search: str = "none"
    web_endpoint: str = ""
    web_key: str = field(default="", repr=False)
    web_key_header: str = "Authorization"
    web_paths: str = "results, title, url, content"
    web_body: str = ""
    routes: str = ""
    sync_seconds: float = 0.5
    redact: bool = True
    offer_confidence: float = 0.8
    offer_characters: int = 50
    working_kept: int = 50
    working_hours: float = 24.0
    trusted: str = ""
    promotion: str = "by-hand"
    promote_sources: int = 3
    promote_told: int = 5
    unverified_share: float = 0.5
    heading_language: str = "preset"
    salience_relevance: float = 0.5
    salience_reinforcement: float = 0.2
    salience_recency: float = 0.2
    salience_access: float = 0.1
    half_life_days: float = 30.0
    match_words: bool = True
    match_meaning: bool = True
    enable_query_expansion: bool = True
    keep_events: int = 10_000
    hot: str = field(default="none", repr=False)  # an address may hold a password
    retrievers: tuple[str, ...] = field(default=(), repr=False)  # these too

    @property
    def server(self) -> str | None:
        """The address of the store where a server keeps it; it may hold a password."""
        return self.store.strip() if is_server(self.store) else None

    @property
    def store_shown(self) -> str:
        """Where the store is, for people."""
        return str(self.store_path) if self.server is None else without_password(self.server)

    @property
    def store_path(self) -> Path:
        """The file of the store; of one on a server, the name of what lies beside it here."""
        if self.server is not None:
            return data_directory() / f"server-{mark_of(self.server)}"
        if not self.store:
            return data_directory() / "memory.db"
        return Path(file_named(self.store)).expanduser()

    @property
    def zone(self) -> tzinfo:
        """The user's time zone: the one that is set, or this machine's."""
        if not self.timezone:
            return datetime.now().astimezone().tzinfo or UTC
        from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

        try:
            return ZoneInfo(self.timezone)
        except (ZoneInfoNotFoundError, ValueError, OSError):
            raise SettingsError(
                f"timezone: {self.timezone!r} is not known here; write it like Asia/Shanghai"
            ) from None

    @property
    def models_path(self) -> Path:
        return Path(self.models).expanduser() if self.models else data_directory() / "models"


MEANING: Mapping[str, str] = {
    "store": "the file of the memories (default: memory.db in your data directory), or postgresql://…",
    "space": "the space that is used when none is named",
    "embedder": "use-m, arctic-s, use-m+arctic-s, hashing, openai:MODEL, or none (words only)",
    "limit": "how many hits a recall returns at most",
    "budget": "how many tokens a recall may use",
    "deadline": "seconds after which a recall answers with what it has",
    "meaning_threshold": "the least cosine of a hit by meaning, -1 to 1 (default: none)",
    "words_threshold": "the least share of the question's words in a hit by words, 0 to 1",
    "floor": "the relevance below which nothing is handed out, 0 to 1 (default: by the embedder)",
    "timezone": "your time zone, like Asia/Shanghai (default: this machine's)",
    "models": "the directory for models that were pulled (default: models in your data directory)",
    "endpoint": "the base address of an OpenAI-compatible API, for openai:MODEL",
    "endpoint_key": "the key for that API; better kept in BETHINK_ENDPOINT_KEY",
    "endpoint_dimension": "the size of its vectors; 0 asks the API once",
    "llm": "openai:MODEL, for the parts that can use a language model, or none (rules only)",
    "llm_endpoint": "the base address of its OpenAI-compatible API (default: endpoint)",
    "llm_endpoint_key": "the key for that API; better kept in BETHINK_LLM_ENDPOINT_KEY",
    "reranker": (
        "auto (reader-en if it is pulled), reader-en, hf:OWNER/NAME (once it is pulled), "
        "http:MODEL or tei (with reranker_endpoint), onnx:DIRECTORY, or none"
    ),
    "reranker_endpoint": "the base address of a server that has /rerank",
    "reranker_key": "the key for that server; better kept in BETHINK_RERANKER_KEY",
    "web_search": "who searches the web when you ask for that: searxng, json (any API), or none",
    "web_endpoint": "its address: of a SearXNG, or of an API with {query} and {limit} in it",
    "web_key": "the key for that API; better kept in BETHINK_WEB_KEY",
    "web_key_header": "the header that carries the key (in Authorization, with Bearer before it)",
    "web_paths": "where an API's answer has the list, and in its items title, link and snippet",
    "web_body": "JSON with {query} and {limit} in it, for an API that wants it posted",
    "routes": "a TOML file of routes, for questions that ask for a whole list (default: built in)",
    "sync_seconds": "how long a recall may read changed files of its books first; 0: not at all",
    "redact": "whether secrets are blotted out of what is remembered: true or false",
    "offer_confidence": "what is offered with less confidence is refused, 0 to 1",
    "offer_characters": "what is offered in fewer is ignored as noise; a Chinese one counts as two",
    "working_kept": "how many recent memories a space keeps before the oldest fall out",
    "working_hours": "how long working memory keeps one",
    "trusted": "who is trusted, names with commas between; what they offer may be promoted by rule",
    "promotion": "by-hand, or by-rule: what the rules speak for is promoted when it is offered",
    "promote_sources": "the rule: so many independent sources say it; 0: no such rule",
    "promote_told": "the rule: so many told it, each on their own; 0: no such rule",
    "unverified_share": "how much of an answer may be unverified, 0 to 1",
    "heading_language": "of the headings that a model sees: zh, en, or preset (the preset's own)",
    "salience_relevance": "how much relevance counts in the salience of the preset notebook",
    "salience_reinforcement": "and how often a memory was told",
    "salience_recency": "and how new it is",
    "salience_access": "and how often it was handed out",
    "half_life_days": "days after which a memory counts as half as new",
    "match_words": "whether a knowledge base is searched by words",
    "match_meaning": "whether a knowledge base is searched by meaning",
    "enable_query_expansion": "whether a knowledge base asks in other words if little is found",
    "keep_events": "how many events are kept for replay; 0: none is written",
    "retrievers": "engines that find beside the store: qdrant://…, elasticsearch://…, opensearch://…",
    "hot": "where answers to repeated questions are cached: redis://…, memory (this process), none",
}
CHOICES = {
    "promotion": ("by-hand", "by-rule"),
    "web_search": ("none", "searxng", "json"),
    "heading_language": ("preset", "zh", "en"),
}
EMBEDDERS = ("use-m", "arctic-s", "hashing", "none")  # beside openai:MODEL and ONE+OTHER
SECRET = frozenset({"endpoint_key", "llm_endpoint_key", "reranker_key", "web_key"})
# From least to most; the same bounds hold for the arguments of a recall.
RANGES: Mapping[str, tuple[float, float]] = {
    "limit": (1, 1_000),
    "budget": (1, 1_000_000),
    "deadline": (0.001, 3_600),
    "meaning_threshold": (-1, 1),
    "words_threshold": (0, 1),
    "floor": (0, 1),
    "candidates": (1, 1_000),
    "endpoint_dimension": (0, 65_536),
    "sync_seconds": (0, 60),
    "offer_confidence": (0, 1),
    "offer_characters": (0, 1_000_000),
    "working_kept": (1, 10_000),
    "working_hours": (0.001, 8_760),
    "promote_sources": (0, 1_000),
    "promote_told": (0, 1_000_000),
    "unverified_share": (0, 1),
    "salience_relevance": (0.001, 1_000),
    "salience_reinforcement": (0, 1_000),
    "salience_recency": (0, 1_000),
    "salience_access": (0, 1_000),
    "half_life_days": (0.001, 36_500),
    "keep_events": (0, 1_000_000),
}
# What a project file may say: nothing that moves data, spends money or loads code.
PROJECT_MAY_SET = frozenset(
    {"space", "limit", "budget", "deadline", "meaning_threshold", "words_threshold", "floor"}
)
# What a store, or one of its spaces, may say otherwise (overrides.py): how it is asked and what it
# takes in. Nothing that names a place, a key or a model.
OVERRIDABLE = frozenset({
    "limit", "budget", "deadline", "meaning_threshold", "words_threshold", "floor",
    "unverified_share", "match_words", "match_meaning", "enable_query_expansion",
    "offer_confidence", "offer_characters", "working_kept", "working_hours", "promotion",
    "promote_sources", "promote_told", "salience_relevance", "salience_reinforcement",
    "salience_recency", "salience_access", "half_life_days",
})  # fmt: skip
OVERRIDABLE_BY_STORE_ONLY = frozenset({"trusted"})


class Withheld(NamedTuple):
    """The space that a project's file names, and that nobody agreed to."""

    file: str
    folder: Path  # the project's, resolved
    space: str
    warning: str


class Loaded(NamedTuple):
    """Settings with where each value came from."""

    settings: Settings
    origins: Mapping[str, str]
    warnings: tuple[str, ...] = ()
    withheld: Withheld | None = None
    claim: Withheld | None = None  # used all the same, since there is no such space yet


def data_directory() -> Path:
    return _directory("XDG_DATA_HOME", ".local/share", "Application Support", "LOCALAPPDATA")


def config_file() -> Path:
    return (
        _directory("XDG_CONFIG_HOME", ".config", "Application Support", "APPDATA") / "config.toml"
    )


def _directory(xdg: str, unix: str, mac: str, windows: str) -> Path:
    """The platform's usual place, each below a folder of our own."""
    if os.environ.get(xdg):
        return Path(os.environ[xdg]) / "bethink"
    if sys.platform == "darwin":
        return Path.home() / "Library" / mac / "bethink"
    if sys.platform == "win32" and os.environ.get(windows):
        return Path(os.environ[windows]) / "bethink"
    return Path.home() / unix / "bethink"


def load(
    arguments: Mapping[str, Any] | None = None,
    *,
    environment: Mapping[str, str] | None = None,
    directory: Path | None = None,
) -> Loaded:
    """The settings in force here and now, and where each comes from."""
    environment = os.environ if environment is None else environment
    values: dict[str, Any] = {}
    origins: dict[str, str] = {setting.name: "default" for setting in fields(Settings)}
    warnings: list[str] = []
    before = "", ""

    def take(source: Mapping[str, Any], origin: str) -> None:
        for name, value in source.items():
            values[name] = typed(name, value, origin)
            origins[name] = origin

    user = config_file()
    if user.is_file():
        take(read_file(user), str(user))
    project = _project_file(directory or Path.cwd())
    if project is not None:
        told = read_file(project)
        for name in sorted(told.keys() - PROJECT_MAY_SET):
            warnings.append(
                f"{project}: {name!r} is ignored; a project file may only set "
                f"{', '.join(sorted(PROJECT_MAY_SET))}"
            )
        before = values.get("space", Settings().space), origins["space"]
        take({k: v for k, v in told.items() if k in PROJECT_MAY_SET}, str(project))
    for name in origins:
        variable = f"BETHINK_{name.upper()}"
        if environment.get(variable):
            take({name: environment[variable]}, variable)
    take({k: v for k, v in (arguments or {}).items() if v is not None}, _ARGUMENT)
    withheld = None
    if project is not None and origins["space"] == str(project) and values["space"] != before[0]:
        withheld = _unless_agreed(project, values["space"], before[0])
    if withheld is not None:
        values["space"], origins["space"] = before
        warnings.append(withheld.warning)
    return Loaded(replace(Settings(), **values), origins, tuple(warnings), withheld)


def here() -> Settings:
    """The settings in force here and now, for a program; a space that is withheld is warned of."""
    loaded = load()
    if loaded.withheld is not None:
        import warnings

        warnings.warn(loaded.withheld.warning, stacklevel=3)
    return loaded.settings


def _unless_agreed(file: Path, space: str, instead: str) -> Withheld | None:
    from bethink.consent import agreed_space

    if agreed_space(data_directory(), file.parent) == space:
        return None
    folder = file.parent.resolve()
    return Withheld(
        str(file),
        folder,
        space,
        f"{file} names the space {space!r}, which may hold memories of another project, and you "
        f"have not agreed to that here: {instead!r} is used instead. To agree, run "
        f"'bethink init' in {folder}",
    )


def space_named_by(file: Path) -> str | None:
    """The space that a project's file names, agreed to or not."""
    told = read_file(file) if file.is_file() else {}
    return None if "space" not in told else str(typed("space", told["space"], str(file)))


def _project_file(start: Path) -> Path | None:
    home = Path.home()
    for folder in (start, *start.parents):
        candidate = folder / PROJECT_FILE
        if candidate.is_file():
            return candidate
        if folder == home or (folder / ".git").exists():
            return None
    return None


def read_file(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as e:
        raise SettingsError(f"{path} cannot be read: {e}. Mend or remove it") from None


def typed(name: str, value: Any, origin: str) -> Any:
    """The value as its setting has it, or SettingsError; `origin` is who says it."""
    kinds: dict[str, Any] = {f.name: type(f.default) for f in fields(Settings)}
    # unset by default
    kinds |= dict.fromkeys(("meaning_threshold", "words_threshold", "floor"), float)
    if name not in kinds:
        known = ", ".join(kinds)
        raise SettingsError(f"{origin}: there is no setting {name!r}; known: {known}")
    kind = kinds[name]
    told = "something else" if name in SECRET or "://" in repr(value) else repr(value)
    if kind is tuple:
        return _listed(name, value, origin)
    if isinstance(value, bool) is (kind is bool) and isinstance(value, kind):
        typed = value
    elif kind is bool and isinstance(value, str) and value.lower() in _YES_OR_NO:
        typed = _YES_OR_NO[value.lower()]
    elif kind is bool:
        raise SettingsError(f"{origin}: {name} must be true or false, got {told}")
    elif kind is float and isinstance(value, int) and not isinstance(value, bool):
        typed = float(value)
    elif isinstance(value, str) and kind is not str:
        try:
            typed = kind(value)
        except ValueError:
            raise SettingsError(f"{origin}: {name} must be a number, got {told}") from None
    else:
        raise SettingsError(f"{origin}: {name} must be {_KIND_NAMES[kind]}, got {told}")
    if name in RANGES and not RANGES[name][0] <= typed <= RANGES[name][1]:
        least, most = RANGES[name]
        raise SettingsError(f"{origin}: {name} must be from {least:,} to {most:,}, got {typed}")
    if name in CHOICES and typed not in CHOICES[name]:
        raise SettingsError(f"{origin}: {name} is {' or '.join(CHOICES[name])}, got {told}")
    # from a file or a variable it must not keep anybody from remembering; a recall then says it
    if name == "embedder" and origin in (_ARGUMENT, SET) and not is_embedder(typed):
        where = "--embedder" if origin == _ARGUMENT else origin
        raise SettingsError(f"{where}: {no_such_embedder(typed)}")
    return typed


def _listed(name: str, value: Any, origin: str) -> tuple[str, ...]:
    """A list of texts, or one text with spaces or commas between them. What they are may be secret,
    so it is not told."""
    if isinstance(value, str):
        return tuple(value.replace(",", " ").split())
    if isinstance(value, list | tuple) and all(isinstance(one, str) for one in value):
        return tuple(value)
    raise SettingsError(f"{origin}: {name} must be a list of texts")


def is_embedder(name: str) -> bool:
    """Is there an embedder of this name, whether or not it can be had here?"""
    if name.startswith("openai:"):
        return name != "openai:"
    parts = name.split("+")  # two local models in one vector
    return name in EMBEDDERS or (len(parts) == 2 and set(parts) <= set(EMBEDDERS[:-1]))


def no_such_embedder(name: str) -> str:
    return f"there is no embedder {name!r}; known: {', '.join(EMBEDDERS)}, openai:MODEL"


_KIND_NAMES = {str: "text", int: "a whole number", float: "a number"}
_YES_OR_NO = {"true": True, "false": False, "yes": True, "no": False, "on": True, "off": False,
              "1": True, "0": False}  # fmt: skip


if not TYPE_CHECKING:  # a type checker would accept any name

    def __getattr__(name: str) -> object:
        from bethink.lazy_exports import no_such_name

        raise no_such_name(__name__, name)
