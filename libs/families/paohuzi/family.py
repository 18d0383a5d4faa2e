"""The family's record: everything two games of the family share, with the variant's parts in it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from libs.families.paohuzi import claims, draw, opening, turn
from libs.families.paohuzi.hints import hints
from libs.families.paohuzi.play import Play, discards, next_dealer
from libs.families.paohuzi.result import hand_spec
from libs.families.paohuzi.slots import FLAGS, NOTES, Reg, Seat
from libs.game.cards import HIDDEN, RED_ZI_PAI, ZI_PAI
from libs.game.flow import Table
from libs.game.melds import Meld, MeldKind
from libs.game.options import OptionError
from libs.game.sheet import HandSpec, Line, Sheet
from libs.game.state import OpenKind
from libs.game.variant import Term, Variant

PHASES = (
    opening.opening,
    opening.liang_zhang,
    opening.join,
    opening.deal_hu,
    turn.discard,
    opening.others_ti,
    claims.offer,
    claims.window,
    draw.laid_hu,
    draw.draw,
    claims.forced_pao,
    draw.laid,
    opening.first_turn,
)
"""By `slots.Phase`."""

TERMS = (
    Term("pass", "过", "pass", "Z8"),
    Term("discard", "出牌", "discard", "Z6"),
    Term("chi", "吃", "take a card for a run or 绞", "Z15"),
    Term("bi", "比", "groups laid with a 吃", "Z16"),
    Term("peng", "碰", "take the third of a pair", "Z14"),
    Term("pao", "跑", "the fourth from another seat", "Z13"),
    Term("wei", "偎", "own draw onto a pair", "Z9"),
    Term("chou_wei", "臭偎", "偎 after a declined 碰", "Z10"),
    Term("ti", "提", "four of one's own", "Z12"),
    Term("kan", "坎", "three equal in hand", "Z6"),
    Term("jiao", "绞", "one number in both sizes", "Z15"),
    Term("run", "一句话", "three in a row", "Z15"),
    Term("er_qi_shi", "二七十", "二七十 or 贰柒拾", "Z15"),
    Term("yi_wu_shi", "一五十", "一五十 or 壹伍拾", "Z15"),
    Term("jiang", "将", "the pair", "Z23"),
    Term("hu", "胡", "win", "Z23"),
    Term("ping_hu", "平胡", "win on another's draw or the 亮张", "Z29"),
    Term("dian_pao", "点炮", "win on a discard", "Z29"),
    Term("liu_ju", "流局", "nobody wins", "Z30"),
    Term("liang_zhang", "亮张", "the card shown on the deal", "Z2"),
    Term("barred", "冲招", "no 吃 and no 碰 any more", "Z21"),
    Term("si_shou", "死手", "dead hand", "Z22"),
    Term("closed", "过张", "faces closed for 吃 and 碰", "Z17"),
    Term("xing", "醒", "face that adds 囤", "Z31"),
)


@dataclass(frozen=True)
class Difference:
    """What one game of the family is."""

    game: str
    zh: str
    en: str
    release: int
    players: tuple[int, ...]
    options: type
    play: Play
    removed: Callable[[Any, int], int]
    score: Callable[[HandSpec], Sheet]
    finish: Callable[[Any, Sequence[int]], tuple[tuple[int, ...], tuple[Line, ...]]]
    limits: Callable[[Any, int], OptionError | None]
    terms: tuple[Term, ...] = ()


def meld_form(table: Table, seat: int, meld: Meld) -> Meld:
    """A plain 偎 shows three backs to the others unless `ming_wei` is on (Z11)."""
    if meld.kind != MeldKind.WEI or table.options.ming_wei:
        return meld
    return meld._replace(cards=bytes((HIDDEN,)) * 3, claimed=HIDDEN)


def known(table: Table, reader: int) -> tuple[int, ...]:
    """The 亮张 in the dealer's hand, until the dealer has openly used a card of that face.

    Everybody saw it join (Z2). Only what all can see is looked at: a card of the face that the
    dealer discards or lays from its hand is taken to be the 亮张.
    """
    state = table.state
    face, dealer = state.regs[Reg.LIANG_ZHANG], state.dealer
    joined = not (state.open and state.open.kind == OpenKind.SHOWN)
    if reader == dealer or not joined or state.discarded[dealer] >> face & 1:
        return ()
    for meld in state.melds[dealer]:
        if face in meld_form(table, dealer, meld).cards and meld.cards.count(face) > (
            meld.claimed == face
        ):
            return ()
    return (face,)


def variant(game: Difference) -> Variant:
    """The full record of a game of the family."""
    return Variant(
        game=game.game,
        zh=game.zh,
        en=game.en,
        release=game.release,
        players=game.players,
        deck=ZI_PAI,
        red=RED_ZI_PAI,
        options=game.options,
        slots=(len(Reg), len(Seat)),
        phases=PHASES,
        ranks=claims.RANKS,
        removed=game.removed,
        first_dealer=lambda options: str(options.first_dealer),
        next_dealer=next_dealer(game.play),
        meld_form=meld_form,
        flags=FLAGS,
        notes=NOTES,
        hand_spec=hand_spec,
        score=game.score,
        finish=game.finish,
        waits=hints(game.play.scoring),
        may_discard=discards,
        limits=game.limits,
        play=game.play,
        terms=TERMS + game.terms,
        known=known,
    )
