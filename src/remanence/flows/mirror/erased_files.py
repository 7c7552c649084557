"""Mirrors after an erasure: files of what went go, also those that somebody edited; then all are looked through.

Knows which memories went and whose names; must not know why.
"""

import asyncio
import os
import re
import unicodedata
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from remanence.core.errors import InvalidInput, StoreUnavailable
from remanence.core.model import Memory
from remanence.core.redaction import Names
from remanence.flows.base.context import Core
from remanence.flows.base.paging import iterate_pages
from remanence.flows.mirror import agent_files
from remanence.flows.mirror.file_names import as_title, slug_of
from remanence.flows.mirror.folder import OWN, Folder
from remanence.flows.mirror.mirroring import Mirroring

RUN_WORDS = 3  # of a text that are looked for together, or all where it has fewer
RUN_CHARS_MIN = 8  # what is shorter stands by chance in many texts
RUNS_MAX = 200_000  # that are looked for, spread over all that was erased
PAGE = 500
LOOKED_BYTES_MAX = 50_000_000  # of a file that is looked through; one that is larger is named
_WORD = re.compile(r"[^\W_]+")
_DAY = re.compile(r"[12]\d{3}-[01]\d-[0-3]\d")  # which stands in names and lines, whoever said anything on it
_ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be")


@dataclass(slots=True)
class Sought:
    """What is looked for in the files of mirrors: runs of words of what goes, and names that are taken out.

    Of more runs than there is room for, every second, fourth … is looked for.
    """

    names: Names | None = None
    runs: set[int] = field(default_factory=set)
    sessions: set[str] = field(default_factory=set)  # of what goes
    _every: int = 1

    def add(self, texts: Iterable[str]) -> None:
        """Look for what these say."""
        for text in texts:
            self.runs.update(run for run in _hash_runs(text, whole=True) if run % self._every == 0)
            while len(self.runs) > RUNS_MAX:
                self._every *= 2
                self.runs = {run for run in self.runs if run % self._every == 0}

    def spare(self, texts: Iterable[str]) -> None:
        """Look no more for what these say."""
        for text in texts:
            self.runs.difference_update(_hash_runs(text, whole=False))

    def stands_in(self, text: str) -> bool:
        """Tell whether a text says any of it."""
        if self.names is not None:
            apart = text.replace("-", " ")
            forms = (self.names, *_as_in_file_names(self.names))
            if any(names.stand_in(one) for names in forms for one in (text, apart)):
                return True
        return any(run in self.runs for run in _hash_runs(text, whole=False)) if self.runs else False


def _as_in_file_names(names: Names) -> Iterator[Names]:
    """Yield names as those of files have them: of pages in small letters, of facts as a title."""
    for form in (lambda name: slug_of(name).replace("-", " "), as_title):
        own, others = ([said for one in some if (said := form(one))] for some in (names.names, names.others))
        if own:
            yield Names(tuple(own), tuple(others))


def _hash_runs(text: str, *, whole: bool) -> Iterator[int]:
    """Yield what tells runs of words, whatever their case and accents; of a `whole` text also one that is shorter."""
    for read in {
        _normalize_text(text),
        unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower(),
    }:
        runs = _iterate_windows(_WORD.findall(read), whole=whole)
        yield from (
            hash(run)
            for run in runs
            if sum(map(len, run)) >= RUN_CHARS_MIN
            and not (run[0].isdecimal() and _DAY.fullmatch("-".join(run)))
        )


def _iterate_windows(words: Sequence[str], *, whole: bool) -> Iterator[tuple[str, ...]]:
    """Yield all runs of so many words and fewer; of a `whole` text only the longest, which may be all of it."""
    for length in [min(RUN_WORDS, len(words))] if whole else range(1, RUN_WORDS + 1):
        for at in range(len(words) - length + 1 if length else 0):
            yield tuple(words[at : at + length])


def _normalize_text(text: str) -> str:
    signs = unicodedata.normalize("NFKD", text.casefold())
    return "".join(sign for sign in signs if not unicodedata.combining(sign))


@dataclass(frozen=True, slots=True)
class MirrorResidue:
    """Folders that could not be brought up to date, or hold edits by hand, and files that say some of it."""

    folders: tuple[str, ...] = ()
    files: tuple[str, ...] = ()


