"""Where the command line has the key of an encrypted file from: a file, a command or the environment.

Knows no more of a key than its bytes; never prints or keeps them.
"""

import os
import shlex
import subprocess
from functools import lru_cache

from remanence.core.arguments import check_path
from remanence.core.beside import read_named
from remanence.core.errors import InvalidInput, NotFound

VARIABLE = "REMANENCE_KEY"
_BYTES_MAX = 4_096
_SECONDS_MAX = 120  # somebody may have to type a password


def read_named_key(file: str | None, command: str | None, options: str = "--key") -> bytes | None:
    """Return the key that one of two options names; None where neither does."""
    if file is not None and command is not None:
        raise InvalidInput(
            f"{options}-file and {options}-command both name a key", recovery="leave one of them out"
        )
    if file is not None:
        return _refuse_empty(_read_file(file), file)
    if command is not None:
        return _refuse_empty(_run_command(command), "what the command printed")
    return None


def read_key(file: str | None, command: str | None) -> bytes | None:
    """Return the key of the file that is there: as the options say, else the environment; None for none."""
    key = read_named_key(file, command)
    if key is None and VARIABLE in os.environ:
        return _refuse_empty(os.fsencode(os.environ[VARIABLE]), VARIABLE)
    return key


def _refuse_empty(key: bytes, source: str) -> bytes:
    """Return a key; an empty one would make a new file that is not encrypted, so it is never taken for none."""
    if not key.strip():
        raise InvalidInput(
            f"the key is empty: {source}",
            recovery="see why nothing is there; for a file that is not encrypted name no key, and unset "
            + VARIABLE,
        )
    return key


@lru_cache(maxsize=4)  # one command line may open the memory several times, and a pipe is read once
def _read_file(file: str) -> bytes:
    check_path(file)
    try:
        return read_named(file, bytes_max=_BYTES_MAX)
    except FileNotFoundError:
        raise NotFound(f"there is no key file {file}", recovery="check the path") from None
    except OSError as error:
        raise InvalidInput(
            f"the key file {file} cannot be read: {error.strerror}",
            recovery=f"name a file of at most {_BYTES_MAX:,} bytes that you may read",
        ) from None


@lru_cache(maxsize=4)
def _run_command(command: str) -> bytes:
    """Return what a command prints; on standard input `mcp` has its protocol, so a command asks at the terminal."""
    try:
        words = shlex.split(command)
        done = subprocess.run(  # noqa: S603 - the user's own
            words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, timeout=_SECONDS_MAX, check=True
        )
    except subprocess.CalledProcessError as error:
        why = f"ended with exit code {error.returncode}"
    except subprocess.TimeoutExpired:
        why = f"did not end within {_SECONDS_MAX} seconds"
    except (OSError, ValueError, IndexError) as error:
        why = f"cannot be run: {getattr(error, 'strerror', None) or error}"
    else:
        return done.stdout
    raise InvalidInput(
        f"the key command {why}",
        recovery="run it by itself: it has to print the key alone; for a pipe name a shell: sh -c '…'",
    )
