"""The family's record: everything two games of the family share, with the variant's parts in it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from libs.families.pengpai import claims, draw, opening, own_turn
from libs.families.pengpai.check import FACT_LIMITS
from libs.families.pengpai.hints import hints
from libs.families.pengpai.play import AN_GANGS, Play, next_dealer, play_of
from libs.families.pengpai.result import HU_CLOSED, hand_spec
from libs.families.pengpai.slots import FLAGS, NOTES, Reg, Seat
from libs.game.cards import HIDDEN, Deck
from libs.game.flow import Table
from libs.game.melds import Meld, MeldKind
from libs.game.sheet import HandSpec, Sheet, WinSource
from libs.game.variant import Term, Variant, Wait

PHASES = (
    opening.opening,
    opening.dealt_gang,
    opening.flowers,
    opening.more_gang,
    opening.deal_hu,
    opening.zhi_ting,
    own_turn.bao_liu_peng,
    own_turn.own_turn,
    claims.offer,
    claims.window,
    draw.draw,
    draw.hai_lao,
    opening.first_turn,
    own_turn.plays_itself,
)
"""By `slots.Phase`."""


@dataclass(frozen=True)
class Difference:
    """What one game of the family is."""

    game: str
    zh: str
    en: str
    release: int
    players: tuple[int, ...]
    deck: Deck
    red: frozenset[int]
    options: type
    play: Play
    score: Callable[[HandSpec], Sheet]
    terms: tuple[Term, ...]


def meld_form(table: Table, seat: int, meld: Meld) -> Meld:
    """What the others see of a 暗杠: one face (J8), or backs that do not tell how it is priced
    (X4)."""
    if meld.kind not in AN_GANGS:
        return meld
    backs = bytes((HIDDEN,)) * len(meld.cards)
    if not play_of(table).hidden_an_gang:
        return meld._replace(cards=meld.cards[:1] + backs[1:])
    steps = (MeldKind.AN_GANG,) * len(meld.steps)
    return meld._replace(kind=MeldKind.AN_GANG, cards=backs, steps=steps)


def known(table: Table, reader: int) -> tuple[int, ...]:
    """The three backs of the others' 暗杠 that show one face (J8)."""
    if play_of(table).hidden_an_gang:
        return ()
    others = [m for seat, melds in enumerate(table.state.melds) if seat != reader for m in melds]
    return tuple(card for m in others if m.kind in AN_GANGS for card in m.cards[1:])


def pile_form(table: Table, seat: int, reader: int) -> bytes:
    """Of another seat's pile a reader sees the newest cards; after a 报六碰 all (J11, J31)."""
    state = table.state
    pile, most = state.piles[seat], play_of(table).visible_discards(table.options)
    opened = any(marks[Seat.BAO_LIU_PENG] for marks in state.marks)
    if not most or len(pile) <= most or seat == reader or opened or state.outcome:
        return pile
    return bytes((HIDDEN,)) * (len(pile) - most) + pile[-most:]


def open_waits(
    waits: Callable[[HandSpec, int], tuple[Wait, ...]],
) -> Callable[[HandSpec, int], tuple[Wait, ...]]:
    """Waits without wins on a discard while 弃胡 bars them (J10)."""

    def of(spec: HandSpec, seat: int) -> tuple[Wait, ...]:
        found = waits(spec, seat)
        if not spec.seats[seat].facts.get(HU_CLOSED):
            return found
        left = [
            w._replace(worth=tuple(x for x in w.worth if x.source != WinSource.DISCARD))
            for w in found
        ]
        return tuple(wait for wait in left if wait.worth)

    return of


def _first_dealer(options: Any) -> str:
    """The creator, or the first to enter (J3)."""
    return "creator" if options.first_dealer == "creator" else "longest"


def _terms(game: Difference) -> tuple[Term, ...]:
    """The game's own words stand in place of the family's."""
    own = {term.code for term in game.terms}
    return tuple(term for term in TERMS if term.code not in own) + game.terms


def variant(game: Difference) -> Variant:
    """The full record of a game of the family."""
    return Variant(
        game=game.game,
        zh=game.zh,
        en=game.en,
        release=game.release,
        players=game.players,
        deck=game.deck,
        red=game.red,
        options=game.options,
        slots=(len(Reg), len(Seat)),
        phases=PHASES,
        ranks=claims.RANKS,
        first_dealer=_first_dealer,
        next_dealer=next_dealer,
        meld_form=meld_form,
        flags=FLAGS,
        notes=NOTES,
        hand_spec=hand_spec,
        score=game.score,
        waits=open_waits(hints(game.play.scoring)),
        play=game.play,
        terms=_terms(game),
        pile_form=pile_form,
        known=known,
        facts=FACT_LIMITS if game.play.declarations else {},
    )


TERMS = (
    Term("pass", "过", "pass", "J9"),
    Term("discard", "出牌", "discard", "J7"),
    Term("peng", "碰", "take the third of a pair", "J9"),
    Term("an_gang", "暗杠", "four of one's own, 后补", "J8"),
    Term("an_gang_yuan", "原起暗杠", "a dealt four laid in the opening", "J5"),
    Term("ming_gang", "明杠", "直杠 or 碰后杠", "J8"),
    Term("an_ke", "暗刻", "three equal in hand", "J15"),
    Term("run", "顺子", "three in a row", "J13"),
    Term("jiang", "将", "the pair", "J13"),
    Term("hu", "胡", "win", "J13"),
    Term("zi_mo", "自摸", "win on the own draw", "J17"),
    Term("dian_pao", "点炮", "win on a discard", "J25"),
    Term("liu_ju", "流局", "nobody wins", "J12"),
    Term("peng_closed", "弃碰", "faces closed for 碰 and 杠", "J10"),
    Term("hu_closed", "弃胡", "no win on a discard", "J10"),
)