async def sought_of(core: Core, revisions: Mapping[int, int], names: Names | None) -> Sought:
    """Read what is to be looked for in mirrors, and beside the memories, once it is erased."""
    sought = Sought(names)
    seqs = sorted(revisions)
    for begin in range(0, len(seqs), PAGE):
        memories = await core.store.get(core.scope, seqs[begin : begin + PAGE])
        texts = [text for one in memories if one is not None for text in _list_texts(one)]
        sought.sessions.update(one.session for one in memories if one is not None and one.session)
        await asyncio.to_thread(sought.add, texts)
    return sought


def _list_texts(memory: Memory) -> list[str]:
    return [one for one in (memory.text, memory.summary) if one]


async def clear(core: Core, folders: Sequence[str], gone: Collection[int], sought: Sought) -> MirrorResidue:
    """Bring folders to what the memory holds now, and look through all their files for what was erased."""
    if not folders:
        return MirrorResidue()
    unreached = [one for one in folders if not await _is_brought(core, Path(one), gone)]
    await spare_what_stays(core, sought)
    files = [
        path
        for folder in folders
        for path in await asyncio.to_thread(lambda at: [*_find_files_holding(at, sought)], Path(folder))
    ]
    return MirrorResidue(tuple(unreached), tuple(files))


async def _is_brought(core: Core, root: Path, gone: Collection[int]) -> bool:
    """Bring a folder to what the memory holds now, without edits by hand of the memories that went.

    False where it cannot be reached, and where other edits by hand are left in it, which may say anything.
    """
    if agent_files.is_agent_file(root):
        return await agent_files.bring_block(core, root)
    if not await asyncio.to_thread((root / OWN).is_dir):
        return False
    mirroring = Mirroring(core, root)
    try:
        async with mirroring.hold_folder():
            await mirroring.look()
            files = mirroring.journal.files
            for path in [path for path in mirroring.edited if path in files and files[path].owner in gone]:
                mirroring.settle(path, files[path].owner)
            await mirroring.write()
            return not mirroring.edited and not mirroring.done.damaged
    except (InvalidInput, StoreUnavailable):
        return False


async def spare_what_stays(core: Core, sought: Sought) -> None:
    """Look no more for words that what stays says, too."""
    async for page in iterate_pages(core):
        if not sought.runs:
            return
        texts = [text for one in page for text in _list_texts(one)]
        await asyncio.to_thread(sought.spare, texts)


def _find_files_holding(root: Path, sought: Sought) -> Iterator[str]:
    """Yield the files in a folder of which the name or the contents say what is looked for, or that cannot be read.

    Hidden folders but for the mirror's own are somebody else's, such as that of git.
    """
    is_file = agent_files.is_agent_file(root)
    if not (os.path.lexists(root) if is_file else (root / OWN).is_dir()):
        return
    unread: list[str] = []
    try:
        with Folder(root.parent if is_file else root) as folder:
            names = [root.name] if is_file else _files_of(root, unread)
            yield from (str(folder.root / path) for path in names if _holds_sought(folder, path, sought))
    except (InvalidInput, StoreUnavailable):  # it was taken away meanwhile
        unread.append(str(root))
    yield from unread


def _files_of(root: Path, unread: list[str]) -> Iterator[str]:
    """Yield the files beneath a folder by their paths in it; folders that cannot be listed are added to `unread`."""
    for above, inner, names in os.walk(root, onerror=lambda error: unread.append(str(error.filename))):
        inner[:] = [one for one in inner if one == OWN or not one.startswith(".")]
        yield from (str((Path(above) / name).relative_to(root)) for name in sorted(names))


def _holds_sought(folder: Folder, path: str, sought: Sought) -> bool:
    """Tell whether a file's name or contents say what is looked for, or nobody knows what it says."""
    if sought.stands_in(path):
        return True
    try:
        data, _ = folder.read(path, LOOKED_BYTES_MAX)
    except FileNotFoundError:  # taken away since it was listed
        return False
    except (InvalidInput, StoreUnavailable):  # no plain file, or too large: nobody knows what it says
        return True
    encodings = _ENCODINGS if b"\0" in data else _ENCODINGS[:1]
    return any(sought.stands_in(data.decode(how, "replace")) for how in encodings)
