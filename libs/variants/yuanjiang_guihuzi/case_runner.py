"""Runs worked cases of 沅江鬼胡子; `tools.cases` finds it by the game id.

`spec_of_case`, `from_sheet` and `from_waits` let it ask running services instead.
"""

from functools import partial

from libs.families.guihuzi import cases as family
from libs.variants.yuanjiang_guihuzi.options import Options
from libs.variants.yuanjiang_guihuzi.scoring import scoring_for

_GAME = family.CaseGame(Options, scoring_for)
KINDS = frozenset(family.KINDS)
ORDERED = family.ORDERED
WORDS = family.WORDS
run_case = partial(family.run_case, _GAME)
spec_of_case = partial(family.spec_of_case, _GAME)
from_sheet = family.from_sheet
from_waits = family.from_waits
