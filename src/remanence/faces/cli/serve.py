"""The commands of a server: the one that serves memories over HTTP, and those of its tokens.

Knows options; the protocol, its libraries and the routes are in `faces.rest`, imported when it runs.
"""

from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated, Any, Literal

from cyclopts import Parameter

from remanence.core.errors import NotFound
from remanence.core.permissions import Capability, TokenRole
from remanence.faces.cli.options import Given, Memory
from remanence.faces.cli.running import open_engine
from remanence.flows.base.access_tokens import AccessToken, Door

if TYPE_CHECKING:
    from remanence.engine import Engine
    from remanence.flows.base.opening_checks import NewScope


@Parameter(name="*")
@dataclass(frozen=True, slots=True)
class WatchOptions:
    """What those who watch over a server are told of it; none of it holds a text."""

    metrics: Annotated[
        bool, Parameter(help="Serve /metrics for Prometheus to tokens with the role watch.")
    ] = False
    spans: Annotated[
        str | None,
        Parameter(
            help="Send a span of OpenTelemetry for each verb to an exporter that is installed, such as console."
        ),
    ] = None
    log: Annotated[
        Literal["text", "json"] | None, Parameter(help="Log a line for each request on standard error.")
    ] = None


async def serve(
    path: Annotated[str | None, Parameter(help="The database file, as --db names it.")] = None,
    /,
    *,
    common: Given,
    host: Annotated[
        str, Parameter(help="The address to listen on; 127.0.0.1 is reachable from this machine only.")
    ] = "127.0.0.1",
    port: Annotated[int, Parameter(help="The port; 0 chooses a free one.")] = 8377,
    allow_host: Annotated[
        list[str] | None,
        Parameter(help="An additional host name, such as memory.example.org."),
    ] = None,
    seconds: Annotated[float, Parameter(help="Time limit of one request.")] = 60.0,
    watch: WatchOptions = WatchOptions(),
) -> Any:
    if any(find_spec(name) is None for name in ("fastapi", "jinja2", "uvicorn")):
        raise NotFound("the extra `server` is not installed", recovery="pip install 'remanence[server]'")
    from remanence.faces.dashboard.site import Dashboard
    from remanence.faces.rest.serving import listen
    from remanence.faces.rest.serving import serve as serve_socket
    from remanence.faces.rest.watch_options import begin_watch

    settings = common if path is None else replace(common, db=path)

    def open_scope(
        scope: str, token: AccessToken, new_scope: "NewScope"
    ) -> AbstractAsyncContextManager["Engine"]:
        given = replace(settings, scope=scope, agent=token.agent)
        return open_engine(
            given, trust=token.trust, denies=token.denies, new_scope=new_scope, tracer=watching.tracer
        )

    with (
        begin_watch(metrics=watch.metrics, spans=watch.spans, log=watch.log) as watching,
        listen(host, port) as listening,
    ):
        await serve_socket(
            open_scope,
            open_engine(settings),
            listening,
            hosts=[name.lower() for name in allow_host or ()],
            seconds_max=seconds,
            tell=lambda line: print(line, flush=True),
            build_dashboard=Dashboard,
            watch=watching,
        )


async def token_add(
    name: Annotated[str, Parameter(help="The token's name.")],
    /,
    *,
    memory: Memory,
    opens: Annotated[
        list[str] | None,
        Parameter(
            name="--scope", help="A scope that this token may use, * for all; repeatable. Default: default."
        ),
    ] = None,
    role: Annotated[TokenRole, Parameter(help="The role; each role includes the ones before it.")] = "read",
    speaks_for: Annotated[
        str | None,
        Parameter(
            name="--agent", help="The agent that uses the token; it has an agent's trust, not a person's."
        ),
    ] = None,
    door: Annotated[
        Door | None, Parameter(help="Allow only this interface: mcp for /mcp, rest for /v1/.")
    ] = None,
    deny: Annotated[
        list[Capability] | None,
        Parameter(help="A capability to deny, whatever the role; repeatable."),
    ] = None,
) -> Any:
    return await memory.token.add(
        name, scopes=opens or [memory.scope], role=role, agent=speaks_for, door=door, denies=deny or ()
    )


async def token_list(*, memory: Memory) -> Any:
    return await memory.token.list()


async def token_end(name: Annotated[str, Parameter(help="The token's name.")], /, *, memory: Memory) -> Any:
    return await memory.token.end(name)
