"""A hand as every question takes it, and the facts that a score needs beyond the cards.

Keys of `SeatHand.facts` (a key that is missing counts 0):

| key | value | clause |
|---|---|---|
| `flowers` | 大王 set aside, an unreplaced one included | J20, J32 |
| `zhi_ting` | 1: 直听 declared | J30 |
| `bao_liu_peng` | 0 never asked, 1 announced, 2 declined | J31 |
| `hai_lao` | 1 in the winner's hand: the winning card is one of the last three | J32 |

天胡 needs no key: it is `WinSource.DEAL` with card 0 and the dealer's whole hand. A replacement
and a 海捞 card are `OWN_DRAW`.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from libs.game.melds import Meld

FLOWERS = "flowers"
ZHI_TING = "zhi_ting"
BAO_LIU_PENG = "bao_liu_peng"
HAI_LAO = "hai_lao"

NOT_ASKED, ANNOUNCED, DECLINED = 0, 1, 2
"""Values of `bao_liu_peng` (J31)."""

NO_FACTS: Mapping[str, int] = {}


class Held(NamedTuple):
    """Concealed cards (count vector of the deck's width, without the card in question), melds."""

    counts: bytes
    melds: Sequence[Meld] = ()
    facts: Mapping[str, int] = NO_FACTS
