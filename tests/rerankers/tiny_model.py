"""A cross-encoder small enough to read: its logit is how many tokens the pair has in common.

An ONNX file is a protocol buffer with a handful of fields. Writing them by hand spares the tests a
large package; onnxruntime reads the file as it reads any other.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from tokenizers import Regex, Tokenizer
from tokenizers.models import WordLevel
from tokenizers.normalizers import Lowercase
from tokenizers.pre_tokenizers import Split
from tokenizers.processors import TemplateProcessing

_FLOAT, _INT64 = 1, 7  # the numbers of these types in ONNX


def _varint(value: int) -> bytes:
    out = bytearray()
    while value > 127:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes([*out, value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes | str) -> bytes:
    raw = value.encode() if isinstance(value, str) else value
    return _varint(field << 3 | 2) + _varint(len(raw)) + raw


def _node(kind: str, inputs: Sequence[str], output: str, *, to: int = 0) -> bytes:
    node = b"".join(_bytes(1, name) for name in inputs) + _bytes(2, output) + _bytes(4, kind)
    if to:  # the attribute of Cast
        node += _bytes(5, _bytes(1, "to") + _number(20, 2) + _number(3, to))
    return _bytes(1, node)


def _constant(name: str, values: Sequence[int]) -> bytes:
    raw = b"".join(value.to_bytes(8, "little", signed=True) for value in values)
    return _bytes(
        5, _number(1, len(values)) + _number(2, _INT64) + _bytes(8, name) + _bytes(9, raw)
    )


def _tensor(field: int, name: str, kind: int, *axes: str) -> bytes:
    shape = b"".join(_bytes(1, _bytes(2, axis)) for axis in axes)
    return _bytes(
        field, _bytes(1, name) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, shape)))
    )


def _graph() -> bytes:
    """Σ over pairs of places: same id, the one in the question, the other in the text."""
    return b"".join(
        [
            _node("Unsqueeze", ["input_ids", "last"], "down"),
            _node("Unsqueeze", ["input_ids", "middle"], "across"),
            _node("Equal", ["down", "across"], "same"),
            _node("Cast", ["same"], "same_f", to=_FLOAT),
            _node("Cast", ["token_type_ids"], "text", to=_FLOAT),
            _node("Greater", ["input_ids", "special"], "telling"),
            _node("Cast", ["telling"], "telling_f", to=_FLOAT),
            _node("Mul", ["text", "telling_f"], "in_text"),
            _node("Sub", ["telling_f", "in_text"], "in_question"),
            _node("Unsqueeze", ["in_question", "last"], "rows"),
            _node("Unsqueeze", ["in_text", "middle"], "columns"),
            _node("Mul", ["same_f", "rows"], "half"),
            _node("Mul", ["half", "columns"], "common"),
            _node("ReduceSum", ["common", "both"], "sums"),  # of shape (n, 1, 1)
            _node("Squeeze", ["sums", "last"], "logits"),
            _bytes(2, "tiny"),
            _constant("last", [2]),
            _constant("middle", [1]),
            _constant("both", [1, 2]),
            _constant("special", [3]),
            _tensor(11, "input_ids", _INT64, "n", "length"),
            _tensor(11, "token_type_ids", _INT64, "n", "length"),
            _tensor(12, "logits", _FLOAT, "n", "one"),
        ]
    )


def make_encoder() -> bytes:
    """An embedding model: it gives a row for each token instead of one score."""
    graph = b"".join(
        [
            _node("Unsqueeze", ["input_ids", "last"], "down"),
            _node("Cast", ["down"], "last_hidden_state", to=_FLOAT),
            _bytes(2, "encoder"),
            _constant("last", [2]),
            _tensor(11, "input_ids", _INT64, "n", "length"),
            _tensor(12, "last_hidden_state", _FLOAT, "n", "length", "one"),
        ]
    )
    return _number(1, 8) + _bytes(7, graph) + _bytes(8, _number(2, 13))


def make(folder: Path, words: str) -> Path:
    """A directory with the model and a tokeniser that knows these words and Chinese characters."""
    folder.mkdir(parents=True, exist_ok=True)
    model = _number(1, 8) + _bytes(7, _graph()) + _bytes(8, _number(2, 13))
    (folder / "model.onnx").write_bytes(model)
    pieces = Split(Regex(r"[\u4e00-\u9fff]|\w+"), "removed", invert=True)
    names = ["[PAD]", "[UNK]", "[CLS]", "[SEP]"]
    names += sorted({piece for piece, _ in pieces.pre_tokenize_str(words.lower())})
    tokenizer = Tokenizer(WordLevel({n: at for at, n in enumerate(names)}, unk_token="[UNK]"))
    tokenizer.normalizer = Lowercase()
    tokenizer.pre_tokenizer = pieces
    tokenizer.post_processor = TemplateProcessing(
        single="[CLS] $A [SEP]",
        pair="[CLS] $A [SEP] $B:1 [SEP]:1",
        special_tokens=[("[CLS]", 2), ("[SEP]", 3)],
    )
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder
