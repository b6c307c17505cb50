"""The last resort: no weights at all. Terms are hashed to directions and summed.

It knows nothing of meaning beyond shared words and shared characters, but it is always there,
costs microseconds, and keeps every part of the engine exercised.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from hashlib import blake2b

from bethink.embedders.protocol import Kind
from bethink.text import tokenise
from bethink.vocabulary import Vectors

_DIMENSION = 512
_DIRECTIONS_PER_TERM = 4


class HashingEmbedder:
    name = "hashing"
    fingerprint = f"hashing/v1/tokeniser-{tokenise.VERSION}/{_DIMENSION}"
    dimension = _DIMENSION
    batch = 256

    def embed(self, texts: Sequence[str], *, kind: Kind) -> Vectors:
        import numpy as np

        matrix = np.zeros((len(texts), _DIMENSION), np.float32)
        for row, text in enumerate(texts):
            # a text without any term still needs a direction
            counted = Counter(tokenise.terms(text)) or Counter([text or " "])
            for term, count in counted.items():
                digest = blake2b(term.encode("utf-8", "replace"), digest_size=8).digest()
                number = int.from_bytes(digest, "little")
                for _ in range(_DIRECTIONS_PER_TERM):
                    sign = 1.0 if number & 1 else -1.0
                    matrix[row, (number >> 1) % _DIMENSION] += sign * math.sqrt(count)
                    number >>= 14
            if not matrix[row].any():  # opposite directions met: possible, if barely
                matrix[row, 0] = 1.0
        return matrix
