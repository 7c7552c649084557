"""A store of which copies can be made: it overwrites nothing, and hears of what was erased since."""

from pathlib import Path

from remanence.core.errors import RemanenceError
from remanence.store.base import LedgerFindings
from remanence.store.capabilities import ERASABLE, FILE, FullStore
from remanence_store_kit.builders import SCOPE, expect_error
from remanence_store_kit.contract.erasing import erase_one_memory
from remanence_store_kit.contract.needs import needs, needs_also


@needs(FILE)
class FileContract:
    """A copy of it, put back, is noticed."""

    @needs_also(ERASABLE)
    async def test_a_store_that_nothing_took_the_place_of_has_nothing_back(self, store: FullStore) -> None:
        """The ledger, where one is kept, says what the store knows."""
        await erase_one_memory(store)
        await store.clean(SCOPE)

        assert LedgerFindings() == await store.compare_ledgers()
        assert await store.take_ledgers(SCOPE)
        assert LedgerFindings() == await store.compare_ledgers()

    async def test_a_backup_overwrites_nothing(self, store: FullStore, tmp_path: Path) -> None:
        """What lies at the path stays as it is, and an error says so; a store that has no file refuses any path."""
        path = tmp_path / "taken"
        path.write_bytes(b"somebody's")
        error = await expect_error(RemanenceError, store.backup(str(path)))

        assert error.recovery
        assert b"somebody's" == path.read_bytes()
