"""The Model Context Protocol over standard input and output: a memory as tools for an agent.

Needs the extra `mcp`, which nothing else imports.
"""
