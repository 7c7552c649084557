"""What is kept beside memories after an erasure: rows of sessions that have no turn any more go, other words are named.

Knows the names of rows and which verb changes each; must not know how memories are erased.
"""

from collections.abc import Collection
from typing import Any

import orjson

from remanence.flows.base.context import Core
from remanence.flows.base.heartbeat import OPEN, heartbeat_key, session_key
from remanence.flows.mirror.erased_files import Sought, spare_what_stays
from remanence.flows.recall.kept_frames import UNDER as FRAMES
from remanence.flows.write.pending_turns import buffers, cursor_key
from remanence.store.base import Bookkeeping, Find
from remanence.store.setting_rows import UNDER as SETTINGS
from remanence.write.turns import HIGH, RELEASED, TURNS

# By how a row's name begins: what it is, and what changes it. Where none of these, it is named by its own name.
_KINDS = {
    "policy": ("the adopted policy", "adopt one without them: remanence policy adopt"),
    "cursor/": ("the name of a session with other turns", "erase those, too: remanence erase"),
    "session/": ("an open session", "end it: remanence end-session"),
    OPEN: ("an open session", "end it: remanence end-session"),
    FRAMES: ("a frame", "change it: remanence frames put"),
    SETTINGS: ("a setting", "set it anew: remanence settings"),
    "guidelines/": ("the guidelines", "activate others: remanence guidelines activate"),
    "copy/": ("the path of a copy", "take it out of the list: remanence erase dismiss"),
}


async def end_sessions(core: Core, sessions: Collection[str], gone: Collection[int]) -> None:
    """Take away what is kept of sessions of which no memory is left, and of turns that came out of quarantine."""
    now = core.clock.now()
    released = await core.store.bookkeep(core.scope, Bookkeeping(now, under=(RELEASED,)))
    put: dict[str, Any] = {name: None for name in released.values if int(name.removeprefix(RELEASED)) in gone}
    counts: dict[str, int] = {}
    for session in sorted(sessions):
        if await core.store.find(core.scope, Find(equal={"session": session}, limit=1)):
            continue
        (waits,) = await buffers(core, session)
        counts |= {TURNS + session: -waits.turns, HIGH + session: -waits.high}
        put[cursor_key(session)] = None
        mark = heartbeat_key(session)
        if mark not in (await core.store.bookkeep(core.scope, Bookkeeping(now, get=(mark,)))).values:
            put[session_key(session)] = None
    if put or counts:
        await core.store.bookkeep(core.scope, Bookkeeping(now, put=put, count=counts))


async def words_left(core: Core, sought: Sought) -> tuple[str, ...]:
    """Return the kinds of rows beside the memories that say some of what was erased, each with what changes it."""
    kept = (await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), under=("",)))).values
    rows = {name: f"{name}\n{orjson.dumps(value).decode()}" for name, value in kept.items()}
    saying = [name for name, said in rows.items() if sought.stands_in(said)]
    if saying:
        await spare_what_stays(core, sought)
    return tuple(sorted({_kind(name) for name in saying if sought.stands_in(rows[name])}))


def _kind(name: str) -> str:
    known = next((told for begin, told in _KINDS.items() if name.startswith(begin)), None)
    what, way = known or (f"the row {name.partition('/')[0]!r}", "run `doctor` and look")
    return f"{what}; {way}"
