"""How many long texts have an extract, how long it is, what it costs: `python -m benchmarks.summaries PATH`.

With `--part` instead of a path: how many honest summaries of the labelled texts may stand for them, and how many that
lost a number, a date, a name or a negation.

PATH is any transcript that `ingest` reads. A text is all one speaker said in one session, as a diary holds it; those
of more tokens than `--longer-than` are tried. `why` counts what the others are refused for.
"""

import argparse
from collections import Counter, defaultdict
from pathlib import Path

from benchmarks.labels import Part, parts, read
from benchmarks.report import figure, settings, spent
from remanence.text.summary import complaint, extract
from remanence.text.tokens import token_counts
from remanence.write.transcripts.formats import parse


def main() -> None:
    """Try each long text."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("path", type=Path, nargs="?")
    parser.add_argument("--part", choices=parts("summaries"), help="judge labelled summaries instead")
    parser.add_argument("--longer-than", type=int, default=500)
    given = parser.parse_args()
    if given.part is not None:
        score_labelled(given.part)
        return
    settings(path=given.path.name, longer_than=given.longer_than)
    said: dict[tuple[str | None, ...], list[str]] = defaultdict(list)
    for turn in parse(given.path.read_bytes(), source=given.path.name).turns:
        said[turn.thread, turn.session, turn.speaker].append(turn.text)
    texts = [" ".join(some) for some in said.values()]
    long = [
        text for text, tokens in zip(texts, token_counts(texts), strict=True) if tokens > given.longer_than
    ]
    with spent() as cost:
        found = [extract(text) for text in long]
    kept = [(text, one.text) for text, one in zip(long, found, strict=True) if one.text]
    before, after = (sum(token_counts([pair[side] for pair in kept])) for side in (0, 1))
    figure("summaries.texts", len(long), "texts")
    figure("summaries.extracted", 100 * len(kept) / max(1, len(long)), "%")
    figure("summaries.length", 100 * after / max(1, before), "% of tokens")
    figure("summaries.cost", 1000 * cost.cpu_s / max(1, len(long)), "ms CPU a text")
    why = Counter(" ".join(one.why.split()[:4]) for one in found if not one.text)
    for reason, count in why.most_common(10):
        figure("summaries.why", count, "texts", reason=reason)


def score_labelled(part: Part) -> None:
    """Print the share of honest summaries that are taken, and of wrong ones by what they lost."""
    lines = read("summaries", part)
    settings(part=part, texts=len(lines))
    for language in ("all", *dict.fromkeys(line["language"] for line in lines)):
        mine = [line for line in lines if language in ("all", line["language"])]
        taken = sum(not complaint(line["text"], line["honest"]) for line in mine)
        figure("summaries.honest_taken", 100 * taken / len(mine), "%", of=len(mine), language=language)
    for kind in ("number", "date", "name", "negation"):
        wrong = [
            (line["text"], one["text"]) for line in lines for one in line["wrong"] if one["kind"] == kind
        ]
        figure(
            "summaries.wrong_taken", sum(not complaint(*one) for one in wrong), f"of {len(wrong)}", lost=kind
        )


if __name__ == "__main__":
    main()
