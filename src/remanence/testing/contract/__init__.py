"""The contract of a store, as a class of tests: each says in one sentence what every store must do.

Subclass `StoreContract` with a fixture `store` that yields an opened, empty store, and let pytest collect it. Where two
processes may open the same data, let a fixture `other` yield a second store on it.
"""

from remanence.testing.contract.archiving import ArchivingContract
from remanence.testing.contract.audit import AuditContract, UseRunsContract
from remanence.testing.contract.blocks import BlockContract
from remanence.testing.contract.books import BooksContract
from remanence.testing.contract.boxes import BoxContract
from remanence.testing.contract.claims import ClaimContract
from remanence.testing.contract.commits import CommitContract
from remanence.testing.contract.embeddings import EmbeddingContract
from remanence.testing.contract.ending import EndingContract, ErasingContract
from remanence.testing.contract.guards import GuardContract
from remanence.testing.contract.reads import ReadContract
from remanence.testing.contract.refusals import RefusalContract
from remanence.testing.contract.snapshots import SnapshotContract
from remanence.testing.contract.writers import WritersContract


class StoreContract(
    CommitContract,
    GuardContract,
    RefusalContract,
    ReadContract,
    SnapshotContract,
    ArchivingContract,
    AuditContract,
    BlockContract,
    BooksContract,
    ClaimContract,
    BoxContract,
    ErasingContract,
    EndingContract,
    UseRunsContract,
    EmbeddingContract,
    WritersContract,
):
    """Everything that a store must do."""
