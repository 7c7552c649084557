"""Words of change by language. Data only."""

from remanence.languages.changes_de import GERMAN
from remanence.languages.changes_en import ENGLISH
from remanence.languages.changes_es import SPANISH
from remanence.languages.changes_fr import FRENCH
from remanence.languages.changes_pt import PORTUGUESE
from remanence.languages.changes_unspaced import CHINESE, JAPANESE
from remanence.languages.changing_shape import Changing

CHANGING: dict[str, Changing] = {
    one.code: one for one in (ENGLISH, GERMAN, SPANISH, FRENCH, PORTUGUESE, CHINESE, JAPANESE)
}

__all__ = ["CHANGING", "Changing"]
