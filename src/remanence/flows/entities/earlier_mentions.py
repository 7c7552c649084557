"""Where a name that a text has explained stands in what its speaker said before; nothing else is linked afterwards.

Knows the store's postings; what a name is has been decided.
"""

from collections.abc import Sequence
from functools import reduce

from remanence.core.model import STANDING, Memory
from remanence.flows.base.context import Core
from remanence.languages import LEXICONS
from remanence.read.cues import language_code
from remanence.read.entity import folded_name, is_entity
from remanence.read.mentions import word_before
from remanence.read.name_evidence import read
from remanence.read.resolve_names import NamedEntity, Spoke
from remanence.text.analysis import stems

EARLIER_MAX = 20  # memories that one name is looked for in, the newest


async def with_earlier(core: Core, turns: Sequence[Memory], spoke: Spoke) -> None:
    """Add who mentioned an explained name before it was explained: it was no name then."""
    said_by = {turn.seq: turn.speaker or "" for turn in turns}
    speaker_of = {entity: said_by.get(memory, "") for memory, entity in reversed(spoke.mentions)}
    explained = {seq for join in spoke.same for seq in (join.one, join.other) if seq in spoke.new}
    for seq in sorted(explained, reverse=True):
        one, speaker = spoke.new[seq], speaker_of.get(seq, "")
        if core.entities.bearing(folded_name(one.name)):
            continue  # it is a namesake's as well
        for memory in await _naming(core, one):
            if (memory.speaker or "") == speaker and memory.seq not in said_by and _names(memory.text, one):
                spoke.mentions.setdefault((memory.seq, seq))


async def _naming(core: Core, one: NamedEntity) -> list[Memory]:
    """Return the newest memories that have the words of a name."""
    wanted = sorted(set(stems(one.name)))
    if not wanted:
        return []
    rows = (await core.store.search(core.scope, wanted)).rows
    both = reduce(set[int].intersection, [{*map(int, rows.get(stem, ()))} for stem in wanted])
    found = await core.store.get(core.scope, sorted(both)[-EARLIER_MAX:]) if both else []
    return [
        memory
        for memory in found
        if memory is not None and memory.status in STANDING and not is_entity(memory)
    ]


def _names(text: str, one: NamedEntity) -> bool:
    """Tell whether a text has a name, in its case, and not as a noun after an article or as part of a longer name."""
    code = language_code(text)
    nouns = code in LEXICONS and not LEXICONS[code].names_by_capital
    for met in read(text, one.names).names:
        alike = text[met.begin].isupper() == one.name[:1].isupper()
        if alike and not (nouns and word_before(text, met.begin) in LEXICONS[code].stop):
            return True
    return False
