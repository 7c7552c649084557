"""Who speaks where nobody said it, and how far a text is believed as it arrives: the least of door, role and caller.

Nothing that a machine does raises how far a text is believed: what is made of several is believed as far as the least
of them. A wrong role costs: half of recall's rules and the keep-value ask who spoke.
"""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from remanence.core.errors import InvalidInput
from remanence.core.model import Role, Trust, Turn
from remanence.languages.families import load_common_words
from remanence.text.analysis import lexicon_of, readings

_NAMES = load_common_words()
LONG_WORDS_MIN = 80
LISTED_MIN = 2  # so many lines of a list make one
SIGNS_MIN = 2  # one sign alone anybody gives
SIGNS_SHARE = 0.75  # of the texts; in chats of people it is 0.02 to 0.17
TEXTS_MAX = 20  # of one speaker: as many are looked at as it takes to tell
_SIGNS_CACHED = 256  # the last texts of a name are looked at again with each that arrives
_NAMES_CACHED = 256
_BULLETS = ("- ", "* ", "• ")


@lru_cache(maxsize=_NAMES_CACHED)
def role_of_name(speaker: str | None) -> Role | None:
    """Return the role that a speaker's name tells: the user's for people and for nobody, None where it is in doubt."""
    words = [word for word in _split_words(speaker or "") if not any(sign.isdigit() for sign in word)]
    role_words = [word for word in words if word not in _NAMES.beside_names] or words
    if role_words and all(word in _NAMES.systems for word in role_words):
        return Role.SYSTEM
    if role_words and all(word in _NAMES.assistants for word in role_words):
        return Role.ASSISTANT
    # An estate agent is a person, and so is Gemini Ganesan: such names only raise the question.
    return None if any(word in _NAMES.assistants | _NAMES.doubtful for word in words) else Role.USER


def in_doubt(turn: Turn) -> bool:
    """Tell whether nobody said who spoke and the name may be a program's."""
    return turn.role is None and role_of_name(turn.speaker) is None


def told_by(turn: Turn, role: Role) -> str:
    """Say by what a role was told that nobody said; "" where one was said, and of the user's, which everyone has."""
    if turn.role is not None or role is Role.USER:
        return ""
    return "what it says" if in_doubt(turn) else "its name"


def speaks_as_assistant(texts: Sequence[str]) -> bool:
    """Tell whether texts of one speaker read as an assistant's: they offer, list and run long, three signs to four."""
    signs = sum(map(_count_signs, texts))
    return signs >= max(SIGNS_MIN, SIGNS_SHARE * len(texts))


def told_by_texts(known: Sequence[str], arriving: Sequence[str], *, together: bool) -> list[bool]:
    """Tell of each arriving text whether an assistant speaks; `known` are texts of the same name before, oldest first.

    Looks at the last texts of the name up to each, or, of texts that are told together, up to the last of them.
    """
    texts = [*known, *arriving]
    if together:
        return [speaks_as_assistant(texts[-TEXTS_MAX:])] * len(arriving)
    ends = range(len(known) + 1, len(texts) + 1)
    return [speaks_as_assistant(texts[max(0, end - TEXTS_MAX) : end]) for end in ends]


def _split_words(name: str) -> list[str]:
    return "".join(sign if sign.isalnum() else " " for sign in name.casefold()).split()


@lru_cache(maxsize=_SIGNS_CACHED)
def _count_signs(text: str) -> int:
    """Count what marks an assistant's text: an offer, a list, and the length of one that has either."""
    read, low_text = readings(text), text.casefold()
    offers = any(phrase in low_text for phrase in lexicon_of(read).offers)
    has_list = sum(map(_is_listed, text.splitlines())) >= LISTED_MIN
    return offers + has_list + ((offers or has_list) and len(read) >= LONG_WORDS_MIN)


def _is_listed(line: str) -> bool:
    head = line.lstrip()
    number = head.partition(" ")[0]
    return head.startswith(_BULLETS) or (number[:-1].isdecimal() and number[-1:] in (".", ")"))


BY_ROLE: Mapping[Role, Trust] = {
    Role.USER: Trust.USER,
    Role.SYSTEM: Trust.USER,
    Role.ASSISTANT: Trust.AGENT,
    Role.TOOL: Trust.TOOL,
}


def compute_trust(door: Trust, role: Role) -> Trust:
    """Return how far a text is believed that comes through a door, from who spoke."""
    return min(door, BY_ROLE[role])


def lower_trust(door: Trust, role: Role, said: Trust | None) -> Trust:
    """Return a door as its caller has it: lower than it is, if at all."""
    most = compute_trust(door, role)
    if said is None:
        return door
    if said > most:
        raise InvalidInput(
            f"a text that comes this way is believed as far as {most.label}, not {said.label}",
            recovery=f"leave `trust` out, or pass one of: {', '.join(one.label for one in Trust if one <= most)}",
        )
    return said


def limit_trust(door: Trust, was: Trust) -> Trust:
    """Return how far a text is believed that takes another's place: a person's as the door, else not more than that."""
    return door if door is Trust.USER else min(door, was)
