"""A store of which only the core is seen, and the capabilities that are named: what less a store can do is tried on it.

Knows the table of capabilities; knows no store.
"""

from types import SimpleNamespace
from typing import cast

from remanence.store.base import Store
from remanence.store.capabilities import CORE, Capability, complete


def limit_store(store: Store, *capabilities: Capability) -> Store:
    """Return a store with the verbs of the core and of these capabilities alone, and with the rows of their tables."""
    methods = {
        verb: getattr(store, verb) for verb in (*CORE, *(verb for one in capabilities for verb in one.verbs))
    }
    guarded = complete(cast("Store", SimpleNamespace(**methods)))
    return cast("Store", SimpleNamespace(**{**methods, "commit": guarded.commit}))
