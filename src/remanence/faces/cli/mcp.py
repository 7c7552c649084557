"""The command that serves a memory to an agent.

Knows the options; the protocol, its library and the tools are in `faces.mcp`, imported when it runs.
"""

from dataclasses import replace
from importlib.util import find_spec
from typing import Annotated, Any

from cyclopts import Parameter

from remanence.core.errors import NotFound
from remanence.faces.cli.options import Given, PolicyOption
from remanence.faces.cli.running import open_engine


async def mcp(
    path: Annotated[str | None, Parameter(help="The database file, as --db names it.")] = None,
    /,
    *,
    common: Given,
    policy: PolicyOption = None,
    allow_curation: Annotated[bool, Parameter(help="Offer forget, apply and undo too.")] = False,
    also_read: Annotated[
        list[str] | None, Parameter(help="Another scope that recall searches too; repeatable.")
    ] = None,
) -> Any:
    if find_spec("mcp") is None:
        raise NotFound("the extra `mcp` is not installed", recovery="pip install 'mcp>=2.3'")
    from remanence.faces.mcp.server import serve

    settings = common if path is None else replace(common, db=path)
    # An agent writes here, whatever it says: nothing of it is believed as the user is.
    opening = open_engine(settings, trust="agent", policy=policy)
    await serve(opening, allow_curation=allow_curation, also_read=also_read or ())
