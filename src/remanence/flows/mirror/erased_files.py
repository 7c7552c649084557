"""A mirror after an erasure: the files of what went go, also those that somebody edited.

Knows which memories went; must not know why.
"""

import asyncio
from collections.abc import Collection
from pathlib import Path

from remanence.errors import InvalidInput, StoreUnavailable
from remanence.flows.core import Core
from remanence.flows.mirror.folder import OWN
from remanence.flows.mirror.mirroring import Mirroring


async def is_without(core: Core, root: Path, gone: Collection[int]) -> bool:
    """Bring a folder to what the memory holds now, without edits by hand of the memories that went.

    False where it cannot be reached, and where other edits by hand are left in it, which may say anything.
    """
    if not await asyncio.to_thread((root / OWN).is_dir):
        return False
    mirroring = Mirroring(core, root)
    try:
        async with mirroring.opened():
            await mirroring.look()
            kept = mirroring.journal.files
            for path in [path for path in mirroring.edited if path in kept and kept[path].owner in gone]:
                mirroring.settle(path, kept[path].owner)
            await mirroring.write()
            return not mirroring.edited and not mirroring.done.damaged
    except (InvalidInput, StoreUnavailable):
        return False
