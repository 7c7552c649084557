"""What proves a store: a contract suite, worlds made by hypothesis, and predicates over all that a store holds.

Needs hypothesis (worlds) and an asyncio plugin of pytest (contract); nothing of the package imports it.
"""
