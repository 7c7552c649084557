"""Adapters: the memory behind the interface that a framework for agents has for one, a module each.

Each needs the extra of its framework, which nothing else imports, and calls the verbs of the engine.
"""
