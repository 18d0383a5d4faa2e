"""A second, literal model of how 姜堰23张 and 沙沙儿 are played (J2-J12, J30-J33, X2-X8, X17).

`Round.play` reads a deck in its order, says what happens in plain tuples and asks for answers.
"""

from collections.abc import Generator
from typing import Any, NamedTuple

from libs.families.pengpai.judge import may_win
from libs.game.actions import Verb
from libs.game.sheet import WinSource
from tests.game.model_pengpai_board import DA_WANG, NO, Board, Choice, Over

PASS, HU, DISCARD = Verb.PASS, Verb.HU, Verb.DISCARD
AN, PENG, ZHI = Verb.AN_GANG, Verb.PENG, Verb.ZHI_GANG
ZHI_TING, BAO = (Verb.ZHI_TING, 0), (Verb.BAO_LIU_PENG, 0)
WIN: Choice = (HU, 0)


class Ask(NamedTuple):
    """The questions open now, by seat."""

    offers: dict[int, frozenset[Choice]]
    turn: int = -1
    """The seat that must discard; -1: nobody (a claim, a declaration)."""
    drawn: int = 0
    """What a timeout discards (0: any card, M5)."""


Playing = Generator[Ask, tuple[int, Choice], Any]


class Round(Board):
    """One round."""

    def play(self, deck: bytes) -> Playing:
        """The whole round."""
        try:
            self.deal(deck)
            for seat in self.order(self.dealer):
                yield from self.opening(seat)
            yield from self.before_first_discard()
            seat, card = yield from self.first_discard()
            while True:
                seat, card = yield from self.after_discard(seat, card)
        except Over:
            pass

    def ask(self, seat: int, choices: set[Choice], turn: int = -1, drawn: int = 0) -> Playing:
        """One question to one seat; its answer."""
        got = yield Ask({seat: frozenset(choices)}, turn, drawn)
        self.say("closed", seat, "passed" if got[1] == NO else "taken")
        return got[1]

    # The opening (J4, J5, J6, X3)

    def opening(self, seat: int) -> Playing:
        """(1) dealt fours, then (2) flowers and (3) every four until nothing is new (J4)."""
        passed: set[Choice] | None = None
        while offer := {c for c in self.fours(seat) if self.dealt[seat][c[1]] >= 4}:
            got = yield from self.ask(seat, offer | {NO})
            if got == NO:
                passed = offer
                break
            self.lay_in_opening(seat, got, True)
        while True:
            while self.jiangyan and self.hands[seat][DA_WANG]:
                self.set_flower(seat)
                self.replacement(seat)
                passed = None
            offer = self.fours(seat) | self.growing(seat)
            if not offer or (passed is not None and offer <= passed):
                return
            got = yield from self.ask(seat, offer | {NO})
            if got == NO:
                return
            passed = None
            self.lay_in_opening(seat, got, not self.jiangyan)  # J5 and X3 differ

    def lay_in_opening(self, seat: int, got: Choice, yuan: bool) -> None:
        """A 杠 and its replacements; a 大王 among them waits for (2)."""
        for _ in range(self.lay(seat, got, yuan)):
            self.replacement(seat)

    def before_first_discard(self) -> Playing:
        """报六碰 of a dealer with six 暗杠 (J31), 天胡 (J33, X10), 直听 (J30)."""
        yield from self.maybe_bao(self.dealer)
        wins = may_win(self.held(self.dealer), 0, WinSource.DEAL, self.scoring)
        if wins and (yield from self.ask(self.dealer, {WIN, NO})) == WIN:
            self.win(self.dealer, 0, WinSource.DEAL, -1)
        for seat in self.order(self.dealer) if self.jiangyan else ():
            ready = self.ready_discards() if seat == self.dealer else self.waits(seat)
            if ready and (yield from self.ask(seat, {ZHI_TING, NO})) == ZHI_TING:
                self.ting[seat] = True
                self.say("flag", seat, "zhi_ting")

    def ready_discards(self) -> set[int]:
        """Cards whose discard leaves the dealer ready (J30)."""
        return {face for face in +self.hands[self.dealer] if self.waits(self.dealer, face)}

    def first_discard(self) -> Playing:
        """J6, J7a: discards only; with 直听 what leaves the dealer ready."""
        ready = self.ready_discards() if self.ting[self.dealer] else None
        return (yield from self.choose_discard(self.dealer, ready))

    # Turns (J7, J7a, J8, J31)

    def choose_discard(self, seat: int, faces: set[int] | None = None) -> Playing:
        """A discard without a draw before it."""
        choices = {(DISCARD, face) for face in faces or set(+self.hands[seat])}
        _, card = yield from self.ask(seat, choices, seat)
        self.discard(seat, card)
        return seat, card

    def after_discard(self, by: int, card: int) -> Playing:
        """The claims on a discard and what follows; the next (seat, discard)."""
        claim = yield from self.window(by, card)
        if claim is None:
            self.piles[by].append(card)
            self.say("unclaimed", by, card)
            return (yield from self.next_turn((by + 1) % self.players))
        seat, verb = claim
        if verb == HU:
            self.win(seat, card, WinSource.DISCARD, by)
        self.unlock(seat)
        if verb == ZHI:
            return (yield from self.after_gang(seat, self.claim_gang(seat, card)))
        self.claim_peng(seat, card)
        yield from self.maybe_bao(seat)
        return (yield from self.choose_discard(seat))

    def next_turn(self, seat: int) -> Playing:
        """A seat draws and plays (J7, J12, J32, X6)."""
        if self.jiangyan and len(self.wall) == 3:
            yield from self.hai_lao(seat)
        if not self.wall:
            self.finish("liu_ju")
        card = yield from self.without_flower(seat, self.draw(seat))
        return (yield from self.own_turn(seat, card))

    def without_flower(self, seat: int, card: int) -> Playing:
        """A drawn 大王 is set aside and replaced; the card that stays (J7)."""
        while self.jiangyan and card == DA_WANG:
            self.set_flower(seat)
            card = yield from self.replace(seat)
        return card

    def replace(self, seat: int) -> Playing:
        """One replacement; at the last three 海捞 comes instead (J32)."""
        if self.jiangyan and len(self.wall) == 3:
            yield from self.hai_lao((seat + 1) % self.players)
        return self.replacement(seat)

    def after_gang(self, seat: int, due: int) -> Playing:
        """Replacements, 报六碰, and the seat's turn goes on."""
        card = 0
        for _ in range(due):
            card = yield from self.without_flower(seat, (yield from self.replace(seat)))
        yield from self.maybe_bao(seat)
        return (yield from self.own_turn(seat, card))

    def own_turn(self, seat: int, drawn: int) -> Playing:
        """胡, 杠 or a discard after a draw; 直听 plays itself if there is no choice (J30)."""
        ting = self.ting[seat]
        choices = self.fours(seat) | self.growing(seat)
        if ting:
            keeps = (AN, drawn) in choices and self.keeps_waits(seat, drawn)
            choices = {(AN, drawn)} if keeps else set()
        if may_win(self.held(seat, drawn), drawn, WinSource.OWN_DRAW, self.scoring):
            choices.add(WIN)
        got = (DISCARD, drawn)
        if choices or not ting:
            choices |= {(DISCARD, face) for face in ({drawn} if ting else +self.hands[seat])}
            got = yield from self.ask(seat, choices, seat, drawn)
        if got[0] == DISCARD:
            self.discard(seat, got[1])
            return seat, got[1]
        if got == WIN:
            self.win(seat, drawn, WinSource.OWN_DRAW, seat)
        due = self.lay(seat, got)
        self.unlock(seat)
        return (yield from self.after_gang(seat, due))

    def maybe_bao(self, seat: int) -> Playing:
        """报六碰: six melds and five cards (J31)."""
        five = len(self.melds[seat]) == 6 and sum(self.hands[seat].values()) == 5
        if not self.jiangyan or self.bao[seat] or not five:
            return
        yes = (yield from self.ask(seat, {BAO, NO})) == BAO
        self.bao[seat] = 1 if yes else 2
        if yes:
            self.say("flag", seat, "bao_liu_peng")
            self.say("piles_opened")

    # Claims (J9, J10, X5, Z8, Z8a)

    def claims(self, seat: int, card: int) -> set[Choice]:
        """What a seat may do with a discard."""
        found: set[Choice] = set()
        wins = may_win(self.held(seat), card, WinSource.DISCARD, self.scoring)
        if wins and not self.closed_hu[seat]:
            found.add(WIN)
        if self.ting[seat] or card in self.closed_faces[seat]:
            return found
        n, own = self.hands[seat][card], self.own(seat, card)[1]
        if n >= 2:
            found.add((PENG, card))
        fifth = own is not None and own.size == 4
        if (fifth and self.may_replace()) or (n >= 3 and self.may_replace(n - 2)):
            found.add((ZHI, card))
        return found

    def window(self, by: int, card: int) -> Playing:
        """Who gets the discard: (seat, verb), or None."""

        def rank(seat: int, verb: Verb) -> int:
            return (verb != HU) * self.players + (seat - by - 1) % self.players

        others = [seat for seat in self.order(by) if seat != by]
        offers = {s: frozenset(found | {NO}) for s in others if (found := self.claims(s, card))}
        best = {s: min(rank(s, v) for v, _ in o if v != PASS) for s, o in offers.items()}
        answers: dict[int, Verb] = {}
        while True:
            made = [(rank(s, verb), s, verb) for s, verb in answers.items() if verb != PASS]
            top = min(made, default=None)
            waiting = [s for s in offers if s not in answers]
            if not any(top is None or best[s] < top[0] for s in waiting):
                break
            seat, (verb, _) = yield Ask({s: offers[s] for s in waiting})
            answers[seat] = verb
        for seat, offer in offers.items():
            if top and top[0] < best[seat]:
                self.say("closed", seat, "outranked")
                continue
            self.say("closed", seat, "taken" if top and top[1] == seat else "passed")
            self.pass_claims(seat, card, {v for v, _ in offer}, answers.get(seat, PASS))
        return top and top[1:]

    def pass_claims(self, seat: int, card: int, offered: set[Verb], took: Verb) -> None:
        """弃胡, 弃碰 (J10)."""
        if HU in offered and took != HU:
            self.closed_hu[seat] = True
        if offered & {PENG, ZHI} and took not in (PENG, ZHI):
            self.closed_faces[seat].add(card)

    # The end

    def hai_lao(self, first: int) -> Playing:
        """J32: one card each, nothing but 胡."""
        self.say("hai_lao", first)
        for seat in self.order(first):
            card = self.draw(seat)
            held = self.held(seat, card, hai_lao=True)
            wins = card != DA_WANG and may_win(held, card, WinSource.OWN_DRAW, self.scoring)
            if wins and (yield from self.ask(seat, {WIN, NO})) == WIN:
                self.win(seat, card, WinSource.OWN_DRAW, seat)
        self.finish("liu_ju")

    def win(self, seat: int, card: int, source: WinSource, by: int) -> None:
        """A seat wins."""
        self.say("won", seat, card, source, by)
        self.finish("win")

    def finish(self, how: str) -> None:
        """The round is over."""
        self.say("ended", how)
        raise Over
