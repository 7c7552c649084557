"""The word hashes of archived memories, made from their texts whenever they are asked for.

Knows rows of the memory store; must not know where they are kept.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from remanence.text import word_hashes
from remanence.text.word_hashes import NAMED, WordHashPart, WordHashRow, part_from, part_of


def parts_of(
    archived: Mapping[int, Mapping[str, Any]], seqs: Iterable[int]
) -> tuple[dict[int, WordHashPart], dict[int, str]]:
    """Return the parts of all memories with the words of those that are archived, and the names behind numbers."""
    named = {seq: [row[name] for name in NAMED] for seq, row in archived.items()}
    names = sorted({name for some in named.values() for name in some if name})
    numbers = {name: number for number, name in enumerate(names, 1)}
    # A part that nothing is left of is empty, not gone: whoever has read it must learn that.
    rows: dict[int, list[WordHashRow]] = {part_of(seq): [] for seq in seqs}
    for seq, row in archived.items():
        coded = [None if name is None else numbers[name] for name in named[seq]]
        rows[part_of(seq)].append(word_hashes.row(seq, row["text"], coded, row))
    return {part: part_from(some) for part, some in rows.items()}, dict(enumerate(names, 1))
