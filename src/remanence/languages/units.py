"""Symbols of units that are another unit in other letters: Mb and MB, mW and MW. Data only."""

from remanence.languages.lexicon import words

UNITS = words("mb gb kb tb pb mw gw kw mg mm ms ma mv mj mh mhz mpa pa gy sv ev nm")
