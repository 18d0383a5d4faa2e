"""Random plausible questions on 姜堰23张 and 沙沙儿 as `score` cases: near-complete, seeded."""

import random
from collections import Counter
from typing import Any

from tests.game.bruteforce_pengpai import COPIES

Case = dict[str, Any]
GAMES = ("jiangyan_23", "shashaer")
HEADS = {"jiangyan_23": "S", "shashaer": "H"}
OPTIONS: dict[str, dict[str, tuple[Any, ...]]] = {
    "jiangyan_23": {
        "lao_ken": (True,),
        "fa_zhang": ("add",),
        "edge_rule": ("shape",),
        "quan_su": (70, 120, 150),
        "cap": (500, 2000, "none"),
        "unit": (5,),
        "min_hu": ("hard_80", 70, 80, 90),
    },
    "shashaer": {
        "stack": ("once",),
        "zi_mo_10": (True,),
        "ya_zi_10": (True,),
        "unit": (5,),
        "ding_hu": (11, 9),
        "ding_hu_scope": ("open",),
    },
}


def random_options(rng: random.Random, game: str) -> dict[str, Any]:
    """Some options away from their defaults."""
    return {key: rng.choice(values) for key, values in OPTIONS[game].items() if rng.random() < 0.3}


def _sets(rng: random.Random, game: str) -> list[list[str]]:
    """Seven 门子 and a pair, perhaps with too many cards of a face."""
    equal = [f for f in COPIES[game] if (game, f) != ("jiangyan_23", "DJ")]
    if rng.random() < 0.3:
        equal = [f for f in equal if f[1] in "123456789"]
    low, suits = rng.randrange(1, 6), rng.choice(("SCH", "SCH", "SC", "H", "CH"))
    narrow = rng.random() < 0.4
    head = [HEADS[game] + r for r in "123"]
    groups = []
    runs = rng.choice((0, 0, 1, 2, 3, 4, 5, 6, 7, 7))
    for _ in range(runs):
        start = low + rng.randrange(3) if narrow else rng.randrange(1, 8)
        suit = rng.choice(suits)
        groups.append([suit + str(start + i) for i in range(3)])
        if rng.random() < 0.25:
            groups[-1] = head
    while len(groups) < 7:
        groups.append([rng.choice(equal)] * 3)
        if rng.random() < 0.1 and len(groups) < 6:
            suit, start = rng.choice("SCH"), rng.randrange(1, 8)
            groups[-1:] = [[suit + str(start + i)] * 3 for i in range(3)]
        elif rng.random() < 0.08:
            groups[-1] = head
    return [*groups[:7], [rng.choice(equal)] * 2]


def _complete(rng: random.Random, game: str) -> list[list[str]]:
    """Seven 门子 and a pair that the deck has."""
    while True:
        groups = _sets(rng, game)
        held = Counter(card for group in groups for card in group)
        if all(n <= COPIES[game][face] for face, n in held.items()):
            return groups


def _meld(rng: random.Random, face: str, spare: int, closed: bool) -> Case:
    """A meld of a triple; fours and fives where `spare` more cards are left."""
    kinds = (
        ["an_gang", "an_gang_yuan"]
        if closed
        else ["peng", "peng", "peng", "ming_gang", "an_gang", "an_gang_yuan"]
    )
    kind = rng.choice(kinds if spare else ["peng"])
    if kind == "peng" or spare == 1:
        return {"kind": kind, "cards": " ".join([face] * (3 if kind == "peng" else 4))}
    steps = rng.choice(([f"{kind}_5"], [kind, "fifth_drawn"], [kind, "fifth_claimed"], []))
    if not steps:
        return {"kind": kind, "cards": " ".join([face] * 4)}
    kind = "ming_gang" if steps[-1] == "fifth_claimed" else kind
    return {"kind": kind, "cards": " ".join([face] * 5), "steps": steps}


