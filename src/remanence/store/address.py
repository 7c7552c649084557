"""Where a memory lies: in a file, given by its path, or in a database on a server, given by its address."""

import os
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

POSTGRES_SCHEMES = ("postgresql://", "postgres://")
# Routed or direct, each plain, encrypted, or encrypted with a certificate that nobody signed.
NEO4J_SCHEMES = tuple(f"{name}{mode}://" for name in ("neo4j", "bolt") for mode in ("", "+s", "+ssc"))


def is_address(name: object) -> bool:
    """Tell whether a name is the address of a server; every other one is the path of a file."""
    return isinstance(name, str) and name.startswith((*POSTGRES_SCHEMES, *NEO4J_SCHEMES))


def is_postgres(name: str) -> bool:
    """Tell whether a name is the address of a PostgreSQL server, which alone has workers and roles of ours."""
    return name.startswith(POSTGRES_SCHEMES)


def is_neo4j(name: str) -> bool:
    """Tell whether a name is the address of a Neo4j server."""
    return name.startswith(NEO4J_SCHEMES)


def is_folder(name: str | Path) -> bool:
    """Tell whether a name is that of a folder of files: it ends in a slash. A `Path` cannot say so."""
    return not is_address(name) and str(name).endswith(("/", os.sep))


def hide_password(name: str) -> str:
    """Return an address as it may be printed; a path stays as it is."""
    if not is_address(name):
        return name
    parts = urlsplit(name)
    user, colon, _ = parts.netloc.rpartition("@")[0].partition(":")
    host = parts.netloc.rpartition("@")[2]
    place = f"{user}{':***' if colon else ''}@{host}" if user or colon else host
    return urlunsplit(parts._replace(netloc=place))


def exists(name: str) -> bool:
    """Tell whether a file is there; a database on a server is asked when it is opened."""
    return is_address(name) or Path(name).exists()
