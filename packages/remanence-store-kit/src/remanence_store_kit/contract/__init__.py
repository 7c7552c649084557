"""The contract of a store, as classes of tests: each test says in one sentence what a store must do.

Subclass `StoreContract` with a fixture `store` that yields an opened, empty store, and let pytest collect it: rules of
capabilities that the store lacks are skipped, and say so. Where two processes may open the same data, let a fixture
`other` yield a second store on it. `CoreContract` and the class of each capability can be taken alone, and
`python -m remanence_store_kit.contract PACKAGE:STORE` prints which of them hold.
"""

from collections.abc import Mapping
from typing import Final

from remanence.store.capabilities import (
    ANSWERS,
    BOXES,
    CHECKED,
    ERASABLE,
    FILE,
    IMAGE_EXPIRY,
    SIZES,
    TRANSFER,
    VECTORS,
    VOCABULARY,
)
from remanence_store_kit.contract.answers import AnswerContract
from remanence_store_kit.contract.audit import AuditContract, UseRunsContract
from remanence_store_kit.contract.blocks import BlockContract
from remanence_store_kit.contract.books import BooksContract
from remanence_store_kit.contract.boxes import BoxContract
from remanence_store_kit.contract.checks import CheckedContract
from remanence_store_kit.contract.commits import CommitContract
from remanence_store_kit.contract.embeddings import VectorContract
from remanence_store_kit.contract.ending import ImageExpiryContract
from remanence_store_kit.contract.erasing import ErasableContract
from remanence_store_kit.contract.files import FileContract
from remanence_store_kit.contract.guards import GuardContract
from remanence_store_kit.contract.reads import ReadContract
from remanence_store_kit.contract.refusals import RefusalContract
from remanence_store_kit.contract.sizes import SizeContract
from remanence_store_kit.contract.snapshots import SnapshotContract
from remanence_store_kit.contract.transfers import TransferContract
from remanence_store_kit.contract.vocabulary import VocabularyContract
from remanence_store_kit.contract.writers import WritersContract


class CoreContract(
    CommitContract,
    GuardContract,
    RefusalContract,
    ReadContract,
    SnapshotContract,
    AuditContract,
    BlockContract,
    BooksContract,
    UseRunsContract,
    WritersContract,
):
    """What every store must do, whatever else it can."""


class StoreContract(
    CoreContract,
    VectorContract,
    VocabularyContract,
    AnswerContract,
    BoxContract,
    ErasableContract,
    ImageExpiryContract,
    CheckedContract,
    SizeContract,
    TransferContract,
    FileContract,
):
    """Everything that a store must do; of what it lacks nothing is asked."""


CONTRACTS: Final[Mapping[str, type]] = {
    "core": CoreContract,
    VECTORS.name: VectorContract,
    VOCABULARY.name: VocabularyContract,
    ANSWERS.name: AnswerContract,
    BOXES.name: BoxContract,
    ERASABLE.name: ErasableContract,
    IMAGE_EXPIRY.name: ImageExpiryContract,
    CHECKED.name: CheckedContract,
    SIZES.name: SizeContract,
    TRANSFER.name: TransferContract,
    FILE.name: FileContract,
}