def _seat(rng: random.Random, game: str, closed: bool) -> tuple[list[str], list[Case]]:
    """A complete hand and its melds."""
    groups = _complete(rng, game)
    held = Counter(card for group in groups for card in group)
    often = rng.choice((0, 0.1, 0.5, 0.9, 1))
    hand: list[str] = []
    melds: list[Case] = []
    for group in groups:
        face = group[0]
        spare = COPIES[game][face] - held[face]
        lay = len(group) == 3 and group[2] == face and rng.random() < often
        if lay and (spare or not closed):
            melds.append(_meld(rng, face, spare, closed))
            held[face] += len(melds[-1]["cards"].split()) - 3
        else:
            hand += group
    return hand, melds


def question(rng: random.Random, game: str) -> Case:
    """A `score` case without its expectation; every seat has cards in 沙沙儿."""
    source = rng.choice(("own_draw", "own_draw", "discard", "discard", "deal"))
    players = 3 if game == "jiangyan_23" else rng.choice((2, 3, 3))
    hand, melds = _seat(rng, game, closed=source == "deal" or rng.random() < 0.2)
    card = None
    rng.shuffle(hand)
    if source != "deal":
        card = hand.pop()
    taken = Counter(hand) + Counter(c for m in melds for c in m["cards"].split())
    taken[card or ""] += 1
    if hand and rng.random() < 0.12:
        free = [
            f
            for f, n in COPIES[game].items()
            if taken[f] < n and (game, f) != ("jiangyan_23", "DJ")
        ]
        hand[0] = rng.choice(free)
        taken[hand[0]] += 1
    seat = rng.randrange(players)
    hai_lao = game == "jiangyan_23" and source == "own_draw" and rng.random() < 0.2
    if hai_lao and rng.random() < 0.1:
        card = "DJ"
    winner = {"seat": seat, "hand": " ".join(sorted(hand)), "melds": melds}
    if game == "jiangyan_23":
        winner |= {
            "flowers": rng.choice((0, 0, 0, 1, 2, 3, 3 if card == "DJ" else 4)),
            "zhi_ting": not any(m["kind"] in ("peng", "ming_gang") for m in melds)
            and rng.random() < 0.3,
            "bao_liu_peng": rng.choice((None, "yes", "no")) if len(melds) > 5 else None,
        }
    by = (seat + rng.randrange(1, players)) % players if source == "discard" else None
    win = {"seat": seat, "card": card, "from": source, "by": by, "hai_lao": hai_lao}
    seats = [winner] if game == "jiangyan_23" else _table(rng, winner, taken, players)
    return {
        "game": game,
        "kind": "score",
        "players": players,
        "dealer": seat,
        "seats": seats,
        "options": random_options(rng, game),
        "win": win,
    }


def _table(rng: random.Random, winner: Case, taken: Counter[str], players: int) -> list[Case]:
    """The other seats' hands and melds from what is left, often three equal cards (X15)."""
    left = [f for f, n in COPIES["shashaer"].items() for _ in range(n - taken[f])]
    rng.shuffle(left)
    if rng.random() < 0.5:
        left.sort(key=lambda face: face[::-1])
    seats = []
    for seat in range(players):
        seats.append({**winner} if seat == winner["seat"] else _other(rng, left))
        seats[-1].pop("seat", None)
    return seats


def _other(rng: random.Random, left: list[str]) -> Case:
    """A seat that does not win, its cards taken from `left`."""
    melds: list[Case] = []
    most = rng.choice((0, 0, 1, 2, 4))
    equal = [face for face, n in Counter(left).items() if n > 2]
    for face in rng.sample(equal, min(most, len(equal))):
        melds.append(_meld(rng, face, left.count(face) - 3, closed=False))
        for card in melds[-1]["cards"].split():
            left.remove(card)
    hand = " ".join(left.pop() for _ in range(22 - 3 * len(melds)))
    return {"hand": hand, "melds": melds}


def liu_ju(rng: random.Random) -> Case:
    """A round of 沙沙儿 without a winner (X17)."""
    case = question(rng, "shashaer")
    left = [face for face, n in COPIES["shashaer"].items() for _ in range(n)]
    rng.shuffle(left)
    seats = [_other(rng, left) for _ in range(case["players"])]
    return {**case, "seats": seats, "win": None}
