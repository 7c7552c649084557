"""Where the indexes of scopes lie beside a database, and how they are taken away. Knows names of files alone."""

from glob import escape
from hashlib import blake2b
from pathlib import Path

from remanence.store.data_inventory import INDEX_FILES

_DIGEST_BYTES = 8


def build_path(path: str, scope: str) -> Path:
    """Return where the index of a scope lies; its name tells nobody the scope's."""
    return Path(f"{path}{INDEX_FILES.name}{blake2b(scope.encode(), digest_size=_DIGEST_BYTES).hexdigest()}")


def list_all(path: str) -> list[Path]:
    """Return the indexes of a database, and what was left half-written of them, in order."""
    file = Path(path)
    return sorted(file.parent.glob(f"{escape(file.name)}{INDEX_FILES.name}*"))


def remove_all(path: str) -> None:
    """Take the indexes of a database away; raises OSError."""
    for file in list_all(path):
        file.unlink(missing_ok=True)
