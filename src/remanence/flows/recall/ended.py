"""What of a memory holds no longer: the claims that newer ones replaced, and a memory whose time is over."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from remanence.flows.core import Core
from remanence.model import STANDING, Memory, short_id
from remanence.results import date_of


async def with_ended(core: Core, memories: Sequence[Memory | None]) -> list[Memory | None]:
    """Return memories that say of themselves what of them holds no longer."""
    now = core.clock.now()
    ended: dict[int, list[str]] = defaultdict(list)
    standing = [one.seq for one in memories if one is not None and one.status in STANDING]
    for claim in await core.store.claims(core.scope, standing) if standing else ():
        if claim.replaced_by is not None:
            ended[claim.seq].append(f"out of date: {claim.value} (see {short_id(claim.replaced_by)})")
    for one in memories:
        if one is not None and one.status in STANDING and one.valid_to is not None and one.valid_to <= now:
            ended[one.seq].append(f"expired {date_of(one.valid_to)}")
    return [
        one if one is None or one.seq not in ended else replace(one, ended=tuple(ended[one.seq]))
        for one in memories
    ]
