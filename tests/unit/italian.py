"""Prints what is read in Italian where its file is among the languages: lists are read once in a process."""

import json

from remanence.gate.junk import junk
from remanence.languages import MONTHS, UNLISTED, language_of, speaks_foreign
from remanence.read.keep_signals import signal


def read_italian() -> dict[str, object]:
    """Return what the readers of texts find."""
    return {
        "language": language_of("la casa di mia sorella è a Torino".split()).code,
        "foreign": speaks_foreign("della"),
        "unlisted": "della" in UNLISTED,
        "standing order": signal("D'ora in poi rispondi in italiano.").level,
        "identity": signal("Sono nata a Torino.").level,
        "joke": signal("Mi chiamo Giove. Sto scherzando.").level,
        "small talk": junk("Ciao, grazie mille!"),
        "month": MONTHS["ottobre"],
    }


if __name__ == "__main__":
    print(json.dumps(read_italian(), ensure_ascii=False))
