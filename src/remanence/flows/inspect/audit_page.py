"""An audit of a source as one page (HTML) that needs nothing else.

Knows counts and words; must not know how they were found.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

_STYLE = (
    ":root{color-scheme:light dark} body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;"
    "margin:2rem auto;padding:0 1rem}"
    " h1{font-size:1.4rem} h2{font-size:1.1rem;margin:1.6rem 0 .2rem} p{margin:.2rem 0} ul{padding-left:1.2rem}"
    " li{overflow-wrap:anywhere} pre{white-space:pre-wrap} .bar{height:.6rem;min-width:2px}"
    " .leaves{background:#d55e00} .stays{background:#0072b2}"  # Okabe and Ito's, which the colour-blind tell apart
)


@dataclass(frozen=True, slots=True)
class FindingSection:
    """One kind: its name, what it is, its share of all, whether what is of it would leave, and its examples."""

    name: str
    meaning: str
    share: float
    leaves: bool
    examples: Sequence[str]


def html(head: str, sections: Sequence[FindingSection], ending: Sequence[str]) -> str:
    """Write one page: of each kind what it is, a bar for its share and its examples, and what to do next."""
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
            "<title>What this memory is better without</title>",
            f"<style>{_STYLE}</style></head><body>",
            f"<h1>What this memory is better without</h1><p>{escape(head)}</p>",
            *map(_write_section, sections),
            f"<pre>{escape(chr(10).join(ending))}</pre></body></html>\n",
        ]
    )


def _write_section(section: FindingSection) -> str:
    examples = "".join(f"<li>{escape(example)}</li>" for example in section.examples)
    colour = "leaves" if section.leaves else "stays"
    return (
        f"<section><h2>{escape(section.name)}</h2><p>{escape(section.meaning)}</p>"
        f'<div class="bar {colour}" style="width:{section.share:.1%}"></div><ul>{examples}</ul></section>'
    )
