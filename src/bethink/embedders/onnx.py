"""Local transformer models as ONNX files, pulled by `bethink models pull`."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bethink.embedders.models import Model
from bethink.embedders.protocol import Kind
from bethink.errors import EmbedderError, MissingExtra
from bethink.models.files import is_ready, verify
from bethink.vocabulary import Vectors

_MAX_TOKENS = 512


class OnnxEmbedder:
    batch = 32

    def __init__(self, model: Model, models: Path) -> None:
        self._model = model
        self._models = models
        self._lock = threading.Lock()
        self._session: Any = None
        self._tokenizer: Any = None

    @property
    def name(self) -> str:
        return self._model.id

    @property
    def fingerprint(self) -> str:
        weights = self._model.files[0].sha256[:16]
        return f"{self._model.id}/{weights}/{self._model.pooling}/{self._model.dimension}"

    @property
    def dimension(self) -> int:
        return self._model.dimension

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        import numpy as np

        if not texts:
            return np.empty((0, self.dimension), np.float32)
        prefix = self._model.query_prefix if kind == "query" else ""
        # half a character would make the tokeniser throw
        whole = [(prefix + text).encode("utf-8", "replace").decode() for text in texts]
        with self._lock:
            if self._session is None:
                self._load()
            encoded = self._tokenizer.encode_batch(whole)
            ids = np.array([e.ids for e in encoded], np.int64)
            mask = np.array([e.attention_mask for e in encoded], np.int64)
            given = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
            wanted = {i.name for i in self._session.get_inputs()}
            states = self._session.run(None, {k: v for k, v in given.items() if k in wanted})[0]
        if self._model.pooling == "cls":
            pooled: Vectors = states[:, 0]
        else:
            weights = mask[:, :, None].astype(np.float32)
            pooled = (states * weights).sum(axis=1) / weights.sum(axis=1)
        return pooled

    def _load(self) -> None:
        model = self._model
        if not is_ready(model, self._models):
            raise EmbedderError(
                f"the model {model.id} is not here; get it with: bethink models pull {model.id}"
            )
        fault = verify(model, self._models)
        if fault is not None:
            raise EmbedderError(f"{fault}; get it anew with: bethink models pull {model.id}")
        try:
            import onnxruntime
            from tokenizers import Tokenizer
        except ImportError:
            raise EmbedderError(str(MissingExtra(f"the model {model.id}", "onnx"))) from None
        folder = self._models / model.id
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1  # a question is one short row; threads only add waiting
        options.log_severity_level = 3
        session = onnxruntime.InferenceSession(
            str(folder / "model.onnx"), options, providers=["CPUExecutionProvider"]
        )
        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.enable_truncation(_MAX_TOKENS)
        tokenizer.enable_padding()
        self._tokenizer, self._session = tokenizer, session
