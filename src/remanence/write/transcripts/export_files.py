"""Which files of an export hold conversations: one file, or `conversations.json` in parts, in a folder or an archive.

Knows names of files and how a JSON text begins; must not know what a conversation looks like.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from typing import Any

from remanence.core.errors import IngestError
from remanence.write.transcripts import base
from remanence.write.transcripts.importer_source import LINES, SkipCounts, Source

# Large exports come in parts; a file without a number comes before those that have one.
_CONVERSATIONS = re.compile(r"conversations(?:[-_](\d{1,9}))?\.json", re.IGNORECASE)


def holds_conversations(source: Source, fits: Callable[[Mapping[str, Any]], bool]) -> bool:
    """Tell whether the first object of one of the files fits."""
    heads = (base.head(source.text(name)) for name in list_candidates(source))
    return any(head is not None and fits(head) for head in heads)


def holds_lines(source: Source, fits: Callable[[Mapping[str, Any]], bool]) -> bool:
    """Tell whether one of the first objects on the lines of a file fits; of a folder a file named as one of lines."""
    names = source.list_files(*LINES) if source.is_folder else source.files
    return any(fits(head) for name in names for head in base.heads(source.text(name)))


def list_candidates(source: Source) -> list[str]:
    """Return the one file, or those of a folder that are named like conversations, in the order of their parts."""
    if not source.is_folder:
        return list(source.files)
    found: list[tuple[str, int, str]] = []
    for name in source.files:
        folder, _, last = name.rpartition("/")
        match = _CONVERSATIONS.fullmatch(last)
        if match:
            found.append((folder, -1 if match[1] is None else int(match[1]), name))
    return [name for *_, name in sorted(found)]


def read_conversations(source: Source) -> Iterator[tuple[str, str]]:
    """Yield name and text of each file of conversations; raise IngestError where a source has none."""
    names = list_candidates(source)
    if not names:
        raise IngestError(
            "it holds no conversations.json",
            recovery="name the file, folder or archive of an export",
            source=source.name,
            line=1,
        )
    for name in names:
        yield name, source.text(name)


def note_other_files(source: Source, read: Collection[str], skipped: SkipCounts) -> None:
    """Count the files of a folder that were not `read`."""
    for name in source.files:
        if source.is_folder and name not in read:
            skipped.note("file of the export that is not read", name)
