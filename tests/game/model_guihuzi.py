"""A second opinion on the play of 鬼胡子, from G1-G18, G26, G27 and G31 alone."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from libs.game.melds import MeldKind
from libs.game.sheet import Win, WinSource
from tests.game.model_table import (
    EVERYBODY,
    HU,
    OUTRANKED,
    PASS,
    TAKEN,
    Card,
    Claim,
    Model,
    Question,
    Setting,
    runs_with,
)


def pairs(face: int) -> set[tuple[int, int]]:
    """Two cards that eat the face (G12)."""
    return runs_with(face, ({2, 7, 10},))


class Guihuzi(Model):
    """A round."""

    ranks = {"liu": 1, "wai": 1, "piao": 1, "hu": 2, "peng": 3, "chi": 4}  # noqa: RUF012 - G6

    def __init__(self, setting: Setting) -> None:
        super().__init__(setting)
        seats = range(self.players)
        self.no_chi: list[set[int]] = [set() for _ in seats]
        self.no_peng: list[set[int]] = [set() for _ in seats]
        self.no_wai: list[set[int]] = [set() for _ in seats]
        self.grey: list[set[int]] = [set() for _ in seats]
        self.ready = [False for _ in seats]
        """Ready after the dealer's first discard, and no card discarded since (G26)."""
        self.discards = 0

    def notes(self, seat: int) -> dict[str, set[int]]:
        return {
            "closed_chi": self.no_chi[seat],
            "closed_peng": self.no_peng[seat],
            "closed_wai": self.no_wai[seat],
            "grey": self.grey[seat],
            "own_discard": self.discarded[seat],
        }

    def facts(self, seat: int) -> dict[str, int]:
        return {"bao_ting": int(self.ready[seat])}

    def play(self) -> Iterator[Any]:
        """G1, G3: the whole round."""
        for seat in self.from_seat(self.dealer):
            self.deal(seat, 20 if seat == self.dealer else 19)
        win = Win(self.dealer, 0, WinSource.DEAL)
        if self.completes(win) and (yield from self.ask(self.dealer, [HU])) == HU:
            self.take_hu(win)
            return
        actor = yield from self.turn_of(self.dealer)
        while not self.outcome:
            actor = yield from self.draw(actor)

    def take_hu(self, win: Win) -> None:
        self.won(win, self.spec(win))
        self.end(1)

    def turn_of(self, seat: int) -> Iterator[Any]:
        """G10, G13, G16: a discard or a late 溜; returns the seat that draws next."""
        held = [face for face in range(1, 21) if self.hands[seat][face]]
        choices: set[Claim] = {("discard", f) for f in held if f not in self.grey[seat]}
        choices |= {("liu", f) for f in held if self.meld_at(seat, f, MeldKind.WAI) >= 0}
        if not choices:
            self.dead[seat] = True
            self.log.append(("flag", seat, "si_shou"))
            return self.seat_after(seat)
        self.turn = seat
        _, (word, face) = yield {seat: ("discard", frozenset(choices))}
        self.turn = -1
        self.log.append(("closed", seat, TAKEN))
        if word == "liu":
            at = self.meld_at(seat, face, MeldKind.WAI)
            self.lay(seat, MeldKind.LIU, [face] * 4, None, at=at, hidden=self.options.an_wai_liu)
            return self.seat_after(seat)
        self.hands[seat][face] -= 1
        self.discarded[seat].add(face)
        self.log.append(("discard", seat, face))
        self.note_ready(seat)
        card = Card(face, seat, False)
        return (yield from self.offer(card, self.questions(card)))

    def note_ready(self, seat: int) -> None:
        """G26, G30: judged right after the first discard, without the option."""
        self.discards += 1
        if self.discards > 1:
            self.ready[seat] = False
            return
        spec = self.spec(None, replace(self.options, small_hu_extra=False))
        self.ready = [bool(self.variant.waits(spec, other)) for other in range(self.players)]

    def draw(self, seat: int) -> Iterator[Any]:
        """G5, G17, G27, G31: returns the seat that draws next."""
        if not self.wall:
            self.next_dealer = self.seat_after(self.dealer)
            self.end(2)
            return -1
        card = Card(self.wall.pop(0), seat, True)
        asked = self.questions(card)
        mine = next(question for question in asked if question.seat == seat)
        alone = {claim[0] for claim in mine.claims} & {"wai", "liu"}
        if not (self.options.an_wai_liu and alone):
            self.log.append(("drew", seat, card.face, False, EVERYBODY))
            return (yield from self.offer(card, asked))
        self.log.append(("drew", seat, card.face, False, 1 << seat))
        _, mine.answer = yield {seat: ("claim", frozenset((*mine.claims, PASS)))}
        mine.alone = True
        self.log.append(("closed", seat, 2 if mine.answer == PASS else TAKEN))
        if mine.answer[0] not in ("wai", "liu"):
            self.log.append(("shown", card.face))
        if mine.answer[0] in ("wai", "liu", "hu"):
            return (yield from self.take(seat, mine.answer, card))
        self.count_pass(mine, card.face)
        return (yield from self.offer(card, asked))

    def questions(self, card: Card) -> list[Question]:
        return [Question(seat, self.claims(seat, card)) for seat in range(self.players)]

    def claims(self, seat: int, card: Card) -> list[Claim]:
        """What the seat may choose on the card (G7-G12, G14-G16, G18)."""
        face, mine = card.face, []
        if self.dead[seat]:
            return []
        if card.drawn and self.completes(self.win(seat, card)):
            mine.append(HU)
        held, own_draw = self.hands[seat][face], card.drawn and seat == card.seat
        if own_draw and held >= 2 and face not in self.no_wai[seat]:
            mine.append(("wai", face))
        if own_draw and (held == 3 or self.meld_at(seat, face, MeldKind.WAI) >= 0):
            mine.append(("liu", face))
        if own_draw and self.meld_at(seat, face, MeldKind.PENG) >= 0:
            mine.append(("piao", face))
        if seat != card.seat and held >= 2 and face not in self.no_peng[seat]:
            mine.append(("peng", face))
        near = own_draw or seat == self.seat_after(card.seat)
        if near and face not in self.no_chi[seat] | self.discarded[seat]:
            groups = [tuple(sorted((face, *pair))) for pair in self.eating(seat, face)]
            mine += [("chi", face, group, ()) for group in groups]
        return mine

    def eating(self, seat: int, face: int) -> list[tuple[int, int]]:
        """Pairs in hand that eat the face."""
        hand = self.hands[seat]
        return [(a, b) for a, b in pairs(face) if hand[a] and hand[b]]

    def win(self, seat: int, card: Card) -> Win:
        return Win(seat, card.face, card.source(seat), card.seat, not self.wall)

    def offer(self, card: Card, asked: list[Question]) -> Iterator[Any]:
        """The window (G6) and what follows; returns the seat that draws next."""
        first = card.seat if card.drawn else self.seat_after(card.seat)
        top, asked = yield from self.window(asked, [], first)
        for question in asked:
            if not question.alone and question.outcome != OUTRANKED:
                self.count_pass(question, card.face)
        if top is None:
            return self.pile(card)
        return (yield from self.take(*top, card))

    def count_pass(self, question: Question, face: int) -> None:
        """G8, G9, G14; what a seat chose it has not passed, also where it lost the card."""
        seat = question.seat
        offered = {claim[0] for claim in question.claims}
        word = (question.answer or PASS)[0]
        if word not in ("pass", "chi"):
            return
        if "wai" in offered:
            self.no_wai[seat].add(face)
        if "peng" in offered:
            self.no_peng[seat].add(face)
        if word == "chi" or not offered & {"peng", "chi"}:
            return
        self.no_chi[seat].add(face)
        self.no_peng[seat].add(face)
        if "chi" in offered:
            eating = self.eating(seat, face)
            self.no_chi[seat] |= {f for f in range(1, 21) for pair in eating if pair in pairs(f)}

    def take(self, seat: int, claim: Claim, card: Card) -> Iterator[Any]:
        """The claim that won happens; returns the seat that draws next (G5, G7, G9-G13)."""
        word, face, hidden = claim[0], card.face, self.options.an_wai_liu
        if word == "hu":
            self.take_hu(self.win(seat, card))
            return -1
        if word == "liu":
            at = self.meld_at(seat, face, MeldKind.WAI)
            self.lay(seat, MeldKind.LIU, [face] * 4, card, at=at, hidden=hidden)
            return self.seat_after(seat)
        if word == "piao":
            at = self.meld_at(seat, face, MeldKind.PENG)
            self.lay(seat, MeldKind.PIAO, [face] * 4, card, at=at)
            return self.seat_after(seat)
        if word == "wai":
            self.lay(seat, MeldKind.WAI, [face] * 3, card, hidden=hidden)
        elif word == "peng":
            self.lay(seat, MeldKind.PENG, [face] * 3, card)
            self.turn_grey(seat, {face})
        else:
            self.lay(seat, MeldKind.CHI, list(claim[2]), card)
            a, b = sorted(claim[2][: claim[2].index(face)] + claim[2][claim[2].index(face) + 1 :])
            self.turn_grey(seat, {f for f in range(1, 21) if (a, b) in pairs(f)})
        return (yield from self.turn_of(seat))

    def turn_grey(self, seat: int, faces: set[int]) -> None:
        """G13: of these faces, those in hand."""
        self.grey[seat] |= {face for face in faces if self.hands[seat][face]}
