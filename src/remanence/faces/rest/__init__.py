"""The memory over HTTP: one route a verb, problem answers, events as they happen.

Knows HTTP; every route calls a verb of the engine, and none decides anything.
"""
