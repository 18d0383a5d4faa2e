"""Random questions to the scorers: hand, card, source and options, and their case form."""

import random
from typing import Any, NamedTuple

from libs.game.cards import NAMES, show
from tests.game import bruteforce_paohuzi as brute
from tests.game.paohuzi_hands import deal

CHOICES: dict[str, tuple[Any, ...]] = {
    "idle_hu_liang_zhang": (True, False),
    "qi_hu": (6, 9, 15),
    "yi_wu_shi": (False, True),
    "zi_mo_double": (True, False),
    "hong_hei_dian": (True, False),
    "tian_di_hai": (True, False),
    "peng_peng_hu": (False, True),
    "da_xiao_zi": (False, True),
    "dian_pao_pays": ("one", "all"),
    "tun_rule": ("san_xi_yi_tun", "san_xi_yi_tun", "yi_xi_yi_tun"),
    "base_two": (False, True),
    "piao_hu": (False, True),
    "xing": ("none", "fan_xing", "sui_xing"),
    "hu_policy": ("free", "must_hu", "must_hu_discard", "wall_only"),
    "cap": ("none", 30, 60, 90),
    "unit": (1, 1, 2, 5),
}
SOURCES = ("own_draw", "other_draw", "discard", "liang_zhang", "deal")


class Game(NamedTuple):
    """What questions about a game are drawn from. `hand` is the class of its questions."""

    choices: dict[str, tuple[Any, ...]]
    hand: type[brute.Hand]
    players: tuple[int, ...]


HENGYANG = Game(CHOICES, brute.Hand, (2, 3))


def random_options(rng: random.Random, game: Game = HENGYANG) -> dict[str, Any]:
    """Half of the time defaults with few changes, else anything."""
    keys = list(game.choices) if rng.random() < 0.5 else rng.sample(list(game.choices), 2)
    return {key: rng.choice(game.choices[key]) for key in keys}


def random_question(rng: random.Random, game: Game = HENGYANG) -> brute.Hand:
    """A hand with a card, a source that fits it, and options."""
    source = rng.choice((*SOURCES[:3], *SOURCES))
    on_deal = source in ("liang_zhang", "deal")
    dealt = deal(rng, no_melds=on_deal)
    melds = [m for m in dealt.melds if not on_deal or m[0] == "ti"]
    cards = dealt.cards + [c for m in dealt.melds if m not in melds for c in m[1]]
    dealer = source == "deal" or rng.random() < 0.5
    return game.hand(
        cards,
        melds,
        dealt.card,
        source,
        dealer,
        last_card=source in ("own_draw", "other_draw") and rng.random() < 0.1,
        first_discard=source == "discard" and not dealer and rng.random() < 0.2,
        players=rng.choice(game.players),
        seat=0,
        by=1,
        wall_next=rng.choice((0, *range(1, 21), *dealt.cards)),
        options=random_options(rng, game),
    )


def as_case(hand: brute.Hand) -> dict[str, Any]:
    """The question in the format of the case files, cards in the order given."""
    seats: list[dict[str, Any]] = [{} for _ in range(hand.players)]
    melds = [{"kind": kind, "cards": show(cards)} for kind, cards in hand.melds]
    seats[hand.seat] = {"hand": show(hand.cards), "melds": melds}
    by = {"own_draw": hand.seat, "liang_zhang": None, "deal": None}.get(hand.source, hand.by)
    return {
        "kind": "score",
        "players": hand.players,
        "options": hand.options,
        "seats": seats,
        "dealer": hand.seat if hand.dealer else hand.by,
        "wall_next": NAMES[hand.wall_next] if hand.wall_next else None,
        "win": {
            "seat": hand.seat,
            "card": NAMES[hand.card],
            "from": hand.source,
            "by": by,
            "last_card": hand.last_card,
            "first_discard": hand.first_discard,
        },
    }
