"""Source text as a tree, parsed once in a process: many laws read the same files, and parsing takes longest."""

import ast
from functools import cache


@cache
def parse_source(text: str) -> ast.Module:
    """Parse a module's text."""
    return ast.parse(text)


@cache
def list_nodes(text: str) -> tuple[ast.AST, ...]:
    """List all nodes of a module's text, as `ast.walk` yields them."""
    return tuple(ast.walk(parse_source(text)))
