"""How many honest summaries of labelled texts are taken, and how many wrong ones: `python -m benchmarks.summaries`.

A wrong one lost or changed a number, a date, a name or a negation.
"""

import argparse

from benchmarks.labels import Part, parts, read
from benchmarks.report import figure, settings
from remanence.text.summary import complaint


def main() -> None:
    """Judge the labelled summaries of a set."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=parts("summaries"), default="first")
    score_labelled(parser.parse_args().part)


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
