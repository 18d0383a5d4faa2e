"""The cards of one round of 姜堰23张 or 沙沙儿 as the model of `model_pengpai` keeps them.

It knows nothing of the engine but how to ask whether a hand may win and what it waits for.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from libs.families.pengpai.hand import Held
from libs.families.pengpai.judge import Scoring
from libs.families.pengpai.shape import winning_faces
from libs.game.actions import Verb
from libs.game.cards import FACES
from libs.game.melds import Meld, MeldKind

DA_WANG = FACES["DJ"]
PENG, MING = MeldKind.PENG, MeldKind.MING_GANG
YUAN, HOU = MeldKind.AN_GANG_YUAN, MeldKind.AN_GANG

Choice = tuple[Verb, int]
"""What is done and with which face (0: none)."""
NO: Choice = (Verb.PASS, 0)


class Over(Exception):
    """The round has ended."""


@dataclass
class Laid:
    """A meld. `four` is the 杠 that a fifth card came onto, or what four of five cards laid at
    once would have been unless all five are 原起 (X8)."""

    kind: MeldKind
    face: int
    size: int
    four: MeldKind | None = None

    def meld(self) -> Meld:
        """As the scorer takes it."""
        steps = () if self.four is None else (self.four,)
        return Meld(self.kind, bytes((self.face,)) * self.size, steps=steps)


class Board:
    """The cards and what everybody has said; `events` grows as things happen."""

    def __init__(self, game: str, scoring: Scoring, dealer: int, players: int) -> None:
        self.jiangyan = game == "jiangyan_23"
        self.scoring, self.dealer, self.players = scoring, dealer, players
        seats = range(players)
        self.wall: list[int] = []
        self.hands: list[Counter[int]] = [Counter() for _ in seats]
        self.dealt: list[Counter[int]] = [Counter() for _ in seats]
        self.melds: list[list[Laid]] = [[] for _ in seats]
        self.piles: list[list[int]] = [[] for _ in seats]
        self.flowers = [0] * players
        self.ting = [False] * players
        self.bao = [0] * players
        """报六碰: 0 not asked, 1 announced, 2 declined."""
        self.closed_faces: list[set[int]] = [set() for _ in seats]
        self.closed_hu = [False] * players
        self.events: list[tuple[Any, ...]] = []

    def say(self, *what: Any) -> None:
        """Something happens."""
        self.events.append(what)

    def order(self, first: int) -> Iterator[int]:
        """Every seat once, in turn order."""
        return ((first + steps) % self.players for steps in range(self.players))

    def held(self, seat: int, without: int = 0, hai_lao: bool = False) -> Held:
        """A seat's cards as the scorer takes them."""
        counts = bytearray(self.scoring.deck.width)
        for card, n in self.hands[seat].items():
            counts[card] = n - (card == without)
        facts = {
            "flowers": self.flowers[seat],
            "zhi_ting": int(self.ting[seat]),
            "bao_liu_peng": self.bao[seat],
            "hai_lao": int(hai_lao),
        }
        return Held(bytes(counts), [laid.meld() for laid in self.melds[seat]], facts)

    def waits(self, seat: int, without: int = 0) -> list[int]:
        """Faces that complete the hand, by shape."""
        return winning_faces(self.held(seat, without), self.scoring.deck)

    def deal(self, deck: bytes) -> None:
        """J2, X2: the dealer has one card more."""
        self.wall = list(deck)
        for seat in self.order(self.dealer):
            n = 23 if seat == self.dealer else 22
            cards, self.wall = self.wall[:n], self.wall[n:]
            self.hands[seat].update(cards)
            self.dealt[seat].update(cards)
            self.say("dealt", seat, *sorted(cards))

    def draw(self, seat: int) -> int:
        """The next card of the wall."""
        card = self.wall.pop(0)
        self.hands[seat][card] += 1
        self.unlock(seat)
        self.say("drew", seat, card, False)
        return card

    def replacement(self, seat: int) -> int:
        """The last card of the wall (J4)."""
        card = self.wall.pop()
        self.hands[seat][card] += 1
        self.say("drew", seat, card, True)
        return card

    def set_flower(self, seat: int) -> None:
        """A 大王 lies beside the seat (J1)."""
        self.hands[seat][DA_WANG] -= 1
        self.flowers[seat] += 1
        self.say("flower", seat)

    def discard(self, seat: int, card: int) -> None:
        """A card goes onto the table."""
        self.hands[seat][card] -= 1
        self.say("discarded", seat, card)

    def unlock(self, seat: int) -> None:
        """弃碰 and 弃胡 end (J10)."""
        self.closed_faces[seat].clear()
        self.closed_hu[seat] = False

    # 杠

    def may_replace(self, cards: int = 1) -> bool:
        """X6; at the last three a 杠 goes without its replacement (J32)."""
        return self.jiangyan or len(self.wall) >= cards

    def fours(self, seat: int) -> set[Choice]:
        """暗杠 from the hand; never of 大王 where it is a flower (J1)."""
        if not self.may_replace():
            return set()
        held = {face for face, n in self.hands[seat].items() if n >= 4}
        return {(Verb.AN_GANG, face) for face in held - ({DA_WANG} if self.jiangyan else set())}

    def growing(self, seat: int) -> set[Choice]:
        """Cards in hand that go onto an own meld (J8, X8)."""
        if not self.may_replace():
            return set()
        copies = self.scoring.deck.counts
        faces = [laid.face for laid in self.melds[seat] if laid.size < copies[laid.face]]
        return {(Verb.BU_GANG, face) for face in faces if self.hands[seat][face]}

    def keeps_waits(self, seat: int, face: int) -> bool:
        """The same winning faces before the draw and after the 暗杠 (J30)."""
        before = self.waits(seat, face)
        self.hands[seat][face] -= 4
        self.melds[seat].append(Laid(HOU, face, 4))
        after = self.waits(seat)
        self.melds[seat].pop()
        self.hands[seat][face] += 4
        return before == after

    def lay(self, seat: int, choice: Choice, opening: bool = False) -> int:
        """A 杠 of one's own; the number of its replacements. `opening`: dealt cards are 原起."""
        verb, face = choice
        if verb == Verb.BU_GANG:
            return self._grow(seat, face)
        dealt = self.dealt[seat][face] if opening else 0
        size = 4 if len(self.wall) == 1 else self.hands[seat][face]
        four = YUAN if dealt >= 4 else HOU
        self.hands[seat][face] -= size
        whole = size == 4 or dealt == 5
        self.melds[seat].append(Laid(four, face, size, None if whole else four))
        self.say("melded", seat, "an", face, size, -1)
        return size - 3

    def _grow(self, seat: int, face: int) -> int:
        at, old = self.own(seat, face)
        assert old is not None
        self.hands[seat][face] -= 1
        new = Laid(old.kind, face, old.size + 1, old.kind)
        if old.kind == PENG:
            new = Laid(MING, face, 4)
        self.melds[seat][at] = new
        self.say("melded", seat, "ming" if new.kind == MING else "an", face, new.size, at)
        return 1

    def own(self, seat: int, face: int) -> tuple[int, Laid | None]:
        """Place and meld of a face; (-1, None): none."""
        for at, laid in enumerate(self.melds[seat]):
            if laid.face == face:
                return at, laid
        return -1, None

    def claim_peng(self, seat: int, card: int) -> None:
        """碰 (J7)."""
        self.hands[seat][card] -= 2
        self.melds[seat].append(Laid(PENG, card, 3))
        self.say("melded", seat, "peng", card, 3, -1)

    def claim_gang(self, seat: int, card: int) -> int:
        """直杠, or a fifth onto a 杠; the number of its replacements (J8, X8)."""
        at, old = self.own(seat, card)
        size = 5 if old else self.hands[seat][card] + 1
        if old:
            self.melds[seat][at] = Laid(MING, card, 5, old.kind)
        else:
            self.hands[seat][card] = 0
            self.melds[seat].append(Laid(MING, card, size))
        self.say("melded", seat, "ming", card, size, at)
        return 1 if old else size - 3
