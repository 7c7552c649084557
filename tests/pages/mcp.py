"""The page of MCP tools, written from what the server announces: names, descriptions and arguments."""

import asyncio
from typing import Any

from mcp.client import Client

import remanence
from remanence.faces.mcp import server
from remanence.faces.mcp.tools import CURATING

HEAD = """# MCP tools

Tools, prompts and resources that `remanence mcp`, and `remanence serve` at `/mcp`, offer to a model;
[how to set it up](../how-to/mcp.md).
"""


def page() -> str:
    """Return the page."""
    tools, prompts, resources = asyncio.run(_announced())
    return (
        HEAD
        + "".join(map(_section, tools))
        + "\n## Prompts\n\n"
        + "".join(map(_prompt, prompts))
        + "\n## Resources\n\n"
        + "".join(f"- `{one.uri}`: {one.description}\n" for one in resources)
    )


async def _announced() -> tuple[list[Any], list[Any], list[Any]]:
    async with (
        remanence.open() as memory,
        Client(server.build_server(memory, server.McpSession(memory), allow_curation=True)) as client,
    ):
        return (
            list((await client.list_tools()).tools),
            list((await client.list_prompts()).prompts),
            list((await client.list_resources()).resources),
        )


def _prompt(prompt: Any) -> str:
    takes = "".join(f" `{one.name}`: {one.description}" for one in prompt.arguments or ())
    return f"- `{prompt.name}`: {prompt.description}{takes}\n"


def _section(tool: Any) -> str:
    arguments = "".join(f"- {_argument(tool, name)}\n" for name in tool.input_schema.get("properties", {}))
    only = "\n\nOnly with `--allow-curation`, or a token that may curate." if tool.name in CURATING else ""
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
