"""The page of MCP tools, written from the tools that the server announces: names, descriptions and arguments."""

import asyncio
from typing import Any

from mcp.client import Client

import remanence
from remanence.faces.mcp import server
from remanence.faces.mcp.tools import CURATING

HEAD = """# MCP tools

What `remanence mcp` offers to a model, as the server announces it; [how to set it up](../how-to/mcp.md).
"""


def page() -> str:
    """Return the page."""
    return HEAD + "".join(map(_section, asyncio.run(_announced())))


async def _announced() -> list[Any]:
    async with (
        remanence.open() as memory,
        Client(server.build_server(memory, server.McpSession(memory), allow_curation=True)) as client,
    ):
        return list((await client.list_tools()).tools)


def _section(tool: Any) -> str:
    arguments = "".join(f"- {_argument(tool, name)}\n" for name in tool.input_schema.get("properties", {}))
    only = "\n\nOnly with `--allow-curation`." if tool.name in CURATING else ""
    return f"\n## `{tool.name}`\n\n{tool.description}{only}\n" + (f"\n{arguments}" if arguments else "")


def _argument(tool: Any, name: str) -> str:
    schema = tool.input_schema["properties"][name]
    needed = "" if name in tool.input_schema.get("required", ()) else ", optional"
    told = schema.get("description", "")
    return f"`{name}` ({_kind(schema)}{needed})" + (f": {told}" if told else "")


def _kind(schema: dict[str, Any]) -> str:
    if "enum" in schema:
        return " · ".join(map(str, schema["enum"]))
    if "anyOf" in schema:
        return " or ".join(_kind(one) for one in schema["anyOf"] if one.get("type") != "null")
    if schema.get("type") == "array":
        return f"list of {_kind(schema.get('items', {}))}"
    return str(schema.get("type", "any"))
