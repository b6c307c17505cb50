"""Cross-encoders from the Hugging Face hub: `bethink models pull hf:OWNER/NAME`.

Anyone can publish there, so no hash is known in advance. The first pull needs consent and records
the SHA-256 of each file in `origin.json` beside it; from then on only this content is loaded, and
a file that has changed on the hub is refused. Two files are taken, as data: the model (the first of
`MODEL_FILES` that exists) and `tokenizer.json`. They are stored in `hf/OWNER/NAME` of the models
directory.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from bethink.endpoint import import_httpx, without_password
from bethink.errors import BethinkError, Conflict, InvalidInput, NotFound
from bethink.models.files import Download, ModelFile, verify

PREFIX = "hf:"
HUB = "https://huggingface.co"
VARIABLE = "HF_ENDPOINT"  # the custom variable for a mirror
RECORD = "origin.json"
# Smaller first. The third is the name that Sentence Transformers gives to int8 for any x86.
MODEL_FILES = (
    "onnx/model_quantized.onnx",
    "onnx/model_int8.onnx",
    "onnx/model_quint8_avx2.onnx",
    "onnx/model.onnx",
    "model.onnx",
)
TOKENIZER = "tokenizer.json"
# A larger model cannot read ten passages in a second on one core.
MOST_BYTES = {"model.onnx": 1 << 30, TOKENIZER: 64 << 20}
_MOST_INFORMATION = 8 << 20
_READ_WHOLE = 1 << 16  # bytes: cheaper than a new connection, which a broken-off answer needs
_SECONDS = 30.0  # for each read or write, not for a whole file


class OfferedFile(NamedTuple):
    name: str  # as it will be called here
    inside: str  # its path on the hub
    bytes: int | None  # None: the hub does not say
    sha256: str  # empty: the hub does not say


@dataclass(frozen=True, slots=True)
class Offer:
    """What the hub has under a name. Shown before consent is asked for."""

    id: str
    origin: str
    revision: str
    licence: str
    languages: str
    files: tuple[OfferedFile, ...]

    def __str__(self) -> str:
        files = ", ".join(f"{file.inside} {_size(file.bytes)}" for file in self.files)
        return f"{self.id} from {self.origin} ({files}; licence: {self.licence})"


def is_hub_name(name: str) -> bool:
    return name.startswith(PREFIX)


def check_hub_name(name: str) -> str:
    """Return OWNER/NAME. Raise InvalidInput for anything else, above all for `..` and `/`."""
    path = name.removeprefix(PREFIX)
    parts = path.split("/")
    part = r"[A-Za-z0-9_][A-Za-z0-9._-]{0,95}"
    if (
        not is_hub_name(name)
        or len(parts) != 2
        or any(not re.fullmatch(part, one) or ".." in one or one.endswith(".") for one in parts)
    ):
        raise InvalidInput(
            f"{name!r} is no name of a model on the hub; write hf:OWNER/NAME, for example "
            "hf:cross-encoder/mmarco-mMiniLMv2-L12-H384-v1"
        )
    return path


def hub_address() -> str:
    """HF_ENDPOINT, or the hub's own address."""
    address = os.environ.get(VARIABLE, "").strip().rstrip("/") or HUB
    if not address.lower().startswith(("http://", "https://")):
        raise InvalidInput(f"{VARIABLE} must be an address like {HUB}, got {address!r}")
    return address


def recorded(name: str, models: Path) -> Download | None:
    """What was pulled under this name, with the recorded hashes; None if nothing was."""
    path = models / _folder(name) / RECORD
    try:
        record = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as e:
        raise _damaged(path, str(e)) from e
    try:
        files = tuple(
            ModelFile(str(one["name"]), str(one["inside"]), str(one["sha256"]), int(one["bytes"]))
            for one in record["files"]
        )
        made = _download(name, record["origin"], record["licence"], record["languages"], files)
        same = record["id"] == name  # a file system may take two names for one
    except (KeyError, TypeError, ValueError) as e:
        raise _damaged(path, f"{type(e).__name__}: {e}") from e
    if not same or {file.name for file in files} != MOST_BYTES.keys():
        raise _damaged(path, f"it is not about the two files of {name}")
    return made


