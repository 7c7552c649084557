"""Reads TOML that somebody wrote: refused before it is parsed where it is too long, or a key has too many parts.

Knows no document by its meaning; who reads one says of which file it is.
"""

import re
import tomllib
from typing import Any

from remanence.core.half_characters import mend_text, note_mended

TOML_BYTES_MAX = 1_048_576
KEY_PARTS_MAX = 64
# What a key cannot go on in: strings, of which a key may be one part, and comments. The first that begins wins.
_STRINGS = re.compile(
    # One that is not closed goes on to its end, so that nothing is looked through twice; the parser refuses it.
    r'"""(?:[^"\\]|\\.|"(?!""))*+(?:""")?'
    r"|'''(?:[^']|'(?!''))*+(?:''')?"
    r'|"(?:[^"\\\n]|\\.)*+"?'
    r"|'[^'\n]*+'?"
    r"|\#[^\n]*+",
    re.DOTALL,
)
# From the begin of a part, so that a long one is not tried from each of its signs.
_KEY = re.compile(rf"(?<![\w-])(?:[\w-]++[ \t]*+\.[ \t]*+){{{KEY_PARTS_MAX}}}")


class RefusedToml(tomllib.TOMLDecodeError):
    """A document that the parser is not asked for; since Python 3.14 its own error takes no free text."""

    def __init__(self, message: str) -> None:
        ValueError.__init__(self, message)


def parse_toml(text: str) -> dict[str, Any]:
    """Return what a TOML document says.

    Raises:
        tomllib.TOMLDecodeError: it is none, has more than 1 MB, or a key of more than 64 parts, which would take the
            parser minutes; a number or a nesting that Python does not take is said so too.
    """
    text, count = mend_text(text)
    note_mended(count)
    size = len(text.encode())
    if size > TOML_BYTES_MAX:
        raise RefusedToml(f"it has {size:,} bytes, more than {TOML_BYTES_MAX:,}")
    if text.count(".") >= KEY_PARTS_MAX:
        _refuse_long_keys(text)
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        raise
    except (ValueError, RecursionError) as error:
        raise RefusedToml(
            "it holds a number that is too long, or brackets too deep in one another"
        ) from error


def _refuse_long_keys(text: str) -> None:
    """Raise for a key of too many parts; strings count as one part each, and what they say as none."""
    bare = _STRINGS.sub(lambda found: "" if found[0][0] == "#" else "s" + "\n" * found[0].count("\n"), text)
    found = _KEY.search(bare)
    if found is not None:
        line = bare.count("\n", 0, found.start()) + 1
        raise RefusedToml(f"a key has more than {KEY_PARTS_MAX} parts (at line {line}, column 1)")
