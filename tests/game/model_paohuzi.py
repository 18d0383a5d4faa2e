"""A second opinion on the play of 六胡抢 and 十五胡, from Z1-Z31, Z33, L2-L7 and Q2-Q7 alone."""

from collections.abc import Iterator
from typing import Any

from libs.game.melds import MeldKind
from libs.game.sheet import HandSpec, Win, WinSource
from tests.game.model_table import (
    EVERYBODY,
    HU,
    PASS,
    Card,
    Claim,
    Model,
    Question,
    Setting,
    runs_with,
    size,
)

WEIS = (MeldKind.WEI, MeldKind.CHOU_WEI)
FOURS = (MeldKind.PAO, MeldKind.TI)
RED, ONE_FIVE_TEN = {2, 7, 10}, {1, 5, 10}


def discards(hand: list[int]) -> list[int]:
    """Faces that are no 坎 (Z6)."""
    return [face for face in range(1, 21) if hand[face] in (1, 2)]


def without(hand: list[int], cards: tuple[int, ...]) -> list[int] | None:
    """The hand without the cards; None if it lacks one."""
    left = list(hand)
    for card in cards:
        left[card] -= 1
    return left if min(left) >= 0 else None


class Paohuzi(Model):
    """A round of one of the two games."""

    ranks = {"hu": 2, "pao": 3, "peng": 3, "chi": 4}  # noqa: RUF012 - a table of Z7

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        self.qidong = setting.variant.game == "qidong_shiwuhu"
        self.closed: list[set[int]] = [set() for _ in range(self.players)]
        self.ren_peng: list[set[int]] = [set() for _ in range(self.players)]
        self.barred = [False] * self.players
        self.shown = 0
        self.first_discard = False
        """The card that lies open is the dealer's first discard."""

    def notes(self, seat: int) -> dict[str, set[int]]:
        return {"closed": self.closed[seat], "own_discard": self.discarded[seat]}

    def must_take(self, drawn: bool) -> bool:
        """Z33: whether such a 胡 is taken without asking."""
        policy = self.options.hu_policy
        return policy == "must_hu" or (policy == "must_hu_discard" and not drawn)

    def fours(self, seat: int) -> int:
        return sum(meld.kind in FOURS for meld in self.melds[seat])

    # The opening.

    def play(self) -> Iterator[Any]:
        """L3, Q3: the whole round."""
        dealer = self.dealer
        for seat in self.from_seat(dealer):
            self.deal(seat, 20)
        self.shown = self.wall.pop(0)
        self.log.append(("shown", self.shown))
        if not self.qidong:
            self.lay_start_ti(dealer)
            yield from self.win_the_shown()
            if self.outcome:
                return
        self.hands[dealer][self.shown] += 1
        self.log.append(("joined", dealer, self.shown))
        if self.lay_start_ti(dealer) or self.qidong:
            yield from self.win_the_deal()
            if self.outcome:
                return
        face = yield from self.discard(dealer)
        for seat in self.from_seat(dealer)[1:]:
            self.lay_start_ti(seat)
        actor = self.seat_after(dealer)
        if face:
            self.first_discard = True
            actor = yield from self.offer(Card(face, dealer, False))
        while not self.outcome:
            actor = yield from self.draw(actor)

    def lay_start_ti(self, seat: int) -> bool:
        """Z3; returns whether a replacement came."""
        hand, drew = self.hands[seat], False
        while 4 in hand:
            self.lay(seat, MeldKind.TI, [hand.index(4)] * 4, None)
            if len(self.melds[seat]) > 1:
                face = self.wall.pop(0)
                hand[face] += 1
                self.log.append(("drew", seat, face, True, 1 << seat))
                drew = True
        return drew

    def win_the_shown(self) -> Iterator[Any]:
        """L4: one seat after another, the first yes wins."""
        everybody = self.from_seat(self.dealer)
        for seat in everybody if self.options.idle_hu_liang_zhang else everybody[:1]:
            win = Win(seat, self.shown, WinSource.LIANG_ZHANG, self.dealer)
            yield from self.may_win(win, self.spec(win))
            if self.outcome:
                return

    def win_the_deal(self) -> Iterator[Any]:
        """L4 (second offer), Q4; the 亮张 is the card that came last, if it is in the hand."""
        hand = self.hands[self.dealer]
        held = int(hand[self.shown] > 0)
        win = Win(self.dealer, self.shown, WinSource.DEAL, self.dealer)
        hand[self.shown] -= held
        spec = self.spec(win)
        hand[self.shown] += held
        yield from self.may_win(win, spec)

    def may_win(self, win: Win, spec: HandSpec) -> Iterator[Any]:
        """Offers a 胡 by itself, if it is one."""
        if self.dead[win.seat] or not self.variant.score(spec).can_win:
            return
        if self.must_take(True) or (yield from self.ask(win.seat, [HU])) == HU:
            self.take_hu(win, spec)

    def take_hu(self, win: Win, spec: HandSpec) -> None:
        """Z31: the 醒 face is found."""
        self.won(win, spec)
        if self.options.xing == "fan_xing" and self.wall:
            self.log.append(("xing", self.wall[0], True))
        elif self.options.xing != "none":
            self.log.append(("xing", win.card, False))
        self.end(1)

    # A turn.

    def draw(self, seat: int) -> Iterator[Any]:
        """Z5, Z9, Z10, Z12, Z30: returns the seat that draws next."""
        if not self.wall:
            self.next_dealer = self.dealer if self.qidong else self.seat_after(self.dealer)
            self.end(2)
            return -1
        face = self.wall.pop(0)
        card = Card(face, seat, True)
        at = self.meld_at(seat, face, *WEIS)
        held = self.hands[seat][face]
        if at < 0 and held < 2:
            self.log.append(("drew", seat, face, False, EVERYBODY))
            return (yield from self.offer(card))
        win = Win(seat, face, WinSource.OWN_DRAW, seat, not self.wall)
        before = self.spec(win)
        kind = MeldKind.CHOU_WEI if face in self.ren_peng[seat] else MeldKind.WEI
        if at >= 0 or held == 3:
            kind = MeldKind.TI
        hidden = kind == MeldKind.WEI and not self.options.ming_wei
        self.log.append(("drew", seat, face, False, 1 << seat if hidden else EVERYBODY))
        count = 4 if kind == MeldKind.TI else 3
        self.lay(seat, kind, [face] * count, card, at=at, hidden=hidden)
        yield from self.may_win(win, before)
        if self.outcome:
            return -1
        return (yield from self.after_laying(seat, kind == MeldKind.TI))

    def after_laying(self, seat: int, four: bool) -> Iterator[Any]:
        """Z20, Z22: who draws next, after a discard or without one."""
        if self.dead[seat] or (four and self.fours(seat) > 1):
            return self.seat_after(seat)
        return (yield from self.turn_of(seat))

    def turn_of(self, seat: int) -> Iterator[Any]:
        """A discard and all that follows; returns the seat that draws next."""
        face = yield from self.discard(seat)
        if not face:
            return self.seat_after(seat)
        return (yield from self.offer(Card(face, seat, False)))

    def discard(self, seat: int) -> Iterator[Any]:
        """Z6, Z21, L7, Q7; 0: it cannot (Z22)."""
        faces = discards(self.hands[seat])
        if not faces:
            self.dead[seat] = True
            self.log.append(("flag", seat, "si_shou"))
            return 0
        self.turn = seat
        while True:
            _, (_, face) = yield {seat: ("discard", frozenset(("discard", f) for f in faces))}
            self.log.append(("closed", seat, 1))
            if len(faces) == 1 or self.may_chong(seat, face):
                break
            faces.remove(face)
            self.log.append(("returned", seat, face))
        self.turn = -1
        self.hands[seat][face] -= 1
        self.discarded[seat].add(face)
        self.log.append(("discard", seat, face))
        return face

    def may_chong(self, seat: int, face: int) -> bool:
        """L7, Q7: nobody else holds it as 偎, or the room (here: a ready hand) lets it be."""
        others = [other for other in range(self.players) if other != seat]
        if all(self.meld_at(other, face, *WEIS) < 0 for other in others):
            return True
        if not self.qidong:
            return bool(self.options.chong_zhao)
        self.hands[seat][face] -= 1
        ready = bool(self.variant.waits(self.spec(None), seat))
        self.hands[seat][face] += 1
        return ready

    # An open card.

    def offer(self, card: Card) -> Iterator[Any]:
        """The window (Z7, Z8) and what follows; returns the seat that draws next."""
        forced: list[tuple[int, Claim]] = []
        asked = []
        for seat in range(self.players):
            claims = self.claims(seat, card)
            if HU in claims and self.must_take(card.drawn):
                claims.remove(HU)
                forced.append((seat, HU))
            if self.must_pao(seat, card):
                forced.append((seat, ("pao", card.face)))
            asked.append(Question(seat, claims))
        first = card.seat if card.drawn else self.seat_after(card.seat)
        top, asked = yield from self.window(asked, forced, first)
        for question in asked:
            self.count_pass(question, card.face)
        if top is None:
            self.first_discard = False
            return self.pile(card)
        return (yield from self.take(*top, card))

    def claims(self, seat: int, card: Card) -> list[Claim]:
        """What the seat might choose on the card."""
        face, hand = card.face, self.hands[seat]
        mine: list[Claim] = []
        if self.may_win_from(seat, card) and self.completes(self.win(seat, card)):
            mine.append(HU)
        if self.dead[seat] or self.barred[seat] or face in self.closed[seat]:
            return mine
        if seat != card.seat and hand[face] == 2 and discards(without(hand, (face, face)) or []):
            mine.append(("peng", face))
        near = seat == self.seat_after(card.seat) or (seat == card.seat and card.drawn)
        if near and face not in self.discarded[seat]:
            mine += self.chi_ways(hand, face)
        return mine

    def win(self, seat: int, card: Card) -> Win:
        last = card.drawn and not self.wall
        return Win(seat, card.face, card.source(seat), card.seat, last, self.first_discard)

    def may_win_from(self, seat: int, card: Card) -> bool:
        return card.drawn or (seat != card.seat and self.options.hu_policy != "wall_only")

    def must_pao(self, seat: int, card: Card) -> bool:
        """Z13."""
        face = card.face
        if seat != card.seat and (
            self.hands[seat][face] == 3 or self.meld_at(seat, face, *WEIS) >= 0
        ):
            return True
        return card.drawn and self.meld_at(seat, face, MeldKind.PENG) >= 0

    def pairs(self, face: int) -> set[tuple[int, int]]:
        """Two cards that make a group of 吃 type with the face (Z15)."""
        with_one = getattr(self.options, "yi_wu_shi", False)
        twin = face - 10 if size(face) else face + 10
        jiao = {(twin, twin), (min(face, twin), max(face, twin))}
        return runs_with(face, (RED, ONE_FIVE_TEN) if with_one else (RED,)) | jiao

    def chi_ways(self, hand: list[int], face: int) -> list[Claim]:
        """Z15, Z16, Z19."""
        usable = [n if n < 3 else 0 for n in hand]
        ways: list[Claim] = []
        for pair in self.pairs(face):
            rest = without(usable, pair)
            if rest is None or hand[face] > 2:
                continue
            for bi in self.bi_ways(rest, face):
                laid = (*pair, *(card for group in bi for card in group))
                if discards(without(hand, laid) or []):
                    ways.append(("chi", face, tuple(sorted((face, *pair))), bi))
        return ways

    def bi_ways(self, rest: list[int], face: int) -> set[tuple[tuple[int, ...], ...]]:
        """Every way to lay the cards of the face that are left, in groups from the hand (Z16)."""
        if not rest[face]:
            return {()}
        ways = set()
        for pair in self.pairs(face):
            left = without(rest, (face, *pair))
            group = tuple(sorted((face, *pair)))
            for more in self.bi_ways(left, face) if left else ():
                ways.add(tuple(sorted((*more, group))))
        return ways

    def count_pass(self, question: Question, face: int) -> None:
        """Z8a, Z10, Z17; what a seat chose it has not passed, also where it lost the card."""
        offered = {claim[0] for claim in question.claims}
        word = (question.answer or PASS)[0]
        if question.outcome == 3 or word in ("hu", "peng") or not offered & {"peng", "chi"}:
            return
        if word == "pass" or "peng" in offered:
            self.closed[question.seat].add(face)
        if "peng" in offered:
            self.ren_peng[question.seat].add(face)

    def take(self, seat: int, claim: Claim, card: Card) -> Iterator[Any]:
        """The claim that won happens; returns the seat that draws next."""
        win = self.win(seat, card)
        self.first_discard = False
        word, cards = claim[0], [card.face]
        if word == "hu":
            self.take_hu(win, self.spec(win))
            return -1
        if word == "pao":
            at = self.meld_at(seat, card.face, *WEIS, MeldKind.PENG)
            self.lay(seat, MeldKind.PAO, cards * 4, card, at=at)
            if at >= 0 and not card.drawn and not self.barred[card.seat]:
                self.barred[card.seat] = True
                self.log.append(("flag", card.seat, "barred"))
            return (yield from self.after_laying(seat, True))
        if word == "peng":
            self.lay(seat, MeldKind.PENG, cards * 3, card)
        else:
            self.lay(seat, MeldKind.CHI, list(claim[2]), card, bi=claim[3])
        return (yield from self.turn_of(seat))