def all_recorded(models: Path) -> list[Download]:
    """Every model that was pulled from the hub, by name."""
    places = sorted(models.glob(f"hf/*/*/{RECORD}"))
    found = (recorded(f"hf:{one.parent.parent.name}/{one.parent.name}", models) for one in places)
    return [model for model in found if model is not None]


def pull_from_hub(
    name: str,
    models: Path,
    *,
    address: str,
    agree: Callable[[Offer], None],
    check: Callable[[Path], None] = lambda folder: None,
    say: Callable[[str], None] = lambda line: None,
) -> Download:
    """Get a model's files, or compare those that are here with the hub.

    `agree` raises to refuse the download. `check` gets the folder before it has its final name and
    raises if the files are of no use; then nothing is kept.
    """
    check_hub_name(name)
    folder = models / _folder(name)
    known = recorded(name, models)
    whole = known is not None and verify(known, models) is None
    with _Hub(address) as hub:
        try:
            offer = hub.offer(name, known)
            if known is not None and whole:
                hub.compare(known, offer, folder)
                say(f"{name} is here already and the same on the hub: {folder}")
                return known
        except ConnectionError as e:
            if known is not None and whole:
                say(f"{name} is here already, as recorded; the hub could not be asked: {e}")
                return known
            raise _unreachable(name, e) from e
        agree(offer)
        try:
            made = _install(hub, offer, known, models, check=check, say=say)
        except ConnectionError as e:
            raise _unreachable(name, e) from e
        except OSError as e:
            raise BethinkError(f"{name} cannot be written to {models}: {e}") from e
    say(f"{name} is ready: {folder}")
    return made


