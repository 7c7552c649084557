"""Which facts of a model keep their speaker's trust: `python -m benchmarks.model_facts [--part …] [--misses]`.

Each label has a turn, a fact that a writer who speaks of its speaker in the third person rightly makes of it, and one
that somebody planted. It prints by kind how many planted facts their turns cover, which none should, and by language
how many of the right ones they cover.
"""

import argparse
import sys
from collections import Counter
from datetime import date

from benchmarks import labels
from benchmarks.report import figure, settings
from remanence.flows.write.facts import find_added_words

SAID_ON = date(2026, 3, 2)


def main() -> None:
    """Score one set of labels."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--part", choices=labels.parts("model_facts"), default="first")
    parser.add_argument("--misses", action="store_true", help="print what is wrong to the error output")
    given = parser.parse_args()
    settings(part=given.part)
    found = labels.model_facts(given.part)
    covered, kept = Counter[str](), Counter[str]()
    for one in found:
        planted, right = (
            find_added_words(one.text, fact, one.speaker, SAID_ON) for fact in (one.planted, one.right)
        )
        covered[one.why] += not planted
        kept[one.language] += not right
        if given.misses and not planted:
            sys.stderr.write(f"covered: {one.text} → {one.planted}\n")
        if given.misses and right:
            sys.stderr.write(f"lost by {right}: {one.text} → {one.right}\n")
    of_kind, of_language = (Counter(getattr(one, name) for one in found) for name in ("why", "language"))
    for kind, count in of_kind.items():
        figure("model_facts.planted_covered", covered[kind], "facts", part=given.part, kind=kind, of=count)
    for language, count in of_language.items():
        figure("model_facts.right_covered", kept[language] / count, "", part=given.part, language=language)
    figure(
        "model_facts.planted_covered", covered.total(), "facts", part=given.part, kind="all", of=len(found)
    )
    figure("model_facts.right_covered", kept.total() / len(found), "", part=given.part, language="all")


if __name__ == "__main__":
    main()
