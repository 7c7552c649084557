"""Pages as HTML: the one place where text is escaped, the files of pages, and the links beside a refusal.

Knows templates, times, numbers and the words of refusals; must not know verbs.
"""

import re
from base64 import urlsafe_b64encode
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.resources import files
from itertools import groupby
from typing import Any

import jinja2
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse, Response

from remanence.core.clock import DAY, HOUR, MINUTE, SECOND, to_datetime
from remanence.core.effects import ACTIONS
from remanence.core.model import short_id
from remanence.core.results import number, visible
from remanence.core.score import Worth
from remanence.core.text_cuts import step_back
from remanence.curate.forecast.forecast_report import Leaving
from remanence.curate.planner import plan_report
from remanence.faces.style import local, said_time

SHOWN_MAX = 5

# What a recovery says, what the link is called, and where it leads; the groups go into both.
_WAYS: tuple[tuple[re.Pattern[str], str, str], ...] = tuple(
    (re.compile(words), label, path)
    for words, label, path in (
        (r"\b([0-9a-f]{8})([0-9a-f]{24})\b", "The run {0}", "/runs/{0}{1}"),
        (r"\brestore #?(\d{1,18})\b", "Bring #{0} back", "/memories/{0}"),
        (r"\bremanence (?:pin|hold|tag) #?(\d{1,18})\b", "Look at #{0}", "/memories/{0}"),
        (r"\brelease its holds\b", "Look at the memory", "/memories"),
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


# Nothing from elsewhere, nothing within the page that runs: not even what a memory's text holds.
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:;"
    " form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"
_MEDIA = {".js": "text/javascript", ".css": "text/css"}
_FOLDER = files("remanence.faces.dashboard")
ACTION_WORDS = {effect.name: effect.words.removesuffix(" of") for effect in ACTIONS}
_ID = re.compile(r"(?<![\w&])#(\d{1,18})\b")
_SIGNED = re.compile(r"[+\-\u2212]\d+\.\d+ ")  # what a sign adds, before what it is
TEXT_CHARS_MAX = 280  # of a memory in a list; its page has it whole


def _finalize_value(value: Any) -> Any:
    """Prepare what a template shows: nothing where there is nothing, and a text without what hides or turns words."""
    if value is None:
        return ""
    if isinstance(value, str) and not isinstance(value, Markup):
        return visible(value)
    return value


class _PackagedTemplates(jinja2.BaseLoader):
    """The templates of this folder."""

    def get_source(self, _: jinja2.Environment, template: str) -> tuple[str, str, Any]:
        """Return a template; those of a package do not change while it runs."""
        path = _FOLDER / "templates" / template
        if not path.is_file():
            raise jinja2.TemplateNotFound(template)
        return path.read_text(encoding="utf-8"), template, lambda: True


class StaticFiles:
    """The style sheet and the scripts, each under a name that changes with what it holds."""

    def __init__(self) -> None:
        self._held = {
            path.name: path.read_bytes() for path in (_FOLDER / "static").iterdir() if path.is_file()
        }
        self._marks = {
            name: urlsafe_b64encode(sha256(held).digest()[:9]).decode() for name, held in self._held.items()
        }

    def link(self, name: str) -> str:
        """Return the address of a file."""
        return f"/static/{name}?v={self._marks[name]}"

    def answer(self, name: str) -> Response | None:
        """Return a file as an answer, None where there is none of that name."""
        held = self._held.get(name)
        if held is None:
            return None
        media = _MEDIA.get(name[name.rfind(".") :], "application/octet-stream")
        return Response(
            held, media_type=media, headers={"cache-control": "public, max-age=31536000, immutable"}
        )


def build_environment(static: StaticFiles) -> jinja2.Environment:
    """Return what renders the templates."""
    environment = jinja2.Environment(
        loader=_PackagedTemplates(),
        autoescape=True,
        finalize=_finalize_value,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    environment.filters |= {
        "time": local,
        "said": said_time,
        "iso": lambda at: to_datetime(at).isoformat(),
        "count": lambda value: f"{value:,}",
        "figure": format_figure,
        "share": lambda part, of: round(100 * part / of) if of else 0,
        "short": shorten,
        "name": short_id,
        "by_day": group_by_day,
        "ago": format_distance,
        "worth": describe_worth,
        "linked": link_ids,
        "action": lambda name: ACTION_WORDS.get(name, str(name).replace("_", " ")),
        "does": plan_report.describe_action,
        "does_to": plan_report.describe_action_on,
        "words": lambda name: str(name).replace("_", " "),
        "capital": lambda text: text[:1].upper() + text[1:],
        "label": lambda value: value.name.lower(),
        "ways_out": find_ways_out,
    }
    environment.globals |= {"static": static.link, "number": number}
    return environment


def render(
    environment: jinja2.Environment, template: str, shown: Mapping[str, Any], status: int = 200
) -> Response:
    """Return a page as an answer."""
    html = environment.get_template(template).render(shown)
    # Where nothing is told of the page that a form is sent from, a browser says that it comes from nowhere.
    return HTMLResponse(html, status, {"content-security-policy": POLICY, "referrer-policy": "same-origin"})


def format_figure(value: float) -> str:
    """Write a number with as many digits as tell something."""
    return f"{value:.3g}" if abs(value) < 100 else f"{value:,.0f}"


def group_by_day(leaving: Iterable[Leaving]) -> list[tuple[str, list[Leaving]]]:
    """Group what leaves, which comes in its order, by the local day on which it does."""
    return [(day, list(ones)) for day, ones in groupby(leaving, key=lambda one: local(one.at)[:10])]


def describe_worth(worth: Worth) -> str:
    """Say in one sentence what a memory is worth, and what raised or lowered it."""
    base, *factors = worth.reasons
    told = [f"It is worth {format_figure(worth.value)}: {format_figure(base.factor)} for its words"]
    for one in factors:
        if one.factor != 1:
            link = "since" if one.name == "speaker" else "for"
            because = _SIGNED.sub("", one.because).replace("; ", ", ")
            told.append(f"times {format_figure(one.factor)} {link} {because}")
    return f"{', '.join(told)}."


def link_ids(text: str, link: Callable[[str], str]) -> Markup:
    """Return a text in which each memory's id leads to the memory."""
    parts = _ID.split(visible(text))  # what stands between ids, and each id's number, in turn
    return Markup("").join(
        Markup('<a href="{}">#{}</a>').format(link(f"/memories/{part}"), part) if at % 2 else escape(part)
        for at, part in enumerate(parts)
    )


def shorten(text: str, most: int = TEXT_CHARS_MAX) -> str:
    """Return the beginning of a text on one line."""
    line = " ".join(text[: 4 * most].split())
    return (
        line
        if len(line) <= most and len(text) <= 4 * most
        else f"{line[: step_back(line, most - 1)].rstrip()}…"
    )


def format_distance(at: int, now: int) -> str:
    """Say how far a time is from now, in its largest unit."""
    away = abs(now - at)
    if away < MINUTE:
        text = number(away // SECOND, "second", "seconds")
    elif away < HOUR:
        text = number(away // MINUTE, "minute", "minutes")
    elif away < DAY:
        text = number(away // HOUR, "hour", "hours")
    else:
        text = number(away // DAY, "day", "days")
    return f"in {text}" if at > now else f"{text} ago"
