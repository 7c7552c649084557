"""Ways to write a text so that it looks another, each a function of the text and of chance."""

import random
from collections.abc import Callable, Mapping

_SIGNS = dict(zip("eoiast", "301457", strict=True))
_OTHER_SIGNS = dict(zip("elaos", "31@0$", strict=True))
_BOLD_CAPITAL, _BOLD_SMALL = 0x1D400, 0x1D41A
_STROKE = "\u0336"


def _write_bold(text: str, _: random.Random) -> str:
    return "".join(
        chr(ord(char) - ord("A") + _BOLD_CAPITAL)
        if "A" <= char <= "Z"
        else chr(ord(char) - ord("a") + _BOLD_SMALL)
        if "a" <= char <= "z"
        else char
        for char in text
    )


def _mark_words(text: str, chance: random.Random) -> str:
    return " ".join(f"**{word}**" if chance.random() < 1 / 2 else word for word in text.split())


def _replace_letters(signs: Mapping[str, str], share: float) -> Callable[[str, random.Random], str]:
    def write(text: str, chance: random.Random) -> str:
        return "".join(signs.get(char.lower(), char) if chance.random() < share else char for char in text)

    return write


def _double_one(text: str, chance: random.Random) -> str:
    words = []
    for word in text.split():
        at = chance.randrange(len(word))
        words.append(word[:at] + word[at] + word[at:] if word[at].isalpha() else word)
    return " ".join(words)


def _triple_one(text: str, chance: random.Random) -> str:
    at = chance.choice([place for place, char in enumerate(text) if char.isalpha()])
    return text[:at] + text[at] * 2 + text[at:]


DISGUISES: dict[str, Callable[[str, random.Random], str]] = {
    "bold letters": _write_bold,
    "bold marks": lambda text, _: f"**{text}**",
    "bold marks on words": _mark_words,
    "signs for letters": _replace_letters(_SIGNS, 1),
    "other signs for letters": _replace_letters(_OTHER_SIGNS, 1),
    "signs for half the letters": _replace_letters(_SIGNS, 1 / 2),
    "a letter twice in each word": _double_one,
    "each letter twice": lambda text, _: "".join(char * 2 if char.isalpha() else char for char in text),
    "one letter three times": _triple_one,
    "letters apart": lambda text, _: " ".join(text),
    "letters apart by dots": lambda text, _: " ".join(map(".".join, text.split())),
    "struck out": lambda text, _: "".join(char + _STROKE for char in text),
}
