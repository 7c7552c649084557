"""Words of telling of all languages at once: a short sentence does not say which one it is in. Data only."""

from remanence.languages.telling.english import ENGLISH
from remanence.languages.telling.french import FRENCH
from remanence.languages.telling.german import GERMAN
from remanence.languages.telling.portuguese import PORTUGUESE
from remanence.languages.telling.spanish import SPANISH
from remanence.languages.telling.told import Telling
from remanence.languages.telling.unspaced import CHINESE, JAPANESE, UnspacedTelling

TELLING: dict[str, Telling] = {one.code: one for one in (ENGLISH, GERMAN, SPANISH, FRENCH, PORTUGUESE)}
UNSPACED: tuple[UnspacedTelling, ...] = (CHINESE, JAPANESE)

__all__ = ["CHINESE", "JAPANESE", "TELLING", "UNSPACED", "Telling", "UnspacedTelling"]
