"""What proves a store: a contract suite, worlds made by hypothesis, and predicates over all that a store holds.

A distribution of its own: it imports `remanence`, which never imports it. `memory.memory_store.MemoryStore` is the
reference that the contract was written on, and the fake for tests that need no file.
"""
