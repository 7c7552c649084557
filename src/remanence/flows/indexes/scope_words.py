"""The words of a scope as questions ask for them: which languages it speaks, and in which forms it has a word.

What is kept of texts is the language and the function words of some of them; forms are asked of the store and forgotten
with each change, so that nothing stays here of a word that is gone.
"""

import asyncio
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from remanence.core.model import Memory
from remanence.recall.lexical import WordForms
from remanence.recall.spoken import HeardText, SpokenLanguages, hear_text
from remanence.store.capabilities import FullStore
from remanence.text.analysis import readings
from remanence.text.light_stems import has_forms, light_stem, list_beginnings

Ints = npt.NDArray[np.int64]
HEARD_MAX = 512  # texts that tell the languages of a scope
HEARD_CHARS_MAX = 1_000  # of each of them
PAGE = 128
ASKED_MAX = 32  # words of a question that are asked for in all forms
FORMS_MAX = 8  # of one word, itself included
KEPT_MAX = 4_096  # words whose forms are kept
_ODD = 0x9E3779B1  # 2**32 by the golden ratio: numbers in a row are spread evenly
_BITS = 32


class ScopeWords:
    """What is heard of one scope; `read` before use."""

    def __init__(self, store: FullStore, scope: str) -> None:
        self._store, self._scope = store, scope
        self._heard: dict[int, HeardText] = {}
        self._spoken: SpokenLanguages | None = None
        self._share = 0  # one of 2 ** so many memories is heard
        self._forms: dict[tuple[str, str], tuple[str, ...]] = {}
        self.is_read = False

    def forget(self) -> None:
        """Keep nothing."""
        self._heard, self._spoken, self._share, self.is_read = {}, None, 0, False
        self._forms.clear()

    async def read(self, seqs: Ints) -> None:
        """Hear some of the memories of the scope, spread evenly over all that lend their words."""
        share, chosen = 0, seqs
        while len(chosen) > HEARD_MAX:
            share += 1
            chosen = seqs[_mix_numbers(seqs) >> (_BITS - share) == 0]
        heard: dict[int, HeardText] = {}
        for start in range(0, len(chosen), PAGE):
            memories = await self._store.get(self._scope, chosen[start : start + PAGE].tolist())
            heard |= await asyncio.to_thread(_hash_words, memories)
        self.forget()
        self._heard, self._share, self.is_read = heard, share, True

    def follow(self, memories: Sequence[Memory], lends: Sequence[bool]) -> None:
        """Hear memories that changed or came, where they are among those that are heard."""
        self._forms.clear()
        if not self.is_read:
            return
        for memory, is_lending in zip(memories, lends, strict=True):
            self._heard.pop(memory.seq, None)
            if is_lending and self._is_chosen(memory.seq):
                self._heard |= _hash_words([memory])
        while len(self._heard) > HEARD_MAX:
            self._share += 1
            self._heard = {seq: one for seq, one in self._heard.items() if self._is_chosen(seq)}
        self._spoken = None

    def _is_chosen(self, seq: int) -> bool:
        return int(_mix_numbers(np.array([seq], np.int64))[0]) >> (_BITS - self._share) == 0

    @property
    def languages(self) -> SpokenLanguages:
        """The languages of the scope, as they were heard."""
        if self._spoken is None:
            self._spoken = SpokenLanguages(self._heard.values())
        return self._spoken

    def read_question(self, query: str, held: Mapping[str, int]) -> tuple[list[str], list[str]]:
        """Return the stems of a question that are no function words, and of which languages forms are asked for.

        `held` says of each stem how many memories hold it in the index. Where nothing else is left, all stems are. A
        long question has words enough that match as they are.
        """
        stems, spoken = list(held), self.languages
        if not spoken.foreign:
            return stems, []
        read = readings(query)
        among = spoken.guess_languages([word for reading in read for word in reading.folded])
        content = (pair for reading in read for pair in reading.content)
        empty = {
            stem
            for word, stem in content
            if spoken.is_function_word(word, among, is_held=held.get(stem, 0) > 0)
        }
        kept = [stem for stem in stems if stem not in empty] or stems
        return kept, [code for code in among if has_forms(code)] if len(kept) <= ASKED_MAX else []

    async def find_forms(self, stems: Sequence[str], languages: Sequence[str]) -> WordForms:
        """Return each stem with its forms in some languages."""
        await self._read_forms([(code, stem) for code in languages for stem in stems])
        words = {stem: [word for code in languages for word in self._forms[code, stem]] for stem in stems}
        return {stem: tuple(dict.fromkeys((stem, *some)))[:FORMS_MAX] for stem, some in words.items()}

    async def _read_forms(self, asked: Iterable[tuple[str, str]]) -> None:
        """Ask the store for words that may be forms of others, and keep those that are."""
        if len(self._forms) > KEPT_MAX:
            self._forms.clear()
        missing = {one: list_beginnings(*one) for one in asked if one not in self._forms}
        beginnings = list(dict.fromkeys(begins for some in missing.values() for begins in some))
        words = await self._store.vocabulary(self._scope, beginnings) if beginnings else []
        for (code, stem), begins in missing.items():
            key = light_stem(code, stem)
            alike = [
                word
                for word in words
                if begins and word.startswith(begins) and word != stem and light_stem(code, word) == key
            ]
            alike.sort(key=lambda word: (abs(len(word) - len(stem)), word))
            self._forms[code, stem] = tuple(alike[: FORMS_MAX - 1])


def _hash_words(memories: Iterable[Memory | None]) -> dict[int, HeardText]:
    return {one.seq: hear_text(one.text[:HEARD_CHARS_MAX]) for one in memories if one is not None}


def _mix_numbers(seqs: Ints) -> npt.NDArray[np.uint64]:
    """Return numbers of 32 bits in which those in a row are spread evenly."""
    return (seqs.astype(np.uint64) * np.uint64(_ODD)) & np.uint64(2**_BITS - 1)
