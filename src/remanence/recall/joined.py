"""Memories that stand, as the index holds them, with a few archived ones and these ones' neighbours put between them.

So both are ranked at once, by the same rules. Knows arrays; must not know where either comes from.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from remanence.recall.corpus import Bools, Corpus, Floats
from remanence.recall.ground import Ground, ground_of
from remanence.recall.lexical import Term, term_of

Rows = npt.NDArray[np.intp]


@dataclass(frozen=True, slots=True)
class JoinedCorpus:
    """Both as one scope: where the rows of either stand in it."""

    ground: Ground
    standing: Rows
    archived: Rows

    def by_row(self, standing: Floats, archived: Floats) -> Floats:
        """Return numbers of both by row."""
        numbers = np.zeros(len(self.ground.corpus), np.float32)
        numbers[self.standing], numbers[self.archived] = standing, archived
        return numbers

    def join_marks(self, standing: Bools, archived: Bools) -> Bools:
        """Return marks of both by row."""
        marks = np.zeros(len(self.ground.corpus), np.bool_)
        marks[self.standing], marks[self.archived] = standing, archived
        return marks

    def terms(
        self, stems: Sequence[str], standing: Mapping[str, Rows], archived: Mapping[str, Rows]
    ) -> dict[str, Term]:
        """Return the windows that hold each stem, by the rows of either that hold it themselves."""
        ground, by_stem = self.ground, {}
        for stem in stems:
            rows = np.sort(np.concatenate((self.standing[standing[stem]], self.archived[archived[stem]])))
            by_stem[stem] = term_of(ground.windows, ground.damping, stem, rows, ground.names.get(stem, ()))
        return by_stem


def join_corpora(standing: Corpus, archived: Corpus, speakers: Sequence[str]) -> JoinedCorpus:
    """Put both in order of arrival; their codes mean the same, `speakers` are the names by code."""
    seq = np.concatenate((standing.seq, archived.seq))
    order = np.argsort(seq, kind="stable")
    place = np.empty_like(order)
    place[order] = np.arange(len(order))
    columns = {
        name: np.concatenate((getattr(standing, name), getattr(archived, name)))[order]
        for name in Corpus.__dataclass_fields__
    }
    ground = ground_of(Corpus(**columns), speakers)
    return JoinedCorpus(ground, place[: len(standing)], place[len(standing) :])
