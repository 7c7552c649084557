"""What tells, in each language, that something is to be kept. Data only."""

from remanence.languages.signalling.phrases import Signals
from remanence.languages.signalling.signals_de import GERMAN
from remanence.languages.signalling.signals_en import ENGLISH
from remanence.languages.signalling.signals_es import SPANISH
from remanence.languages.signalling.signals_fr import FRENCH
from remanence.languages.signalling.signals_ja import JAPANESE
from remanence.languages.signalling.signals_pt import PORTUGUESE
from remanence.languages.signalling.signals_zh import CHINESE

SIGNALS: tuple[Signals, ...] = (ENGLISH, GERMAN, SPANISH, FRENCH, PORTUGUESE, CHINESE, JAPANESE)

__all__ = ["SIGNALS", "Signals"]
