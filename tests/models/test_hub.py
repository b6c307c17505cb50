"""Readers from the hub, pulled from a local server with the hub's layout."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from bethink import Engine
from bethink.errors import BethinkError, InvalidInput, RerankerError
from bethink.models import hub
from bethink.models.hub import all_recorded, check_hub_name, is_downgraded, recorded
from bethink.rerankers.loading import reranker_named
from bethink.settings import Settings
from bethink.vocabulary import Status
from tests.doors.running import Cli, in_terminal
from tests.doors.running import cli as cli
from tests.rerankers.tiny_model import make
from tests.servers.http_server import Reply, Request, serving

NAME = "hf:tiny/reader-v1"
WORDS = "which theme does mei like dark mode 小美喜欢深色主题"


@dataclass
class HubServer:
    """What the server has. `requests` lists the paths that were asked for."""

    files: dict[str, bytes] = field(default_factory=dict)
    information: dict[str, object] | None = None
    status: int = 200  # of every answer, if it is another
    announces: bool = False  # the hash of large files, as the hub does, with a redirect
    told: dict[str, str] = field(default_factory=dict)  # hashes announced instead of the true ones
    later: dict[str, bytes] = field(default_factory=dict)  # from the second request for it on
    requests: list[str] = field(default_factory=list)

    def answer(self, request: Request) -> Reply:
        self.requests.append(request.path)
        if self.status != 200:
            return Reply(self.status)
        if request.path == "/api/models/tiny/reader-v1":
            if self.information is None:
                return Reply(404)
            return Reply(body=json.dumps(self.information).encode())
        for start in ("/tiny/reader-v1/resolve/main/", "/cdn/"):
            inside = request.path.removeprefix(start)
            if inside == request.path or inside not in self.files:
                continue
            content = self.files[inside]
            if inside in self.later and self.requests.count(request.path) > 1:
                content = self.later[inside]
            if self.announces and start != "/cdn/" and inside.endswith(".onnx"):
                tag = self.told.get(inside, sha256(content).hexdigest())
                return Reply(302, b"", {"location": f"/cdn/{inside}", "x-linked-etag": f'"{tag}"'})
            return Reply(body=content)
        return Reply(404)


@pytest.fixture
def server() -> HubServer:
    card = {"license": "apache-2.0", "language": ["zh", "en"]}
    return HubServer(information={"id": "tiny/reader-v1", "sha": "abc123", "cardData": card})


@pytest.fixture
def address(server: HubServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    folder = make(tmp_path / "made", WORDS)
    server.files["onnx/model.onnx"] = (folder / "model.onnx").read_bytes()
    server.files["tokenizer.json"] = (folder / "tokenizer.json").read_bytes()
    monkeypatch.setenv("BETHINK_MODELS", str(tmp_path / "models"))
    with serving(server.answer) as address:
        monkeypatch.setenv("HF_ENDPOINT", address + "/")
        yield address


@pytest.fixture
def models(tmp_path: Path) -> Path:
    return tmp_path / "models"


def nothing_is_left(models: Path) -> bool:
    return not models.exists() or not [path for path in models.rglob("*") if path.is_file()]


def test_pulled_recorded_and_used(cli: Cli, address: str, models: Path) -> None:
    done = cli("models", "pull", NAME, "--yes")
    assert done.code == 0, done.err
    folder = models / "hf" / "tiny" / "reader-v1"
    record = json.loads((folder / "origin.json").read_text("utf-8"))
    assert record["id"] == NAME
    assert record["origin"] == f"{address}/tiny/reader-v1"
    assert (record["revision"], record["licence"]) == ("abc123", "apache-2.0")
    for file in record["files"]:
        content = (folder / file["name"]).read_bytes()
        assert (file["sha256"], file["bytes"]) == (sha256(content).hexdigest(), len(content))
        assert done.json["sha256"][file["inside"]] == file["sha256"]
    assert [file["inside"] for file in record["files"]] == ["onnx/model.onnx", "tokenizer.json"]

    row = {one["id"]: one for one in cli("models", "list").json}[NAME]
    assert (row["ready"], row["in_use"], row["licence"]) == (True, False, "apache-2.0")
    assert row["languages"] == "zh, en"
    assert cli("config", "set", "reranker", NAME).code == 0
    assert {one["id"]: one for one in cli("models", "list").json}[NAME]["in_use"]
    for text in ("Mei likes the dark theme", "小美喜欢深色主题", "the invoice is due"):
        cli("remember", text)
    for question in ("which theme does mei like best", "小美喜欢什么颜色的主题呢"):
        answer = cli("recall", question, "--floor", "0", "--explain", "--deadline", "60").json
        assert f"{NAME} read" in json.dumps(answer, ensure_ascii=False), answer
        assert answer["status"] != "degraded"


def test_used_by_models_use(cli: Cli, address: str, tmp_path: Path) -> None:
    refused = cli("models", "use", NAME)
    assert refused.code == 2
    assert f"bethink models pull {NAME}" in refused.error["message"]
    cli("models", "pull", NAME, "--yes")
    assert cli("models", "use", NAME).json["reranker"] == NAME


def test_the_same_score_as_the_folder_of_ones_own(
    cli: Cli, address: str, models: Path, tmp_path: Path
) -> None:
    cli("models", "pull", NAME, "--yes")
    settings = Settings(models=str(models))
    texts = ["Mei: dark mode", "小美喜欢深色"]
    for question in ("which dark theme does Mei like", "小美喜欢什么主题"):
        scores = []
        for name in (NAME, f"onnx:{tmp_path / 'made'}"):
            reader = reranker_named(name, settings)
            assert reader is not None
            scores.append(list(reader.score(question, texts, seconds=60)))
        assert scores[0] == scores[1]
    found = reranker_named(NAME, settings)
    assert found is not None
    assert found.name == NAME


def test_consent_is_needed(cli: Cli, address: str, models: Path, server: HubServer) -> None:
    refused = cli("models", "pull", NAME)
    assert refused.code == 2
    said = refused.error["message"]
    assert f"{address}/tiny/reader-v1" in said
    assert "apache-2.0" in said
    assert "onnx/model.onnx" in said
    assert "MB" in said
    assert "--yes" in said
    assert nothing_is_left(models)
    server.information = None  # a mirror without the API
    assert "licence: not stated" in cli("models", "pull", NAME).error["message"]


@pytest.mark.parametrize(("typed", "pulled"), [(b"n\n", False), (b"y\n", True)])
def test_asked_in_a_terminal(
    address: str, models: Path, tmp_path: Path, typed: bytes, pulled: bool
) -> None:
    code, shown = in_terminal(
        "models", "pull", NAME, store=tmp_path / "memory.db", typed=typed, cwd=tmp_path
    )
    assert f"{address}/tiny/reader-v1" in shown.replace("\r\n", "")
    assert (code == 0) is pulled
    assert (recorded(NAME, models) is not None) is pulled


@pytest.mark.parametrize(
    ("there", "taken"),
    [
        (["model.onnx"], "model.onnx"),
        (["onnx/model.onnx", "onnx/model_int8.onnx"], "onnx/model_int8.onnx"),
        (["onnx/model_quint8_avx2.onnx", "onnx/model.onnx"], "onnx/model_quint8_avx2.onnx"),
        (["onnx/model_int8.onnx", "onnx/model_quantized.onnx"], "onnx/model_quantized.onnx"),
    ],
)
def test_the_smallest_file_is_taken(
    cli: Cli, address: str, server: HubServer, there: list[str], taken: str
) -> None:
    content = server.files.pop("onnx/model.onnx")
    server.files |= dict.fromkeys(there, content)
    assert list(cli("models", "pull", NAME, "--yes").json["sha256"]) == [taken, "tokenizer.json"]


@pytest.mark.parametrize("announces", [True, False])
@pytest.mark.parametrize("inside", ["onnx/model.onnx", "tokenizer.json"])
def test_a_change_on_the_hub_is_refused(
    cli: Cli, address: str, models: Path, server: HubServer, inside: str, announces: bool
) -> None:
    server.announces = announces
    assert cli("models", "pull", NAME, "--yes").code == 0
    again = cli("models", "pull", NAME)  # nothing to download, so no consent
    assert again.code == 0
    assert "the same on the hub" in again.err
    before = {p: p.read_bytes() for p in models.rglob("*") if p.is_file()}
    server.files[inside] += b" "
    refused = cli("models", "pull", NAME, "--yes")
    assert refused.code == 4
    said = refused.error["message"]
    assert f"{inside} has other content" in said
    assert f"delete {models / 'hf' / 'tiny' / 'reader-v1'} and pull it again" in said
    assert {p: p.read_bytes() for p in models.rglob("*") if p.is_file()} == before


def test_a_damaged_file_is_not_loaded_and_is_mended(
    cli: Cli, address: str, models: Path, server: HubServer
) -> None:
    cli("models", "pull", NAME, "--yes")
    model = models / "hf" / "tiny" / "reader-v1" / "model.onnx"
    whole = model.read_bytes()
    record = (model.parent / "origin.json").read_bytes()
    model.write_bytes(whole[:-1] + b"?")
    reader = reranker_named(NAME, Settings(models=str(models)))
    assert reader is not None
    with pytest.raises(RerankerError, match=f"get it with: bethink models pull {NAME}"):
        reader.score("?", ["a"], seconds=5)
    assert cli("models", "pull", NAME, "--yes").code == 0
    assert model.read_bytes() == whole
    model.write_bytes(b"damage")
    server.files["onnx/model.onnx"] = whole + b" "  # damaged here and changed there
    assert "changed on the hub" in cli("models", "pull", NAME, "--yes").error["message"]
    assert model.read_bytes() == b"damage"
    assert (model.parent / "origin.json").read_bytes() == record


def test_named_but_not_pulled(models: Path) -> None:
    settings = Settings(embedder="none", models=str(models), reranker=NAME)
    with Engine.in_memory(settings=settings) as engine:
        engine.remember_many([{"text": "Mei likes the dark theme"}, {"text": "小美喜欢深色主题"}])
        for question in ("which theme would suit Mei?", "小美适合什么主题？"):
            answer = engine.recall(question)
            assert answer.status is Status.DEGRADED
            assert f"bethink models pull {NAME}" in " ".join(answer.reasons)


@pytest.mark.parametrize(
    "name",
    ["hf:", "hf:one", "hf:a/b/c", "hf:../b", "hf:a/..", "hf:a/.b", "hf:a/b..c", "hf:/b", "hf:a/",
     "hf:a\\b/c", "hf:a/b?c", "hf:a/b#c", "hf:a/b%2f", "hf:a/b ", "hf:a/b\n", "hf:小/b", "hf:-a/b",
     "hf:a/b.", "hf:C:/b", "hf:a/" + "b" * 97],
)  # fmt: skip
def test_names_that_are_refused(cli: Cli, address: str, server: HubServer, name: str) -> None:
    with pytest.raises(InvalidInput, match="write hf:OWNER/NAME"):
        check_hub_name(name)
    for command in (["models", "pull", name, "--yes"], ["config", "set", "reranker", name]):
        refused = cli(*command)
        assert refused.code == 2
        assert "hf:OWNER/NAME" in refused.error["message"]
    assert server.requests == []


def _breaks_off(server: HubServer) -> None:
    server.told["onnx/model.onnx"] = "0" * 64
    server.announces = True


def _no_onnx(server: HubServer) -> None:
    del server.files["onnx/model.onnx"]


def _no_tokenizer(server: HubServer) -> None:
    del server.files["tokenizer.json"]


def _a_page(server: HubServer) -> None:
    server.files["onnx/model.onnx"] = b"<html>sign in</html>"


def _answers(status: int) -> Callable[[HubServer], None]:
    def change(server: HubServer) -> None:
        server.status = status

    return change


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (_breaks_off, "other content than the hub announced"),
        (_no_onnx, "has no onnx/model_quantized.onnx or"),
        (_no_tokenizer, "has no tokenizer.json"),
        (_a_page, "cannot be used, and was not kept"),
        (_answers(503), "answered 503. Nothing was kept. Try again"),
        (_answers(401), "private or gated"),
        (_answers(404), "is the name right?"),
    ],
)
def test_what_fails_leaves_nothing(
    cli: Cli,
    address: str,
    models: Path,
    server: HubServer,
    change: Callable[[HubServer], None],
    says: str,
) -> None:
    change(server)
    refused = cli("models", "pull", NAME, "--yes")
    assert refused.code != 0
    assert says in refused.error["message"]
    assert nothing_is_left(models)


def test_a_connection_that_breaks_off(
    cli: Cli, models: Path, server: HubServer, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            reply = server.answer(Request("GET", self.path, {}, b""))
            self.send_response(reply.status)
            missing = 5 if self.path.endswith(".onnx") else 0
            self.send_header("content-length", str(len(reply.body) + missing))
            self.end_headers()
            self.wfile.write(reply.body)  # then the connection is closed

        def log_message(self, *_: object) -> None: ...

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as broken:
        threading.Thread(target=broken.serve_forever, args=(0.02,), daemon=True).start()
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{broken.server_address[1]}")
        refused = cli("models", "pull", NAME, "--yes")
        broken.shutdown()
    assert refused.code == 1
    assert "RemoteProtocolError" in refused.error["message"]
    assert "Nothing was kept. Try again" in refused.error["message"]
    assert nothing_is_left(models)


@pytest.mark.parametrize(
    ("later", "says"), [(b"short", "broke off after 5 of"), (b"long" * 9_999, "is larger than")]
)
def test_a_file_that_has_another_length_than_announced(
    cli: Cli, models: Path, server: HubServer, address: str, later: bytes, says: str
) -> None:
    server.later["onnx/model.onnx"] = later
    refused = cli("models", "pull", NAME, "--yes")
    assert refused.code == 1
    assert says in refused.error["message"]
    assert nothing_is_left(models)


def test_no_server_at_all(
    cli: Cli, models: Path, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    refused = cli("models", "pull", NAME, "--yes")
    assert refused.code == 1
    assert "HF_ENDPOINT" in refused.error["message"]
    assert "onnx:DIRECTORY" in refused.error["message"]
    monkeypatch.setenv("HF_ENDPOINT", address)
    cli("models", "pull", NAME, "--yes")
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    again = cli("models", "pull", NAME)  # what is here is whole
    assert again.code == 0
    assert "could not be asked" in again.err
    monkeypatch.setenv("HF_ENDPOINT", "ftp://somewhere")
    assert "HF_ENDPOINT must be an address" in cli("models", "pull", NAME).error["message"]


def test_sizes_are_limited(
    cli: Cli, models: Path, server: HubServer, address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = len(server.files["onnx/model.onnx"]) - 1
    monkeypatch.setitem(hub.MOST_BYTES, "model.onnx", most)
    refused = cli("models", "pull", NAME, "--yes")
    assert "choose a smaller model" in refused.error["message"]
    assert nothing_is_left(models)


def test_an_embedding_model_is_refused(
    cli: Cli, models: Path, address: str, server: HubServer
) -> None:
    """Its output has a row for each token: the score would be made of two numbers of the last."""
    from tests.rerankers.tiny_model import make_encoder

    server.files["onnx/model.onnx"] = make_encoder()
    refused = cli("models", "pull", NAME, "--yes")
    assert refused.code == 2
    assert "is no cross-encoder" in refused.error["message"]
    assert nothing_is_left(models)


def test_a_damaged_record_says_what_to_do(cli: Cli, models: Path, address: str) -> None:
    cli("models", "pull", NAME, "--yes")
    record = models / "hf" / "tiny" / "reader-v1" / "origin.json"
    assert [model.id for model in all_recorded(models)] == [NAME]
    told = json.loads(record.read_text("utf-8"))
    elsewhere = [{**told["files"][0], "name": "../x"}]
    other = {**told, "id": "hf:Tiny/reader-v1"}
    damaged: list[object] = [[], {}, other, {**told, "files": elsewhere}]
    for changed in damaged:
        record.write_text(json.dumps(changed), "utf-8")
        with pytest.raises(BethinkError, match=f"delete the folder {record.parent}"):
            recorded(NAME, models)
        with pytest.raises(RerankerError, match="is damaged"):
            reranker_named(NAME, Settings(models=str(models)))


def test_redirects_must_stay_with_tls() -> None:
    assert is_downgraded(["https://hub/a", "https://cdn/a", "http://cdn/a"])
    assert not is_downgraded(["https://hub/a", "https://cdn/a"])
    assert not is_downgraded(["http://127.0.0.1:8000/a", "http://127.0.0.1:8000/b"])


def test_from_is_for_listed_models(cli: Cli, address: str) -> None:
    refused = cli("models", "pull", NAME, "--from", "somewhere")
    assert "onnx:DIRECTORY" in refused.error["message"]
