"""A local cross-encoder: a directory with `model.onnx` and `tokenizer.json`.

The question and a text go in as one pair; the one number that comes out becomes 0 to 1 by the
logistic function. A model with several outputs for a pair gives the difference of the last two
(irrelevant, relevant).
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bethink.errors import MissingExtra, RerankerError

_MAX_TOKENS = 512
_BATCH = 8  # pairs; the memory that attention takes grows with each


class CrossEncoder:
    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._session: Any = None
        self._tokenizer: Any = None

    @property
    def name(self) -> str:
        return f"onnx:{self._folder}"

    def score(self, question: str, texts: Sequence[str], *, seconds: float) -> list[float]:
        import time

        import numpy as np

        end = time.monotonic() + seconds
        asked = _whole(question)
        scores: list[float] = []
        with self._lock:
            if self._session is None:
                self._load()
            for start in range(0, len(texts), _BATCH):
                if time.monotonic() >= end:
                    raise RerankerError(
                        f"{self.name} had read {start} of {len(texts)} texts when the time was up; "
                        "use a smaller model or a longer deadline"
                    )
                some = texts[start : start + _BATCH]
                logits = self._logits([(asked, _whole(text)) for text in some])
                scores += (1 / (1 + np.exp(-np.clip(logits, -80, 80)))).tolist()
        return scores

    def _logits(self, pairs: list[tuple[str, str]]) -> Any:
        import numpy as np

        encoded = self._tokenizer.encode_batch(pairs)
        given = {
            "input_ids": np.array([e.ids for e in encoded], np.int64),
            "attention_mask": np.array([e.attention_mask for e in encoded], np.int64),
            "token_type_ids": np.array([e.type_ids for e in encoded], np.int64),
        }
        wanted = {i.name for i in self._session.get_inputs()}
        raw = self._session.run(None, {k: v for k, v in given.items() if k in wanted})[0]
        rows = np.asarray(raw, np.float64).reshape(len(pairs), -1)
        return rows[:, -1] - rows[:, -2] if rows.shape[1] > 1 else rows[:, 0]

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
            raise RerankerError(
                f"{self._folder} cannot be loaded: {e}; get the two files anew"
            ) from e
        tokenizer.enable_truncation(_MAX_TOKENS)
        tokenizer.enable_padding()
        self._tokenizer, self._session = tokenizer, session


def _whole(text: str) -> str:
    """Half a character would make the tokeniser throw."""
    return text.encode("utf-8", "replace").decode()
