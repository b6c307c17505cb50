"""A local cross-encoder: a directory with `model.onnx` and `tokenizer.json`.

The question and a text go in as one pair, and one number comes out: the logit of "this answers". A
model with several outputs for a pair gives the difference of the last two (irrelevant, relevant).

Texts are read one by one in the order given, until the time is up. On one thread that takes half
the time of a batch, whose short texts are padded to the length of its longest (benchmarks/LOG.md).
"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from bethink.errors import MissingExtra, RerankerError
from bethink.models.files import Download, verify
from bethink.rerankers.models import Reader

_MAX_TOKENS = 512
_MOST_OUTPUTS = 3  # contradiction, neutral, entailment
READ_TOKENS = 256  # of question and text together: 60 ms; what decides is in the matched passage


class CrossEncoder:
    """`seconds`: the most that one question may take, however long the recall may."""

    english_only = False

    def __init__(
        self, folder: Path, *, seconds: float = 60.0, tokens: int = _MAX_TOKENS, name: str = ""
    ) -> None:
        self._folder = folder
        self._seconds = seconds
        self._tokens = tokens
        self._name = name or f"onnx:{folder}"
        self._lock = threading.Lock()
        self._session: Any = None
        self._tokenizer: Any = None

    @property
    def name(self) -> str:
        return self._name

    def score(self, question: str, texts: Sequence[str], *, seconds: float) -> list[float]:
        """From 0 to 1, for every text; raise RerankerError if the time is too short for all."""
        import numpy as np

        logits = list(self._each(question, texts, seconds))
        if len(logits) < len(texts):
            raise RerankerError(
                f"{self.name} had read {len(logits)} of {len(texts)} texts when the time was up; "
                "use a smaller model or a longer deadline"
            )
        return [float(1 / (1 + np.exp(-min(max(one, -80.0), 80.0)))) for one in logits]

    def read(self, question: str, texts: Sequence[str], *, seconds: float) -> list[float]:
        """The logits of as many texts as can be read in the time, from the first on."""
        return list(self._each(question, texts, min(seconds, self._seconds)))

    def _each(self, question: str, texts: Sequence[str], seconds: float) -> Iterator[float]:
        asked = _whole(question)
        with self._lock:
            if self._session is None:
                self._load()  # once in a process; not part of the time for reading
            end = time.monotonic() + seconds
            for text in texts:
                if time.monotonic() >= end:
                    return
                yield self._logit(asked, _whole(text))

    def _logit(self, question: str, text: str) -> float:
        import numpy as np

        encoded = self._tokenizer.encode(question, text)
        given = {
            "input_ids": np.array([encoded.ids], np.int64),
            "attention_mask": np.array([encoded.attention_mask], np.int64),
            "token_type_ids": np.array([encoded.type_ids], np.int64),
        }
        wanted = {i.name for i in self._session.get_inputs()}
        raw = self._session.run(None, {k: v for k, v in given.items() if k in wanted})[0]
        if np.ndim(raw) > 2 or np.size(raw) > _MOST_OUTPUTS:
            raise RerankerError(
                f"{self.name} is no cross-encoder: it gives {np.size(raw):,} numbers for a pair of "
                "texts instead of one score; it may be an embedding model, or lack its last layers"
            )
        row = np.asarray(raw, np.float64).reshape(-1)
        return float(row[-1] - row[-2] if len(row) > 1 else row[0])

    def _load(self) -> None:
        model, tokens = self._folder / "model.onnx", self._folder / "tokenizer.json"
        for file in (model, tokens):
            if not file.is_file():
                raise RerankerError(
                    f"there is no {file}; put a cross-encoder's model.onnx and tokenizer.json "
                    "there, or name another directory with: "
                    "bethink config set reranker onnx:DIRECTORY"
                )
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError:
            raise RerankerError(str(MissingExtra("a local reranker", "onnx"))) from None
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        try:
            session = onnxruntime.InferenceSession(
                str(model), options, providers=["CPUExecutionProvider"]
            )
            tokenizer = Tokenizer.from_file(str(tokens))
        except Exception as e:  # both throw classes of their own that are documented nowhere
            raise RerankerError(f"{self.name} cannot be loaded: {e}; get the two files anew") from e
        tokenizer.enable_truncation(self._tokens)
        tokenizer.no_padding()  # a file may ask for 512 tokens always, which costs 30 times as much
        self._tokenizer, self._session = tokenizer, session


class PulledReader(CrossEncoder):
    """A reader of the registry or the hub, checked by hash before it is loaded."""

    def __init__(self, reader: Download, models: Path, *, seconds: float) -> None:
        place = reader.place(models)
        super().__init__(place, seconds=seconds, tokens=READ_TOKENS, name=reader.id)
        self.english_only = isinstance(reader, Reader) and reader.english_only
        self._reader, self._models = reader, models

    def _load(self) -> None:
        fault = verify(self._reader, self._models)
        if fault is not None:
            raise RerankerError(f"{fault}; get it with: bethink models pull {self._reader.id}")
        super()._load()


def _whole(text: str) -> str:
    """Half a character would make the tokeniser throw."""
    return text.encode("utf-8", "replace").decode()
