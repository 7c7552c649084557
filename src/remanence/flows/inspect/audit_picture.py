"""An audit of a source as a picture (SVG) and as one page (HTML), each of which needs nothing else.

Knows counts and words; must not know how they were found.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, LEFT, RIGHT, TOP, ROW = 800, 130, 130, 76, 32
_HIGH = 20  # of a bar
_BAR_LEAST = 2.0  # what is not nothing is seen
# Okabe and Ito's, which the colour-blind tell apart: what leaves, what stays to be settled, and what remains.
_LEAVES, _STAYS, _REST = ("#d55e00", "#ff8a4c"), ("#0072b2", "#56b4e9"), ("#009e73", "#4fd1a5")

_PAGE_STYLE = (
    ":root{color-scheme:light dark} body{font:16px/1.5 system-ui,sans-serif;max-width:52rem;"
    "margin:2rem auto;padding:0 1rem}"
    " h1{font-size:1.4rem} h2{font-size:1.1rem;margin:1.6rem 0 .2rem} p{margin:.2rem 0} ul{padding-left:1.2rem}"
    " li{overflow-wrap:anywhere} pre{white-space:pre-wrap} svg{width:100%;height:auto}"
)


@dataclass(frozen=True, slots=True)
class FindingBar:
    """One kind: how many, which share of all, and whether what is of it would leave."""

    name: str
    count: int
    share: float
    leaves: bool


def svg(head: str, bars: Sequence[FindingBar], tokens: tuple[int, int]) -> str:
    """Draw a bar for each kind, and one for the tokens before and after; light and dark as the reader's screen is."""
    high = TOP + ROW * (len(bars) + 2) + 34
    most = max((bar.share for bar in bars), default=0.0) or 1.0
    before, after = tokens
    words = ", ".join(f"{bar.count:,} {bar.name}" for bar in bars if bar.count) or "nothing found"
    rows = [row for place, bar in enumerate(bars) for row in _draw_bar(bar, TOP + ROW * place, most)]
    return "\n".join(
        [
            (
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {high}" role="img"'
                ' aria-labelledby="title desc" font-family="system-ui, sans-serif">'
            ),
            '<title id="title">What a memory is better without</title>',
            f'<desc id="desc">{escape(words)}; {after:,} of {before:,} tokens would remain.</desc>',
            _style(),
            f'<rect class="ground" width="{WIDTH}" height="{high}"/>',
            _write(24, 30, "What this memory is better without", "ink head", "start"),
            _write(24, 52, escape(head), "ink dim", "start"),
            *rows,
            *_draw_tokens(TOP + ROW * len(bars) + 22, before, after),
            "</svg>\n",
        ]
    )


def html(picture: str, sections: Sequence[tuple[str, str, Sequence[str]]], ending: Sequence[str]) -> str:
    """Write one page: the picture, of each kind what it is and its examples, and what to do next."""
    parts = [
        f"<section><h2>{escape(name)}</h2><p>{escape(what)}</p><ul>"
        + "".join(f"<li>{escape(example)}</li>" for example in examples)
        + "</ul></section>"
        for name, what, examples in sections
    ]
    return "\n".join(
        [
            '<!doctype html><html lang="en"><head><meta charset="utf-8">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">",
            "<title>What this memory is better without</title>",
            f"<style>{_PAGE_STYLE}</style></head><body>",
            picture,
            *parts,
            f"<pre>{escape(chr(10).join(ending))}</pre></body></html>\n",
        ]
    )


def _draw_bar(bar: FindingBar, y: float, most: float) -> list[str]:
    room = WIDTH - LEFT - RIGHT
    wide = max(_BAR_LEAST, room * bar.share / most) if bar.count else 0.0
    return [
        _write(LEFT - 10, y + 15, escape(bar.name), "ink", "end"),
        f'<rect class="{"leaves" if bar.leaves else "stays"}" x="{LEFT}" y="{y}" width="{wide:.1f}" height="{_HIGH}"/>',
        _write(LEFT + wide + 8, y + 15, f"{bar.count:,}  ({bar.share:.1%})", "ink", "start"),
    ]


def _draw_tokens(y: float, before: int, after: int) -> list[str]:
    room = WIDTH - LEFT - RIGHT
    rest = room * after / before if before else 0.0
    return [
        f'<line class="line" x1="24" x2="{WIDTH - 24}" y1="{y - 12}" y2="{y - 12}"/>',
        _write(LEFT - 10, y + 15, "tokens", "ink", "end"),
        f'<rect class="leaves" x="{LEFT}" y="{y}" width="{room}" height="{_HIGH}"/>',
        f'<rect class="rest" x="{LEFT}" y="{y}" width="{rest:.1f}" height="{_HIGH}"/>',
        _write(LEFT, y + 40, f"{after:,} of {before:,} would remain", "ink", "start"),
        *_draw_keys(y + 40),
    ]


def _draw_keys(y: float) -> list[str]:
    keys = (
        ("leaves", "would leave", 390),
        ("stays", "to be settled or masked", 502),
        ("rest", "remains", 696),
    )
    return [
        part
        for name, words, x in keys
        for part in (
            f'<rect class="{name}" x="{x}" y="{y - 11}" width="12" height="12"/>',
            _write(x + 18, y, words, "ink dim", "start"),
        )
    ]


def _write(x: float, y: float, text: str, name: str, anchor: str) -> str:
    return f'<text class="{name}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>'


def _style() -> str:
    """Set the colours, light and dark; a picture alone asks the reader's screen."""
    light, dark = (
        f".leaves{{fill:{_LEAVES[side]}}} .stays{{fill:{_STAYS[side]}}} .rest{{fill:{_REST[side]}}}"
        for side in (0, 1)
    )
    return (
        "<style>text{font-size:14px} .head{font-size:18px;font-weight:600} .ground{fill:#ffffff} .ink{fill:#1f2328}"
        f" .dim{{fill:#59636e}} .line{{stroke:#d0d4da}} {light} @media (prefers-color-scheme: dark){{"
        f".ground{{fill:#15181c}} .ink{{fill:#e6e8ea}} .dim{{fill:#9aa4ae}} .line{{stroke:#3a4048}} {dark}}}</style>"
    )
