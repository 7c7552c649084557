"""Which version the tables have, and which versions of the code filled their columns, as `meta` says of a database."""

from collections.abc import Mapping, Sequence

from remanence.core.score import DECAY_VERSION
from remanence.store.sql.sums import SUMS_VERSION
from remanence.text.analysis import FINGERPRINT_VERSION, TOKENIZER_VERSION
from remanence.text.condense import CONDENSED_VERSION
from remanence.text.tokens import TOKENS_VERSION

SCHEMA_VERSION = 17
# None of the versions before it was published, see decision 66.
BASELINE_VERSION = 17
# By version and dialect, the statements that bring the tables of the version before to it.
STEPS: Mapping[int, Mapping[str, Sequence[str]]] = {}
ROW_DIGEST_VERSION = 4
TOKENIZER, SUMS = "tokenizer", "sums"
# What a database made today says in `meta`; but for the first and the last each is about one column.
MARKS: Mapping[str, str] = {
    TOKENIZER: str(TOKENIZER_VERSION),
    "fingerprint": str(FINGERPRINT_VERSION),
    "tokens": str(TOKENS_VERSION),
    "short tokens": str(CONDENSED_VERSION),
    "short words": str(CONDENSED_VERSION),
    "decay": str(DECAY_VERSION),
    "row digest": str(ROW_DIGEST_VERSION),
    SUMS: str(SUMS_VERSION),
}


def list_steps(dialect: str, version: int) -> list[str]:
    """Return what brings the tables of a version to those of today, in order."""
    later = sorted(to for to in STEPS if to > version)
    return [statement for to in later for statement in STEPS[to][dialect]]