class _Hub:
    """`ConnectionError` means: it did not work now. Any other error: it will not work again."""

    def __init__(self, address: str) -> None:
        self._address = address.rstrip("/")
        self._shown = without_password(self._address)
        self._httpx: Any = import_httpx()
        self._client: Any = None

    def __enter__(self) -> _Hub:
        self._client = self._httpx.Client(
            timeout=_SECONDS,
            follow_redirects=True,  # large files lie elsewhere
            headers={"Accept-Encoding": "identity"},  # so that the length is that of the file
        )
        return self

    def __exit__(self, *_: object) -> None:
        self._client.close()

    def offer(self, name: str, known: Download | None) -> Offer:
        path = check_hub_name(name)
        information = self._information(path)
        card = information.get("cardData")
        card = card if isinstance(card, dict) else {}
        candidates = {"model.onnx": MODEL_FILES, TOKENIZER: (TOKENIZER,)}
        if known is not None:  # the hub may have got a smaller file since
            candidates = {file.name: (file.inside,) for file in known.files}
        return Offer(
            id=name,
            origin=f"{self._shown}/{path}",
            revision=_short(information.get("sha")),
            licence=_short(card.get("license")) or "not stated",
            languages=_short(card.get("language")) or "languages not stated",
            files=tuple(self._first(path, file, tried) for file, tried in candidates.items()),
        )

    def compare(self, known: Download, offer: Offer, folder: Path) -> None:
        """Raise Conflict if the hub has other content now."""
        for file, offered in zip(known.files, offer.files, strict=True):
            now = offered.sha256
            if not now:
                with tempfile.TemporaryDirectory() as place:
                    now = self.fetch(offer, offered, Path(place)).sha256
            _refuse_change(known, file, now, folder, "What was pulled stays as it is.")

    def fetch(self, offer: Offer, file: OfferedFile, folder: Path) -> ModelFile:
        """Download one file; raise unless it came whole."""
        most = MOST_BYTES[file.name] if file.bytes is None else file.bytes
        digest, size = sha256(), 0
        path = check_hub_name(offer.id)
        with self._get(self._file_path(path, file.inside)) as reply:
            if reply.status_code != 200:
                raise ConnectionError(f"{file.inside}: it answered {reply.status_code}")
            with open(folder / file.name, "wb") as target:
                for block in reply.iter_bytes(1 << 20):
                    size += len(block)
                    if size > most:
                        raise BethinkError(
                            f"{offer.id}: {file.inside} is larger than {_size(most)}; it was not "
                            "kept"
                        )
                    digest.update(block)
                    target.write(block)
        if file.bytes is not None and size != file.bytes:
            raise ConnectionError(f"{file.inside} broke off after {size:,} of {file.bytes:,} bytes")
        if file.sha256 and digest.hexdigest() != file.sha256:
            raise ConnectionError(f"{file.inside} came with other content than the hub announced")
        return ModelFile(file.name, file.inside, digest.hexdigest(), size)

    def _information(self, path: str) -> dict[str, Any]:
        """What the API says of a model; nothing, if a mirror has no API."""
        content = bytearray()
        with self._get(f"api/models/{path}") as reply:
            if reply.status_code in (401, 403):
                raise _not_public(path, self._shown, reply.status_code)
            if reply.status_code == 404:
                return {}
            if reply.status_code != 200:
                raise ConnectionError(f"{self._shown} answered {reply.status_code}")
            for block in reply.iter_bytes():
                content += block
                if len(content) > _MOST_INFORMATION:
                    raise BethinkError(f"{self._shown} said too much about {path}; is it a hub?")
        try:
            said = json.loads(content)
        except (ValueError, RecursionError):
            raise BethinkError(
                f"{self._shown} did not answer with JSON; is {VARIABLE} the address of a hub?"
            ) from None
        return said if isinstance(said, dict) else {}

    def _first(self, path: str, name: str, candidates: tuple[str, ...]) -> OfferedFile:
        """The first of these files that is there, by its headers alone."""
        for inside in candidates:
            with self._get(self._file_path(path, inside)) as reply:
                if reply.status_code == 404:
                    continue
                if reply.status_code in (401, 403):
                    raise _not_public(path, self._shown, reply.status_code)
                if reply.status_code != 200:
                    raise ConnectionError(f"{inside}: it answered {reply.status_code}")
                size = _length(reply)
                if size is not None and size > MOST_BYTES[name]:
                    raise BethinkError(
                        f"hf:{path}: {inside} has {_size(size)}, more than the "
                        f"{_size(MOST_BYTES[name])} that a reader may have; choose a smaller model"
                    )
                if size is not None and size <= _READ_WHOLE:
                    reply.read()
                return OfferedFile(name, inside, size, _announced_hash(reply))
        raise NotFound(
            f"hf:{path} has no {' or '.join(candidates)} at {self._shown}; is the name right? Only "
            "models in ONNX with a tokenizer.json can be pulled; convert others, then: "
            "bethink config set reranker onnx:DIRECTORY"
        )

    @staticmethod
    def _file_path(path: str, inside: str) -> str:
        return f"{path}/resolve/main/{inside}"

    @contextmanager
    def _get(self, path: str) -> Iterator[Any]:
        try:
            with self._client.stream("GET", f"{self._address}/{path}") as reply:
                asked = [str(one.url) for one in (*reply.history, reply)]
                if is_downgraded(asked):
                    raise BethinkError(
                        f"{without_password(asked[0])} leads to an address without TLS: "
                        f"{without_password(asked[-1])}; nothing was taken from there"
                    )
                yield reply
        except (self._httpx.HTTPError, self._httpx.InvalidURL) as e:
            raise ConnectionError(f"{self._shown}: {type(e).__name__}: {e}") from e


def is_downgraded(addresses: list[str]) -> bool:
    """Return True if a chain of redirects leaves https."""
    secure = [address.lower().startswith("https://") for address in addresses]
    return secure[0] and not all(secure)


