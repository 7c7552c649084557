"""A store of which only the core is seen, and the capabilities that are named: what less a store can do is tried on it.

Knows the table of capabilities; knows no store.
"""

from types import SimpleNamespace
from typing import cast

from remanence.store.base import Store
from remanence.store.capabilities import CORE, Capability, can, complete


def limit_store(store: Store, *capabilities: Capability) -> Store:
    """Return a store with the verbs of the core and of these capabilities, as far as it has them, and their tables."""
    verbs = (verb for one in capabilities if can(store, one) for verb in one.verbs)
    methods = {verb: getattr(store, verb) for verb in (*CORE, *verbs)}
    guarded = complete(cast("Store", SimpleNamespace(**methods)))
    return cast("Store", SimpleNamespace(**{**methods, "commit": guarded.commit}))
