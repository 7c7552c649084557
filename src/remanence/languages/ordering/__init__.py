"""Words of orders to a machine in seven languages. Data only."""

from remanence.languages.ordering.ordering_de import GERMAN
from remanence.languages.ordering.ordering_en import ENGLISH
from remanence.languages.ordering.ordering_es import SPANISH
from remanence.languages.ordering.ordering_fr import FRENCH
from remanence.languages.ordering.ordering_ja import JAPANESE
from remanence.languages.ordering.ordering_pt import PORTUGUESE
from remanence.languages.ordering.ordering_zh import CHINESE

SPACED = (ENGLISH, GERMAN, SPANISH, FRENCH, PORTUGUESE)
UNSPACED = (CHINESE, JAPANESE)
