"""What every store must do, sentence by sentence. Subclass `StoreContract` and say how to make one.

    class TestMyStore(StoreContract):
        @pytest.fixture
        def make_store(self, tmp_path):
            numbers = itertools.count()
            return lambda: MyStore(tmp_path / f"{next(numbers)}.db")

`make_store()` gives a new, empty store each time. A store that can be closed and opened again also
gives `reopen_store`, and is then held to what it must still know.
"""

from bethink.testing.store_contract.care import CareContract
from bethink.testing.store_contract.embedding import EmbeddingContract
from bethink.testing.store_contract.erasing import ErasingContract
from bethink.testing.store_contract.reading import ReadingContract
from bethink.testing.store_contract.searching import SearchingContract
from bethink.testing.store_contract.spaces import SpacesContract
from bethink.testing.store_contract.writing import WritingContract

__all__ = ["StoreContract"]


class StoreContract(
    WritingContract,
    ReadingContract,
    ErasingContract,
    SpacesContract,
    SearchingContract,
    EmbeddingContract,
    CareContract,
):
    """All of it. A part alone is enough to work on that part of a new store."""
