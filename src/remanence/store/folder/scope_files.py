"""Which file of a folder holds which scope: the name of the scope, escaped so that every file system keeps it apart.

Knows names alone; opens nothing.
"""

from hashlib import blake2b
from pathlib import Path

ENDING = ".db"
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789_-")
_CHARS_MAX = 200  # file systems keep 255, of which the files beside it take some
_DIGEST_BYTES = 16
# A name that Windows gives to a device, whatever its ending.
_DEVICES = frozenset(
    {"con", "prn", "aux", "nul"} | {f"{port}{n}" for port in ("com", "lpt") for n in range(10)}
)


def name_file(scope: str) -> str:
    """Return the name of the file of a scope, "%.db" for what concerns every scope.

    Small letters, digits, `_` and `-` stand for themselves and each other byte as %XX, so that no two names are one
    where capitals make no difference. A long name is its beginning and a hash.
    """
    escaped = "".join(chr(byte) if byte in _PLAIN else f"%{byte:02x}" for byte in scope.encode())
    if escaped in _DEVICES:
        escaped = f"%{ord(escaped[0]):02x}{escaped[1:]}"
    if len(escaped) > _CHARS_MAX:
        digest = blake2b(scope.encode(), digest_size=_DIGEST_BYTES).hexdigest()
        escaped = f"{escaped[: _CHARS_MAX - len(digest)]}%-{digest}"
    return f"{escaped or '%'}{ENDING}"


def list_files(folder: Path) -> list[Path]:
    """Return the files of a folder that may hold a scope, in order of their names."""
    return sorted(
        one for one in folder.iterdir() if one.name.endswith(ENDING) and not one.name.startswith(".")
    )
