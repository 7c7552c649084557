"""The address of a Neo4j server: scheme, host, database and who connects. Knows nothing of connections."""

import os
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from remanence.core.errors import InvalidInput

USER, PASSWORD = "NEO4J_USERNAME", "NEO4J_PASSWORD"  # of the environment, where the address names none
_FORM = "write neo4j://USER@HOST:PORT/DATABASE, and in it % as %25, @ as %40, / as %2F"


class NeoAddress(NamedTuple):
    """Where the driver connects, which database it asks for, and as whom; None for what the server decides."""

    uri: str
    database: str | None
    auth: tuple[str, str] | None


def read_address(address: str) -> NeoAddress:
    """Take an address apart; raise InvalidInput, which quotes nothing of it, for one that cannot be read."""
    try:
        parts = urlsplit(address)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    if not host or parts.query or parts.fragment or "/" in parts.path.strip("/"):
        raise InvalidInput(
            "the address of the server cannot be read",
            recovery=f"{_FORM}; the password can be kept in {PASSWORD} instead",
        )
    user = unquote(parts.username) if parts.username else os.environ.get(USER)
    password = unquote(parts.password) if parts.password else os.environ.get(PASSWORD)
    if user and password is None:
        raise InvalidInput(
            "the address names a user and no password",
            recovery=f"set {PASSWORD} to the password of that user",
        )
    auth = (user, password or "") if user else None
    place = parts.netloc.rpartition("@")[2]
    return NeoAddress(f"{parts.scheme}://{place}", unquote(parts.path.strip("/")) or None, auth)
