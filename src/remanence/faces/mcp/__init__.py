"""The Model Context Protocol: a memory as tools for an agent, over standard input and output or behind a server.

Needs the extra `mcp`, which nothing else imports.
"""
