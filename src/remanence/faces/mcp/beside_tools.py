"""What hosts show a person beside the tools: prompts that begin and wrap up a session, and texts to read.

Knows the tools and the guide; must not know how a request came in.
"""

from collections.abc import Collection, Mapping

from mcp_types import Prompt, PromptArgument, Resource

from remanence.core.errors import InvalidInput, NameUnknown, format_value
from remanence.core.guide import FOR_AGENTS
from remanence.faces.mcp.tools import BUDGET, PROFILE_WORDS, Tools
from remanence.llm.questions import mark_as_data
from remanence.recall.frames import BOOT

BEGIN, WRAP_UP, TASK = "begin", "wrap_up", "task"
PROFILE, GUIDE = "remanence://profile", "remanence://guide"
MARKDOWN = "text/markdown"
_PROMPTS = (
    Prompt(
        name=BEGIN,
        description="Begin a session with what the memory holds to begin with, and for the task ahead.",
        arguments=[PromptArgument(name=TASK, description="The next task.", required=False)],
    ),
    Prompt(
        name=WRAP_UP,
        description="Wrap a session up: keep what later work will need, rate what helped, tell what waits.",
    ),
)
RESOURCES = (
    Resource(
        uri=PROFILE,
        name="profile",
        description="The agent's identity and how people want it to behave, from memory.",
        mime_type=MARKDOWN,
    ),
    Resource(
        uri=GUIDE,
        name="guide",
        description="How to use the memory well, in a page.",
        mime_type=MARKDOWN,
    ),
)
_BEGINNING = (
    "We begin. This is what your long-term memory holds to begin with. Before you answer or decide, `recall` the"
    " question in its own words; where nothing answers it well, say so."
)
_LEARNING = " `learn` what later work will need, as soon as it is clear."
_WRAPPING_UP = """\
We wrap this session up. Before it ends, in this order:

1. `learn` what later work will need and the memory does not have: decisions with their reason, facts about people and
   things, paths that were tried and rejected (with the tag "rejected-path"). One subject a text, several at
   once, with names and dates; never secrets.
2. `correct` what was recalled and turned out wrong.
3. `rate` what was recalled: 1 for the ids that helped, 0 for those that misled.
4. `status`: where something waits for review, say so to the person, who settles it by `remanence review list`.

Then tell in a few sentences what you kept, with the ids.
"""


def list_prompts(*, writes: bool) -> tuple[Prompt, ...]:
    """Return the prompts; who only reads keeps nothing, and wraps nothing up."""
    return tuple(prompt for prompt in _PROMPTS if writes or prompt.name != WRAP_UP)


async def write_prompt(tools: Tools, name: str, given: Mapping[str, str], *, writes: bool) -> str:
    """Write a prompt; what it shows of the memory counts as its frames do."""
    known = [prompt.name for prompt in list_prompts(writes=writes)]
    if name not in known:
        raise NameUnknown("prompt", name, known)
    arguments = [TASK] if name == BEGIN else []
    for argument in given:
        if argument not in arguments:
            raise InvalidInput(
                f"{name} has no argument {format_value(argument)}",
                recovery=f"pass {' '.join(arguments) or 'none'}",
            )
    if name == WRAP_UP:
        return _WRAPPING_UP
    parts = [_BEGINNING + _LEARNING * writes, await tools.frame(BOOT, budget=BUDGET)]
    if task := given.get(TASK, "").strip():
        parts += [f"And for what is ahead ({task}):", await tools.frame(TASK, task, budget=BUDGET)]
    return "\n\n".join(parts)


async def write_resource(tools: Tools, uri: str, offered: Collection[str]) -> str:
    """Write a text to read; the guide begins with the tools that are `offered` where they are fewer than it names."""
    if uri == PROFILE:
        return mark_as_data(str(await tools.memory.frame("profile")), PROFILE_WORDS)
    if uri != GUIDE:
        raise NameUnknown("resource", uri, [one.uri for one in RESOURCES])
    only = "" if "learn" in offered else f"Here you may only read: {', '.join(offered)}.\n\n"
    return only + FOR_AGENTS
