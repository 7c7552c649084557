"""The socket on which a server listens, before anything is loaded that answers on it."""

import os
import socket

from remanence.core.errors import InvalidInput


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; raise InvalidInput where the address cannot be had."""
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family, backlog=1_024)
    except (OSError, OverflowError) as error:
        # The error of `socket.create_server` names the address once more.
        reason = os.strerror(error.errno) if isinstance(error, OSError) and error.errno else error
        raise InvalidInput(
            f"cannot listen on {host}:{port}: {reason}",
            recovery="name an address of this machine, and a port that is free: --port 0 takes any",
        ) from error
    # asyncio sets it only where a socket says that it is TCP, which one made so does not: answers would wait 40 ms.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return listening
