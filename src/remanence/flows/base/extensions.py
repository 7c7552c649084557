"""Importers, embedders and writers of other packages, which register them by entry points (`docs/how-to/extend.md`).

Knows how they are found and guarded: what they raise or get wrong is said under their name. Must not know their use.
"""

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

import numpy as np

from remanence.core.errors import ExtensionError, NameUnknown, RemanenceError, WriterError, format_value
from remanence.core.model import Turn
from remanence.llm.base import (
    Embedder,
    Extractor,
    Judgement,
    Shortener,
    SimilarityThresholds,
    Vectors,
    WaitingEmbedder,
    WordWeight,
    Writer,
)
from remanence.read.extraction import (
    ExtractRequest,
    ExtractResult,
    ExtractTurn,
    ShortenResult,
    checked_extraction,
    checked_shortening,
)
from remanence.write.transcripts.base import Importer
from remanence.write.transcripts.importer_source import SkipCounts, Source, SourceImporter, as_source_importer

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

    from typing_extensions import TypeIs

T = TypeVar("T")

IMPORTERS = "remanence.importers"
EMBEDDERS = "remanence.embedders"
WRITERS = "remanence.writers"

DIMENSIONS_MAX = 8_192
NAME_CHARS_MAX = 200
MESSAGE_CHARS_MAX = 500
LOG = logging.getLogger("remanence")


def find_entry_points(
    group: str, built_in: Collection[str] = ()
) -> tuple[dict[str, "EntryPoint"], list[str]]:
    """Return the entry points of a group by name, and a complaint for each that is left out.

    Left out is a name that is built in, and one that two packages register: whose it would be is nobody's to guess.
    """
    from importlib.metadata import entry_points

    by_name: dict[str, list[EntryPoint]] = {}
    for entry in entry_points(group=group):
        by_name.setdefault(entry.name, []).append(entry)
    complaints, usable = [], {}
    for name, entries in by_name.items():
        label = " and ".join(map(_describe_entry_point, entries))
        if name in built_in:
            complaints.append(f"{label}: {name!r} is built in")
        elif len(entries) > 1:
            complaints.append(f"{label} have one name")
        else:
            usable[name] = entries[0]
    return usable, complaints


def importers(built_in: Collection[str]) -> Mapping[str, SourceImporter]:
    """Return the registered importers by name, each loaded when it is first asked."""
    usable, complaints = find_entry_points(IMPORTERS, built_in)
    for complaint in complaints:
        _say_once(f"an extension is left out: {complaint}")
    return {name: GuardedImporter(ExtensionLoader(entry)) for name, entry in sorted(usable.items())}


def embedder(name: str, built_in: Collection[str]) -> Embedder | WaitingEmbedder:
    """Load the embedder that is registered under a name; one that waits is guarded where it is asked."""
    loader: ExtensionLoader[Embedder | WaitingEmbedder] = ExtensionLoader(
        _find_entry_point(EMBEDDERS, "embedder", name, built_in)
    )
    instance = loader.get()
    return instance if is_waiting(instance) else GuardedEmbedder(loader)


def is_waiting(embedder: Embedder | WaitingEmbedder) -> "TypeIs[WaitingEmbedder]":
    """Tell whether an embedder says that it may not be asked inside `learn`."""
    return getattr(embedder, "waits", False) is True


def writer(name: str, built_in: Collection[str]) -> Writer:
    """Load the writer that is registered under a name."""
    return GuardedWriter(ExtensionLoader(_find_entry_point(WRITERS, "writer", name, built_in)))


class ExtensionLoader(Generic[T]):
    """What an entry point names: a class or a function without arguments that makes the extension, called once."""

    def __init__(self, entry: "EntryPoint") -> None:
        self.told = _describe_entry_point(entry)
        self._entry = entry
        self._made: T | None = None

    def get(self) -> T:
        """Return the extension; raise ExtensionError where it cannot be had."""
        if self._made is None:
            with wrap_extension_errors(self.told):
                self._made = self._entry.load()()
        return self._made


class GuardedImporter:
    """A registered importer: that it fails to recognise a source is logged, that it fails to read one is said."""

    reads_sources: Literal[True] = True

    def __init__(self, loaded: ExtensionLoader[Importer | SourceImporter]) -> None:
        self._loaded = loaded

    @property
    def summary(self) -> str:
        """What it says it reads."""
        with wrap_extension_errors(self._loaded.told):
            return str(self._loaded.get().summary)

    def recognises(self, source: Source) -> bool:
        """Ask it; one that fails has not recognised the source."""
        try:
            with wrap_extension_errors(self._loaded.told):
                return as_source_importer(self._loaded.get()).recognises(source) is True
        except ExtensionError as error:
            _say_once(str(error))
            return False

    def turns(self, source: Source, skipped: SkipCounts) -> list[Turn]:
        """Return its turns, if turns they are."""
        label, counts = self._loaded.told, SkipCounts()
        with wrap_extension_errors(label):
            items: list[object] = list(as_source_importer(self._loaded.get()).turns(source, counts))
        turns = [one for one in items if isinstance(one, Turn)]
        if len(turns) < len(items):
            strange = next(one for one in items if not isinstance(one, Turn))
            raise _build_extension_error(label, f"{format_value(strange)} among its turns")
        if not all(type(reason) is str and type(count) is int for reason, count in counts.items()):
            raise _build_extension_error(label, f"{format_value(dict(counts))} as what it skipped")
        skipped.update(counts)
        skipped.examples.update(counts.examples)
        return turns


