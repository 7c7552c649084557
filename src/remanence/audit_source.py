"""A source is judged in a memory of its own, which is gone with the answer: no database is needed, none is written."""

from pathlib import Path

from remanence.core.arguments import check_count
from remanence.core.clock import Clock
from remanence.core.keywords import Progress
from remanence.core.signatures import validate_arguments
from remanence.flows.inspect.source_audit import SourceAudit, audit_source
from remanence.opening import open as open_memory
from remanence.write.transcripts.importer_source import AnyImporter

EXAMPLES_MAX = 100_000


@validate_arguments
async def audit(
    path: str | Path,
    *,
    format: str | AnyImporter = "auto",  # noqa: A002
    policy: str = "default",
    examples: int = 3,
    clock: str | Clock = "wall",
    progress: Progress | None = None,
) -> SourceAudit:
    """Say what of a file, a folder or a database is duplicate, stale, contradicting, secret, an order or small talk.

    Nothing is stored, on this machine or elsewhere, and no model is asked. `format` is as for `ingest`; `policy`, a
    preset's name or the path of a TOML file, says what would be let go as of now; of each kind so many `examples` are
    shown, with markers where secrets and personal data stood.
    """
    check_count("examples", examples, 0, EXAMPLES_MAX)
    async with open_memory(":memory:", policy=policy, clock=clock) as memory:
        core = memory._core  # noqa: SLF001 # it was opened here, for this alone
        return await audit_source(core, path, format, examples=examples, progress=progress)
