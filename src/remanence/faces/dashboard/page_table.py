"""The pages: where each lies, what it is called, what it shows and which template shows it.

Knows the list; must not know how a page is found out or rendered.
"""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

from remanence.faces.dashboard import curation_pages, memory_pages, upkeep_pages
from remanence.faces.dashboard.visits import Visit

Group = Literal["Memory", "Curation", "Upkeep", ""]  # the last of pages that another one leads to


@dataclass(frozen=True, slots=True)
class DashboardPage:
    """One page: its address, its group in the list of pages, and the function that finds out what it shows."""

    name: str
    path: str
    title: str
    group: Group
    gather: Callable[[Visit], Awaitable[dict[str, Any]]]

    @property
    def template(self) -> str:
        """The file that shows it."""
        return f"{self.name}.html"


async def _show_nothing(_: Visit) -> dict[str, Any]:
    return {}


# What stands where a page would, with the list of pages beside it.
ERROR_PAGE = DashboardPage("error", "/error", "Refused", "", _show_nothing)
PAGES = (
    DashboardPage("overview", "/overview", "Overview", "Memory", memory_pages.show_overview),
    DashboardPage("memories", "/memories", "Memories", "Memory", memory_pages.list_memories),
    DashboardPage("memory", "/memories/{name:path}", "Memory", "", memory_pages.show_memory),
    DashboardPage("ask", "/ask", "Ask", "Memory", memory_pages.answer_question),
    DashboardPage("entities", "/entities", "Entities", "Memory", memory_pages.list_entities),
    DashboardPage("entity", "/entities/{name:path}", "Entity", "", memory_pages.show_entity),
    DashboardPage(
        "conversations", "/conversations", "Conversations", "Memory", memory_pages.show_conversations
    ),
    DashboardPage("graph", "/graph", "Graph", "Memory", memory_pages.show_graph),
    DashboardPage("plan", "/plan", "Plan", "Curation", curation_pages.show_plan),
    DashboardPage("forecast", "/forecast", "Forecast", "Curation", curation_pages.show_forecast),
    DashboardPage("review", "/review", "Review", "Curation", curation_pages.show_review),
    DashboardPage("runs", "/runs", "Runs", "Curation", upkeep_pages.list_runs),
    DashboardPage("run", "/runs/{name}", "Run", "", upkeep_pages.show_run),
    DashboardPage("erase", "/erase", "Erase", "Upkeep", upkeep_pages.show_erasures),
    DashboardPage("settings", "/settings", "Settings", "Upkeep", upkeep_pages.show_settings),
    DashboardPage("tokens", "/tokens", "Tokens", "Upkeep", upkeep_pages.list_tokens),
)


def find_list_page(path: str) -> DashboardPage:
    """Return the page that lists what an address below it names, the first one where there is none."""
    return next((page for page in PAGES if page.group and path.startswith(f"{page.path}/")), PAGES[0])
