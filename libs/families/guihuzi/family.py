"""The family's record: how 鬼胡子 is played, with a variant's numbers in it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from libs.families.guihuzi import claims, draw, opening, turn
from libs.families.guihuzi.hints import hints
from libs.families.guihuzi.play import Play, next_dealer
from libs.families.guihuzi.result import hand_spec
from libs.families.guihuzi.slots import FLAGS, NOTES, Reg, Seat
from libs.game.cards import HIDDEN, RED_ZI_PAI, ZI_PAI
from libs.game.flow import Table
from libs.game.melds import Meld, MeldKind
from libs.game.options import OptionError
from libs.game.sheet import HandSpec, Line, Sheet
from libs.game.variant import Term, Variant

PHASES = (
    opening.opening, opening.deal_hu, turn.discard, claims.offer, claims.window, draw.draw,
    draw.drawer, opening.first_turn,
)  # fmt: skip
"""By `slots.Phase`."""

TERMS = (
    Term("pass", "过", "pass", "G6"),
    Term("discard", "出牌", "discard", "G5"),
    Term("chi", "吃", "take a card for a run or 二七十", "G12"),
    Term("peng", "碰", "take another seat's third card", "G7"),
    Term("wai", "歪", "own draw onto a pair", "G9"),
    Term("liu", "溜", "four of one's own", "G10"),
    Term("piao", "飘", "own draw onto a 碰", "G11"),
    Term("hu", "胡", "win", "G18"),
    Term("kan", "坎", "three equal in hand", "G20"),
    Term("juhua", "一句话", "three in a row", "G12"),
    Term("er_qi_shi", "二七十", "二七十 or 贰柒拾", "G12"),
    Term("last_i", "对", "last 门子: a pair", "G19"),
    Term("last_ii", "二七十搭", "last 门子: two of 二七十", "G19"),
    Term("last_iii", "搭", "last 门子: two numbers one or two apart", "G19"),
    Term("dui", "对子", "a pair of 十对", "G24"),
    Term("yingxi", "硬息", "what the 门子 carry", "G20"),
    Term("kan_wai_liu", "坎歪溜", "5 息 each", "G23"),
    Term("nei_yuan", "内圆", "all four of a face from one's own deal and draws", "G29"),
    Term("wai_yuan", "外圆", "all four of a face, one from another seat", "G29"),
    Term("hai_di", "海底", "the last card of the wall", "G25"),
    Term("bao_ting", "报听", "ready from the start", "G26"),
    Term("zi_mo", "自摸", "win on one's own draw", "G18"),
    Term("ping_hu", "平胡", "win on another's draw", "G18"),
    Term("liu_ju", "流局", "nobody wins", "G31"),
    Term("si_shou", "死手", "dead hand", "G16"),
    Term("grey", "置灰", "faces that may not be discarded", "G13"),
    Term("closed_chi", "过张", "faces closed for 吃", "G14"),
    Term("closed_peng", "忍碰", "faces closed for 碰", "G8"),
    Term("closed_wai", "不歪", "faces whose 歪 was declined", "G9"),
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


FACTS = {"bao_ting": 1}
"""What a written hand may tell beside its cards (G26)."""


def meld_form(table: Table, seat: int, meld: Meld) -> Meld:
    """With 暗歪溜 a 歪 or 溜 shows backs to the others (G17)."""
    if meld.kind not in (MeldKind.WAI, MeldKind.LIU) or not table.options.an_wai_liu:
        return meld
    backs = bytes((HIDDEN,)) * len(meld.cards)
    return meld._replace(cards=backs, claimed=HIDDEN if meld.claimed else 0)


def variant(game: Difference) -> Variant:
    """The full record of a game of the family."""
    return Variant(
        game=game.game, zh=game.zh, en=game.en, release=game.release, players=game.players,
        deck=ZI_PAI, red=RED_ZI_PAI, options=game.options, slots=(len(Reg), len(Seat)),
        phases=PHASES, ranks=claims.RANKS, removed=game.removed, next_dealer=next_dealer,
        meld_form=meld_form, flags=FLAGS, notes=NOTES, hand_spec=hand_spec, score=game.score,
        finish=game.finish, waits=hints(game.play.scoring),
        limits=game.limits, play=game.play, terms=TERMS + game.terms, facts=FACTS,
    )  # fmt: skip
