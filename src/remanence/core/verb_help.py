"""What a row of the table of verbs says, what it is called as a command, and words that many rows share."""

from collections.abc import Mapping
from dataclasses import dataclass

# Commands that are called otherwise than the verb.
COMMANDS: Mapping[str, str] = {
    "import_": "import",  # Python keeps the word for itself
    "erase.show": "erase",  # with --yes it is `erase.apply` as well: nobody erases what he has not seen
    "begin_session": "session",  # with --off it is `end_session`
    "run_jobs": "run",  # until it is stopped, in all scopes; with --once it is one round
    "settings.get": "settings",  # with a value it is `settings.set`
}
# Commands of a person at a terminal; from Python each is a function of its own, or nothing.
ONLY_COMMANDS = frozenset(
    {
        "audit",
        "chat",
        "hook",
        "policy check",
        "change-key",
        "copy",
        "move",
        "demo",
        "mcp",
        "serve",
        "store grant",
        "store distribute",
        "store status",
        "worker",
        "completion",
    }
)


@dataclass(frozen=True, slots=True)
class VerbHelp:
    """What one verb does, and how to use it well; with an example it is a command, too."""

    name: str
    summary: str
    use_when: str
    cost: str
    returns: str
    next: str
    example: str = ""

    @property
    def verb(self) -> str:
        """What it is called in Python, a dot before the last part of one on a shelf; "" where it is a command alone."""
        return "" if self.name in ONLY_COMMANDS else self.name

    @property
    def command(self) -> str:
        """What it is called on a command line: the words of the verb, unless `COMMANDS` says why not; "" if nothing."""
        return command_of(self.name) if self.example else ""

    def __str__(self) -> str:
        return (
            f"{self.name}\n  {self.summary}\n  use when  {self.use_when}\n"
            f"  cost      {self.cost}\n  returns   {self.returns}\n  next      {self.next}"
        )


def command_of(verb: str) -> str:
    """Return the words by which the command line calls a verb."""
    return COMMANDS.get(verb) or verb.replace(".", " ").replace("_", "-")


# What many verbs cost or return.
ONE_READ = "one read"
SCOPE_READ = "one read of the scope's columns"
ONE_WRITE = "one small transaction"
A_RECEIPT = "a receipt; give it to undo"
NOTHING = "nothing"
