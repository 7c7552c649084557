"""Says a statement in the first person of its speaker, where the words leave no doubt; else as it was said."""

import re
from collections.abc import Callable, Mapping, Sequence

from remanence.languages import ENGLISH
from remanence.languages.families import THIRD_PERSON
from remanence.read.cues import WORD, lower_text

_ENGLISH, _GERMAN, _JAPANESE_WORDS = (THIRD_PERSON[code] for code in ("en", "de", "ja"))
_QUOTES = frozenset('"“”„«»「」『』‘')
_JAPANESE = re.compile(f"(?:{'|'.join(_JAPANESE_WORDS.persons)})(?=[{''.join(_JAPANESE_WORDS.particles)}])")
_UNSAFE = frozenset("than as like let trust believe excuse as".split())
OWN_MAX = 3
_JOINS = frozenset(("and", "or", "but", "then"))
Words = Sequence[re.Match[str]]


def say_in_third_person(sentence: str, code: str, speaker: str) -> str:
    """Return a statement with the speaker's name for "I" and "my"; as it was said where that is not safe."""
    retold = _RETELLING.get(code)
    if not speaker or retold is None or _QUOTES & set(sentence):
        return sentence
    return retold(sentence, speaker) or sentence


def _english(sentence: str, speaker: str) -> str | None:
    matches = list(WORD.finditer(lower_text(sentence)))
    words = [word.group() for word in matches]
    own = [at for at, word in enumerate(words) if word in ("i", "me", "my") or word in _ENGLISH.contractions]
    # Where "me" is compared or called upon, and where the name would be all that is heard, it stays.
    is_unsafe = any(words[at] == "me" and at and words[at - 1] in _UNSAFE for at in own)
    if not own or len(own) > OWN_MAX or is_unsafe or _ENGLISH.others & set(words):
        return None
    new: dict[int, str] = {}
    for at in own:
        replacements = (
            _own_words(words, at, speaker)
            if words[at] in ("me", "my")
            else _as_subject(sentence, matches, at, speaker)
        )
        if replacements is None:
            return None
        new |= replacements
    return None if _goes_on(words, own) else _put(sentence, matches, new)


def _own_words(words: Sequence[str], at: int, speaker: str) -> dict[int, str]:
    return {at: speaker if words[at] == "me" else f"{speaker}'s"}


def _as_subject(sentence: str, found: Words, at: int, speaker: str) -> dict[int, str] | None:
    """Return the new words for "I" and its verb, None where the verb is not known."""
    word, before = found[at].group(), found[at - 1].group() if at else ""
    if before in _ENGLISH.turning or (before == "and" and not _subject_before(found, at)):
        return None
    if word in _ENGLISH.contractions:
        return {at: f"{speaker} {_ENGLISH.contractions[word]}"}
    verb = _verb_after(sentence, found, at)
    if verb is None:
        return None
    form = _form(found[verb].group())
    return None if form is None else {at: speaker, verb: form}


def _subject_before(found: Words, at: int) -> bool:
    """Tell whether "and I" joins a second statement, not a second person."""
    return any(word.group() == "i" or word.group() in _ENGLISH.contractions for word in found[: at - 1])


def _verb_after(sentence: str, found: Words, at: int) -> int | None:
    for verb in range(at + 1, len(found)):
        if sentence[found[verb - 1].end() : found[verb].start()].strip():
            return None
        if found[verb].group() not in _ENGLISH.adverbs:
            return verb
    return None


def _form(verb: str) -> str | None:
    if verb in _ENGLISH.unclear:
        return None
    if verb in _ENGLISH.modals or verb in ENGLISH.past:
        return verb
    if verb in _ENGLISH.forms:
        return _ENGLISH.forms[verb]
    if verb in _ENGLISH.verbs:
        return f"{verb}s"
    regular_past = verb.endswith("ed") and len(verb) > 4 and verb not in ENGLISH.not_past
    return verb if regular_past else None


def _goes_on(words: Sequence[str], own: Sequence[int]) -> bool:
    """Tell whether a second verb of the speaker's follows, which would have to change too."""
    return any(
        word in _ENGLISH.verbs or word in _ENGLISH.forms or word in _ENGLISH.unclear
        for at, word in enumerate(words[own[0] :], own[0])
        if at > own[0] and words[at - 1] in _JOINS
    )


def _put(sentence: str, found: Words, new: Mapping[int, str]) -> str:
    pieces, end = [], 0
    for at, word in sorted(new.items()):
        pieces += [sentence[end : found[at].start()], word]
        end = found[at].end()
    return "".join([*pieces, sentence[end:]])


def _german(sentence: str, speaker: str) -> str | None:
    matches = list(WORD.finditer(lower_text(sentence)))
    words = [word.group() for word in matches]
    verbs = [at for at, word in enumerate(words) if word in _GERMAN.forms]
    if words.count("ich") != 1 or len(verbs) != 1 or _GERMAN.others & set(words):
        return None
    at = words.index("ich")
    if abs(at - verbs[0]) != 1:
        return None
    return _put(sentence, matches, {at: speaker, verbs[0]: _GERMAN.forms[words[verbs[0]]]})


def _chinese(sentence: str, speaker: str) -> str | None:
    if any(word in sentence for word in THIRD_PERSON["zh"].others):
        return None
    return sentence.replace("我", speaker)


def _japanese(sentence: str, speaker: str) -> str | None:
    return _JAPANESE.sub(lambda _: speaker, sentence)


_RETELLING: Mapping[str, Callable[[str, str], str | None]] = {
    "en": _english, "de": _german, "zh": _chinese, "ja": _japanese,
}  # fmt: skip
