"""What the tiers of every store must do. Subclass `TierContract` and say how to make a store.

    class TestTiersOfMyStore(TierContract):
        @pytest.fixture
        def make_store(self, tmp_path):
            numbers = itertools.count()
            return lambda: MyStore(tmp_path / f"{next(numbers)}.db")

`make_store()` gives a new, empty store each time. A store that can be closed and opened again also
gives `reopen_store`; one that can be opened twice at once gives `open_beside`.
"""

from bethink.testing.tier_contract.events import EventsContract
from bethink.testing.tier_contract.holding import HoldingContract
from bethink.testing.tier_contract.quarantine import QuarantineContract
from bethink.testing.tier_contract.scanning import ScanningContract
from bethink.testing.tier_contract.working import WorkingContract

__all__ = ["TierContract"]


class TierContract(
    QuarantineContract,
    ScanningContract,
    WorkingContract,
    EventsContract,
    HoldingContract,
):
    """All of it. A part alone is enough to work on that part of a new store."""
