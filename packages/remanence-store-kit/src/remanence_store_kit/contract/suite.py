"""The contract as pytest collects it for a report, which gives the stores. Knows nothing else."""

import pytest

from remanence.store.base import Store
from remanence_store_kit.contract import StoreContract


class TestStore(StoreContract):
    """Everything, on the stores of a report."""

    @pytest.fixture
    def other(self, second_store: Store) -> Store:
        """Return a second store on the same data."""
        return second_store
