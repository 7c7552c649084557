"""Which memories have the attributes and the times that filters ask for, from columns; no text is read.

Knows filters and columns; must not know what is made of those that pass.
"""

import numpy as np
import numpy.typing as npt

from remanence.core.snapshot import SnapshotRequest
from remanence.flows.base.context import Core
from remanence.flows.recall.filters import Filters
from remanence.flows.recall.time_filters import TIMES, match_times

Ints = npt.NDArray[np.int64]


async def find_passing(core: Core, filters: Filters) -> Ints:
    """Return which memories of any status pass by their attributes and times, in order of arrival."""
    now = core.clock.now()
    if not filters.times:
        return await core.attributes.seqs(filters.attributes, now)
    columns = frozenset(column for name in filters.times for column in TIMES[name])
    snapshot = await core.store.snapshot(core.scope, SnapshotRequest(columns), now)
    seqs: Ints = snapshot.seq[match_times(snapshot, filters.times)]
    if not filters.attributes:
        return seqs
    return np.intersect1d(seqs, await core.attributes.seqs(filters.attributes, now), assume_unique=True)
