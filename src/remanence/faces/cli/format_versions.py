"""What `remanence --version` prints: the version of the program, and of each format that it reads and writes."""

from remanence._version import __version__
from remanence.curate.planner import diff
from remanence.curate.policy import compiled
from remanence.flows.exchange import exported
from remanence.flows.mirror import journal
from remanence.store.sql import schema_versions


def describe_versions() -> str:
    """Return a line with the version of the program, and one with those of the formats."""
    formats = {
        "file": schema_versions.SCHEMA_VERSION,
        "export": exported.VERSION,
        "policy": compiled.VERSION,
        "plan": diff.FORMAT,
        "mirror": journal.VERSION,
        "HTTP": "v1",
    }
    return f"remanence {__version__}\n" + ", ".join(f"{name} {version}" for name, version in formats.items())
