"""A file of conversation comes in: read, parsed whole, then learnt; a second time it changes nothing.

Knows files and the verbs of writing; the formats are known in `write.transcripts`.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from remanence.arguments import check_path
from remanence.errors import InvalidInput, NotFound
from remanence.flows.core import Core
from remanence.flows.write import learning
from remanence.write.transcripts import Format, Transcript, parse

FILE_BYTES_MAX = 512 * 1024 * 1024  # parsed whole; takes about six times as much memory


@dataclass(frozen=True, slots=True)
class Ingested:
    """What became of a file: its turns by outcome, and what the file held that is no turn (reason → count)."""

    source: str
    format: str
    turns: int
    stored: int
    confirmed: int
    known: int
    threads: tuple[str, ...] = ()
    skipped: Mapping[str, int] = field(default_factory=dict)


async def ingest(
    core: Core,
    path: str | Path,
    format: Format,  # noqa: A002
    progress: Callable[[int], None] | None,
) -> Ingested:
    """Take the turns of a file in, 1,000 a transaction; nothing is taken in where any of it is malformed."""
    check_path(path)
    transcript = await asyncio.to_thread(_parsed, Path(path), format)
    learned = await learning.learn_many(core, transcript.turns, progress)
    counts = Counter(one.status for one in learned)
    return Ingested(
        source=Path(path).name,
        format=transcript.format,
        turns=len(learned),
        stored=counts["stored"],
        confirmed=counts["confirmed"],
        known=counts["known"],
        threads=transcript.threads,
        skipped=transcript.skipped,
    )


def _parsed(path: Path, format: Format) -> Transcript:  # noqa: A002
    try:
        if path.stat().st_size > FILE_BYTES_MAX:
            raise InvalidInput(
                f"{path} is larger than {FILE_BYTES_MAX >> 20} MB", recovery="split it into several files"
            )
        data = path.read_bytes()
    except FileNotFoundError as error:
        raise NotFound(f"no file {path}", recovery="check the path") from error
    except OSError as error:
        raise InvalidInput(
            f"cannot read {path}: {error.strerror}", recovery="name a file that you may read"
        ) from error
    return parse(data, format, path.name)
