"""One memory as `get` shows it: with what of it holds no longer, and what a policy last did to it.

Called for each memory that somebody asks for by name; must not know how it is shown.
"""

from dataclasses import replace

from remanence.core.errors import StoreDamaged
from remanence.core.model import STANDING, Memory, OneMemory, Reason, Relation, Verification
from remanence.flows.base.context import Core
from remanence.flows.base.naming import build_forgotten_error
from remanence.flows.inspect.reasons import last_action
from remanence.flows.recall.current_only import with_ended


async def read_annotated_memory(core: Core, name: OneMemory) -> Memory:
    """Return one memory, which says what of it holds no longer, and what a policy's run last did to it.

    What is contradicted is disputed until that ends. A key whose memory was forgotten names none.
    """
    await core.uses.settle_to_read()
    found = await core.one(name)
    if isinstance(name, str) and name == found.key and found.reason is Reason.FORGOTTEN:
        raise build_forgotten_error(name, found)
    (memory,) = await with_ended(core, [found])
    assert memory is not None
    memory = replace(memory, last_action=await last_action(core, memory.seq))
    return replace(memory, verification=Verification.DISPUTED) if await _is_disputed(core, memory) else memory


async def _is_disputed(core: Core, memory: Memory) -> bool:
    """Tell whether an open contradiction links a memory that stands to another one."""
    links = await core.store.neighbours(core.scope, [memory.seq], Relation.CONTRADICTS)
    ends = {seq for link in links if link.resolved_at is None for seq in link.key[:2]} - {memory.seq}
    if memory.status not in STANDING or not ends:
        return False
    try:
        others = await core.store.get(core.scope, sorted(ends))
    except StoreDamaged:  # a row that cannot be read must not hide one that can, and may well contradict it
        return True
    return any(one is not None and one.status in STANDING for one in others)