def _install(
    hub: _Hub,
    offer: Offer,
    known: Download | None,
    models: Path,
    *,
    check: Callable[[Path], None],
    say: Callable[[str], None],
) -> Download:
    """Download into a folder of its own, which gets its final name when all is well."""
    folder = models / _folder(offer.id)
    models.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(dir=models))
    try:
        files = []
        for at, offered in enumerate(offer.files):
            say(f"getting {offered.inside} ({_size(offered.bytes)})")
            file = hub.fetch(offer, offered, draft)
            if known is not None:
                left = "What is here does not have the recorded content either."
                _refuse_change(known, known.files[at], file.sha256, folder, left)
            files.append(file)
        check(draft)
        made = _download(offer.id, offer.origin, offer.licence, offer.languages, tuple(files))
        record = {
            "id": offer.id,
            "origin": offer.origin,
            "revision": offer.revision,
            "licence": offer.licence,
            "languages": offer.languages,
            "pulled": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
            "files": [
                {"name": f.name, "inside": f.inside, "sha256": f.sha256, "bytes": f.bytes}
                for f in files
            ],
        }
        if known is None:  # the record of the first pull stays
            text = json.dumps(record, indent=1, ensure_ascii=False) + "\n"
            (draft / RECORD).write_text(text, "utf-8")
        else:
            shutil.copyfile(folder / RECORD, draft / RECORD)
        folder.parent.mkdir(parents=True, exist_ok=True)
        if folder.exists():
            shutil.rmtree(folder)
        os.rename(draft, folder)
    finally:
        shutil.rmtree(draft, ignore_errors=True)
    return made


def _folder(name: str) -> str:
    return f"hf/{check_hub_name(name)}"


def _download(
    name: str, origin: str, licence: str, languages: str, files: tuple[ModelFile, ...]
) -> Download:
    return Download(
        id=name,
        title=f"from {origin}",
        licence=str(licence),
        languages=str(languages),
        package=str(origin),
        module="",
        files=files,
        folder=_folder(name),
    )


def _length(reply: Any) -> int | None:
    size = reply.headers.get("content-length", "")
    return int(size) if size.isdigit() and not reply.headers.get("content-encoding") else None


def _announced_hash(reply: Any) -> str:
    """The hub names the SHA-256 of large files in a header of its first answer."""
    for one in (*reply.history, reply):
        tag = one.headers.get("x-linked-etag", "").removeprefix("W/").strip('"').lower()
        if re.fullmatch("[0-9a-f]{64}", tag):
            return str(tag)
    return ""


def _refuse_change(known: Download, file: ModelFile, now: str, folder: Path, left: str) -> None:
    if now != file.sha256:
        raise Conflict(
            f"{known.id} has changed on the hub since it was first pulled: {file.inside} has other "
            f"content than recorded. {left} If you trust the new one, delete {folder} and pull it "
            "again"
        )


def _not_public(path: str, shown: str, status: int) -> NotFound:
    return NotFound(
        f"{shown} answered {status}: there is no hf:{path}, or it is private or gated. Only public "
        "models can be pulled; download others by hand, then: "
        "bethink config set reranker onnx:DIRECTORY"
    )


def _unreachable(name: str, cause: Exception) -> BethinkError:
    return BethinkError(
        f"{name} could not be pulled: {cause}. Nothing was kept. Try again, name a mirror of the "
        f"hub in {VARIABLE}, or download model.onnx and tokenizer.json by hand, then: "
        "bethink config set reranker onnx:DIRECTORY"
    )


def _damaged(path: Path, why: str) -> BethinkError:
    return BethinkError(
        f"{path} is damaged ({why}); delete the folder {path.parent} and pull the model again"
    )


def _short(value: object) -> str:
    """A word or list of words from the hub, as it may be shown."""
    words = value if isinstance(value, list) else [value]
    text = ", ".join(word for word in words if isinstance(word, str))
    return text if len(text) <= 60 else text[:59] + "…"


def _size(count: int | None) -> str:
    return "of unknown size" if count is None else f"{count / 1e6:,.1f} MB"
