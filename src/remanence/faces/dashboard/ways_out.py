"""Where on the dashboard is done what a refusal advises: its words name verbs, and pages have buttons for them.

Knows words and addresses; must not know what is refused.
"""

import re
from dataclasses import dataclass

SHOWN_MAX = 5

# What a recovery says, what the link is called, and where it leads; the groups go into both.
_WAYS: tuple[tuple[re.Pattern[str], str, str], ...] = tuple(
    (re.compile(words), label, path)
    for words, label, path in (
        (r"\b([0-9a-f]{8})([0-9a-f]{24})\b", "The run {0}", "/runs/{0}{1}"),
        (r"\brestore #?(\d{1,18})\b", "Bring #{0} back", "/memories/{0}"),
        (r"\brelease its holds\b|\btake the pin away\b", "Look at the memory", "/memories"),
        (r"\breview (?:settle (?!clock\b)|list\b)", "Review", "/review"),
        (r"\breview settle clock\b", "Say that the clock is right", "/review"),
        (
            r"\ballow_destroyed\b|\bmake a new plan\b|\bplan (?:anew|again)\b|\bnew plan\b",
            "The plan",
            "/plan",
        ),
        (r"\bremanence forbid(?:den)?\b", "Texts that are refused", "/settings"),
        (r"`doctor`", "Look through the file", "/settings"),
        (r"\btoken (?:add|end|list)\b", "Tokens", "/tokens"),
        (r"\berase(?:\.show\b| --copies\b)", "Erase", "/erase"),
        (r"`history`|`history\(", "Runs", "/runs"),
        (r"`entities`|\bif both are one\b", "Entities", "/entities"),
        (r"`list`|`recall`|`list\(", "Memories", "/memories"),
    )
)


@dataclass(frozen=True, slots=True)
class WayOut:
    """A link to where something is done, in the words of the dashboard."""

    label: str
    path: str


def find_ways_out(recovery: str) -> list[WayOut]:
    """Return where on the dashboard one does what a refusal advises, each place once."""
    ways = {
        path.format(*found.groups()): label.format(*found.groups())
        for words, label, path in _WAYS
        for found in words.finditer(recovery)
    }
    return [WayOut(label, path) for path, label in ways.items()][:SHOWN_MAX]
