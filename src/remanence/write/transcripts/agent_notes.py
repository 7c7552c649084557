"""What stands in the notes of coding agents and says nothing: blocks that a memory wrote, and imports of other files.

Knows lines of one note; must not know what the others say.
"""

import re
from collections.abc import Sequence

from remanence.write.imported import SkipCounts
from remanence.write.memory_block import leave_out_blocks
from remanence.write.transcripts.markdown import is_fence

IMPORTED = "import of another file"
# Files of coding agents, in which a line that is a sign and one word names a file, whatever that is called.
_AGENT_FILES = frozenset(
    {"claude.md", "claude.local.md", "agents.md", "agents.override.md", "gemini.md", "memory.md"}
)
_IMPORT = re.compile(r"(?:[-*+]\s+)?@(?:[^\s\\]|\\.)+")
_PATH = re.compile(r"[./~]")


def leave_out_lines(lines: Sequence[str], path: str, skipped: SkipCounts) -> list[str]:
    """Return the lines of a note with blank ones in the place of what is no memory; that is counted."""
    kept = leave_out_blocks(lines, path, skipped)
    is_agent_file = path.rpartition("/")[2].lower() in _AGENT_FILES
    in_code = False
    for number, line in enumerate(kept):
        in_code ^= is_fence(line)
        is_import = not in_code and _IMPORT.fullmatch(line.strip()) is not None
        if is_import and (is_agent_file or _PATH.search(line)):
            kept[number] = ""
            skipped.note(IMPORTED, f"{path}: {line.strip()}")
    return kept
