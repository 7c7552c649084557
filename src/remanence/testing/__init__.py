"""What proves a store: a contract suite, worlds made by hypothesis, and predicates over all that a store holds.

Needs hypothesis (worlds) and an asyncio plugin of pytest (contract); nothing of the package imports it. `MemoryStore`
is the reference that the contract was written on, and the fake for tests that need no file.
"""

from remanence.store.memory.memory_store import MemoryStore

__all__ = ["MemoryStore"]