class GuardedEmbedder:
    """A registered embedder, whose description is read once and whose vectors are looked at."""

    def __init__(self, loaded: ExtensionLoader[Any]) -> None:
        self._loaded = loaded
        with wrap_extension_errors(loaded.told):
            instance = loaded.get()
            self.name, self.dimensions, self.thresholds = (
                instance.name,
                instance.dimensions,
                instance.thresholds,
            )
        _check_name(loaded.told, self.name)
        if type(self.dimensions) is not int or not 0 <= self.dimensions <= DIMENSIONS_MAX:
            raise _build_extension_error(loaded.told, f"{format_value(self.dimensions)} as its dimensions")
        if type(self.thresholds) is not SimilarityThresholds:
            raise _build_extension_error(loaded.told, f"{format_value(self.thresholds)} as its thresholds")

    def embed(self, texts: Sequence[str], weight: WordWeight | None = None) -> Vectors:
        """Return its vectors, if they are as many and as long as they must be."""
        with wrap_extension_errors(self._loaded.told):
            rows = np.asarray(self._loaded.get().embed(texts, weight), np.float32)
        if rows.shape != (len(texts), self.dimensions) or not np.isfinite(rows).all():
            raise _build_extension_error(
                self._loaded.told, f"an array of shape {rows.shape}, or numbers that are not finite"
            )
        return rows


class GuardedWriter:
    """A registered writer: where it fails, what it was asked about is kept as it is.

    It extracts and shortens where the registered one does.
    """

    def __init__(self, loaded: ExtensionLoader[Writer]) -> None:
        self._loaded = loaded
        with wrap_extension_errors(loaded.told):
            instance = loaded.get()
            self.name = instance.name
        _check_name(loaded.told, self.name)
        if isinstance(instance, Extractor):
            self.extract = partial(self._extract, instance)
        if isinstance(instance, Shortener):
            self.shorten = partial(self._shorten, instance)

    async def judge(self, text: str, identity: str, others: Mapping[str, str]) -> Judgement:
        """Return its judgement; raise WriterError where there is none."""
        with self._wrap_errors():
            judgement = await self._loaded.get().judge(text, identity, others)
            if type(judgement) is not Judgement:
                raise _build_extension_error(self._loaded.told, f"{format_value(judgement)} as a judgement")
        return judgement

    async def _extract(
        self, made: Extractor, turns: Sequence[ExtractTurn], wanted: ExtractRequest
    ) -> ExtractResult:
        """Return what it found, if it makes sense of what it was shown."""
        with self._wrap_errors():
            return checked_extraction(await made.extract(turns, wanted), turns, wanted)

    async def _shorten(self, made: Shortener, text: str, tokens_max: int) -> ShortenResult:
        """Return its shorter text, if it is one."""
        with self._wrap_errors():
            return checked_shortening(await made.shorten(text, tokens_max), text, tokens_max)

    @contextmanager
    def _wrap_errors(self) -> Iterator[None]:
        """Say under its name what it fails at, as a WriterError."""
        try:
            with wrap_extension_errors(self._loaded.told):
                yield
        except ExtensionError as error:
            raise WriterError(str(error), recovery=error.recovery) from error


@contextmanager
def wrap_extension_errors(told: str) -> Iterator[None]:
    """Say under its name what goes wrong in code of another package; errors of ours stay what they are."""
    try:
        yield
    except RemanenceError:
        raise
    except Exception as error:  # code of another package may raise anything
        raise ExtensionError(
            f"{told} failed: {type(error).__name__}: {error}"[:MESSAGE_CHARS_MAX],
            recovery="tell its maintainers, or do without it",
            extension=told,
        ) from error


def _find_entry_point(group: str, what: str, name: str, built_in: Collection[str]) -> "EntryPoint":
    usable, complaints = find_entry_points(group, built_in)
    if name in usable:
        return usable[name]
    left_out = next((one for one in complaints if repr(name) in one), None)
    if left_out is not None:
        raise ExtensionError(left_out, recovery="uninstall one of them", extension=left_out)
    raise NameUnknown(what, name, [*built_in, *usable])


@cache
def _say_once(complaint: str) -> None:
    """Log a complaint, once in the life of a process: a file may be read in several attempts."""
    LOG.warning("%s", complaint)


def _describe_entry_point(entry: "EntryPoint") -> str:
    """Name an extension for a reader: what it is, its name and its package."""
    kind = entry.group.rpartition(".")[2].removesuffix("s")
    package = entry.dist.name if entry.dist is not None else "an unknown package"
    return f"the {kind} {entry.name!r} of {package}"


def _check_name(told: str, name: object) -> None:
    if not isinstance(name, str) or not 0 < len(name) <= NAME_CHARS_MAX:
        raise _build_extension_error(told, f"{format_value(name)} as its name")


def _build_extension_error(told: str, what: str) -> ExtensionError:
    return ExtensionError(
        f"{told} gave {what}", recovery="tell its maintainers, or do without it", extension=told
    )
