"""What sentences do, by language. Knows words only."""

from remanence.languages.assertions import Assertions
from remanence.languages.assertions_de import GERMAN_ASSERTIONS
from remanence.languages.assertions_en import ENGLISH_ASSERTIONS
from remanence.languages.assertions_es import SPANISH_ASSERTIONS
from remanence.languages.assertions_fr import FRENCH_ASSERTIONS
from remanence.languages.assertions_ja import JAPANESE_ASSERTIONS
from remanence.languages.assertions_pt import PORTUGUESE_ASSERTIONS
from remanence.languages.assertions_zh import CHINESE_ASSERTIONS

ASSERTIONS: dict[str, Assertions] = {
    one.code: one
    for one in (
        *(
            ENGLISH_ASSERTIONS,
            GERMAN_ASSERTIONS,
            SPANISH_ASSERTIONS,
            FRENCH_ASSERTIONS,
            PORTUGUESE_ASSERTIONS,
        ),
        *(CHINESE_ASSERTIONS, JAPANESE_ASSERTIONS),
    )
}
