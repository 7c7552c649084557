"""Policies as they come in: by a preset's name, as a text, from a file, or as the scope has adopted one.

Called at each opening and wherever a policy is named; must not know what a policy does.
"""

from collections.abc import Mapping
from functools import cache
from typing import Any

from remanence.core.arguments import check_path
from remanence.core.beside import DOCUMENT_BYTES_MAX, read_regular
from remanence.core.errors import InvalidInput, PolicyError
from remanence.curate.policy.compiled import Policy, load
from remanence.flows.base.context import Core
from remanence.store.base import Bookkeeping

NO_RULES = 'version = 1\nname = "none"\n'
POLICY = "policy"  # the adopted policy's name in the bookkeeping: {"name", "hash", "source"}


@cache
def no_policy() -> Policy:
    """Return the policy of a memory that was given none: the categories are declared, nothing is ever selected."""
    return load(NO_RULES)


def read_policy(policy: str, overrides: Mapping[str, Mapping[str, Any]] | None = None) -> Policy:
    """Compile a preset by its name, a TOML text, or a TOML file by its path."""
    if "\n" in policy or not policy.endswith(".toml"):
        return load(policy, overrides)
    check_path(policy)
    try:
        written = read_regular(policy, bytes_max=DOCUMENT_BYTES_MAX).decode()
    except OSError as error:
        raise InvalidInput(
            f"cannot read the policy {policy}: {error.strerror}",
            recovery="check the path; name a regular file",
        ) from error
    except UnicodeDecodeError as error:
        raise PolicyError(
            f"is not UTF-8: {error.reason} at byte {error.start}", recovery="save it as UTF-8", source=policy
        ) from error
    return load(written, overrides, file=policy)


async def read_adopted_policy(core: Core) -> Mapping[str, Any] | None:
    """Return the adopted policy as it is stored, or None."""
    booked = await core.store.bookkeep(core.scope, Bookkeeping(core.clock.now(), get=(POLICY,)))
    return booked.values.get(POLICY)


def is_adopted(stored: Mapping[str, Any], policy_hash: str) -> bool:
    """Tell whether a hash is the adopted policy's; the stored one may be of a version that counted otherwise."""
    return policy_hash in (stored["hash"], load(stored["source"], stored=True).hash)
