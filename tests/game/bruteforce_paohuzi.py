"""A second scorer of 衡阳六胡抢, written from the clauses alone and on purpose another way.

`bruteforce_qidong` says where 祁东十五胡 differs.

It lays cards out one by one and looks at every partition. It shares no code with the engine: only
plain strings, lists and the card numbers 1..20.
"""

from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations
from math import prod

RED = {2, 7, 10, 12, 17, 20}
DEFAULTS = {
    "idle_hu_liang_zhang": True,
    "qi_hu": 6,
    "yi_wu_shi": False,
    "zi_mo_double": True,
    "hong_hei_dian": True,
    "tian_di_hai": True,
    "peng_peng_hu": False,
    "da_xiao_zi": False,
    "dian_pao_pays": "one",
    "tun_rule": "san_xi_yi_tun",
    "base_two": False,
    "piao_hu": False,
    "xing": "none",
    "hu_policy": "free",
    "cap": "none",
    "unit": 1,
}


@dataclass
class Hand:
    """One question: the winner's cards, the card, where it came from."""

    cards: list
    melds: list  # (kind, cards)
    card: int
    source: str
    dealer: bool = False
    last_card: bool = False
    first_discard: bool = False
    players: int = 3
    seat: int = 0
    by: int = 1
    wall_next: int = 0
    options: dict = field(default_factory=dict)

    defaults = DEFAULTS

    def option(self, key):
        return self.options.get(key, self.defaults[key])

    def least(self):
        """Least 胡息 (L5)."""
        return self.option("qi_hu")

    def items(self, peng_peng):
        """[name, factor] of every multiplier."""
        return items(self, peng_peng)


def price(kind, card):
    """Z27."""
    small, big = {
        "ti": (9, 12),
        "pao": (6, 9),
        "wei": (3, 6),
        "chou_wei": (3, 6),
        "kan": (3, 6),
        "peng": (1, 3),
    }[kind]
    return big if card > 10 else small


def eaten_price(cards, yi_wu_shi):
    """胡息 of three cards as a group of 吃 type (Z15, Z27); None if they are none."""
    low, middle, high = sorted(cards)
    if low <= 10 < high:
        one_number = {card - 10 if card > 10 else card for card in cards}
        return 0 if len(one_number) == 1 else None
    shift = 10 if low > 10 else 0
    numbers = (low - shift, middle - shift, high - shift)
    worth = 6 if shift else 3
    if numbers in ((1, 2, 3), (2, 7, 10)) or (yi_wu_shi and numbers == (1, 5, 10)):
        return worth
    return 0 if numbers[1] == numbers[0] + 1 and numbers[2] == numbers[1] + 1 else None


def layouts(hand):
    """(groups that are settled as (kind, first card), loose cards, kind of a completed triple)."""
    settled = [(kind, cards[0]) for kind, cards in hand.melds if kind != "chi"]
    loose = []
    for card in sorted(set(hand.cards)):
        n = hand.cards.count(card)
        if n >= 3:
            settled.append(("kan" if n == 3 else "ti", card))
        else:
            loose += [card] * n
    card = hand.card
    if hand.source == "deal" and ("ti", card) in [(k, c[0]) for k, c in hand.melds]:
        return [(settled, loose, None)]
    everything = hand.cards + [c for _, cards in hand.melds for c in cards]
    if everything.count(card) == 4:
        return []
    mine = hand.source in ("own_draw", "deal")
    free = hand.source == "liang_zhang" and hand.dealer
    triple = "wei" if hand.source == "own_draw" else "kan" if mine or free else "peng"
    three = next((g for g in settled if g[1] == card and g[0] in ("kan", "wei", "chou_wei")), None)
    peng = ("peng", card) in settled
    apart = (settled, [*loose, card], triple)
    if mine and loose.count(card) == 2:
        return [([*settled, (triple, card)], [c for c in loose if c != card], None)]
    result = []
    if three or (peng and hand.source != "discard"):
        old = three or ("peng", card)
        new = "ti" if three and (mine or free) else "pao"
        result.append(([g for g in settled if g != old] + [(new, card)], loose, None))
    if not (mine and three):
        result.append(apart)
    return result


@lru_cache(maxsize=100_000)
def partitions(loose, yi_wu_shi, triple):
    """Every way to group sorted loose cards, as far as ways can differ: {(胡息, groups, pairs,
    has a group of 吃 type)}. `triple` is (card, kind) of a triple that may be completed."""
    if not loose:
        return frozenset({(0, 0, 0, False)})
    first, rest = loose[0], list(loose[1:])
    found = set()
    for i, j in set(combinations(rest, 2)):
        worth = eaten_price((first, i, j), yi_wu_shi)
        if worth is not None:
            for huxi, n, pairs, _ in partitions(without(rest, i, j), yi_wu_shi, triple):
                found.add((huxi + worth, n + 1, pairs, True))
        if triple and first == i == j == triple[0]:
            for huxi, n, pairs, ate in partitions(without(rest, i, j), yi_wu_shi, triple):
                found.add((huxi + price(triple[1], first), n + 1, pairs, ate))
    if first in rest:
        for huxi, n, pairs, ate in partitions(without(rest, first), yi_wu_shi, triple):
            if not pairs:
                found.add((huxi, n + 1, 1, ate))
    return frozenset(found)


def without(cards, *gone):
    """The cards, sorted, without some."""
    left = list(cards)
    for card in gone:
        left.remove(card)
    return tuple(left)


def splits(hand):
    """Every complete split (Z23) as (胡息, is 碰碰胡)."""
    chis = [eaten_price(cards, True) for kind, cards in hand.melds if kind == "chi"]
    found = set()
    for settled, loose, triple in layouts(hand):
        fours = sum(kind in ("pao", "ti") for kind, _ in settled)
        if len(loose) % 3 == 1:
            continue
        base = sum(price(kind, card) for kind, card in settled) + sum(chis)
        triple = triple and (hand.card, triple)
        for huxi, n, pairs, ate in partitions(
            tuple(sorted(loose)), hand.option("yi_wu_shi"), triple
        ):
            if len(settled) + len(chis) + n == 7 and pairs == (1 if fours else 0):
                found.add((base + huxi, not chis and not ate))
    return found


def winner_cards(hand):
    """Every card of the winner."""
    cards = hand.cards + [c for _, cards in hand.melds for c in cards]
    laid = hand.source == "deal" and cards.count(hand.card) == 4
    return cards if laid else [*cards, hand.card]


def items(hand, peng_peng):
    """[name, factor] in the order of L8; L9 with 1息1囤."""
    cards = winner_cards(hand)
    red = sum(card in RED for card in cards)
    on_deal = hand.source in ("liang_zhang", "deal")
    found = []
    if hand.source == "own_draw" and hand.option("zi_mo_double"):
        found.append(["自摸", 2])
    plain = hand.option("tun_rule") == "yi_xi_yi_tun"
    if hand.option("hong_hei_dian"):
        if plain:
            found += [["小红", 2]] if red >= 10 else [["黑胡", 2]] if red == 0 else []
        elif red >= 10:
            found.append(["大红", 4] if red >= 13 else ["小红", 2])
        elif red < 2:
            found.append(["一点红", 3] if red else ["黑胡", 5])
    if plain:
        return found
    if hand.option("tian_di_hai"):
        if on_deal:
            found.append(["天胡" if hand.dealer else "地胡", 2])
        if hand.source == "discard" and hand.first_discard:
            found.append(["地胡", 2])
        if hand.last_card and hand.source in ("own_draw", "other_draw"):
            found.append(["海底", 2])
    if hand.option("peng_peng_hu") and peng_peng:
        found.append(["碰碰胡", 2])
    if hand.option("da_xiao_zi"):
        sizes = {card > 10 for card in cards}
        if len(sizes) == 1:
            found.append(["大字胡" if True in sizes else "小字胡", 2])
    return found


def xing(hand):
    """囤 added by 醒 (Z31)."""
    rule = hand.option("xing")
    if rule == "none":
        return 0
    face = hand.wall_next if rule == "fan_xing" and hand.wall_next else hand.card
    return winner_cards(hand).count(face)


def worth(hand, huxi, peng_peng):
    """The result of one winning split; `huxi` is what it counts."""
    if hand.option("tun_rule") == "yi_xi_yi_tun":
        tun = huxi
    else:
        tun = max((huxi - hand.option("qi_hu")) // 3 + 1, 1) + hand.option("base_two")
    found = hand.items(peng_peng)
    amount = (tun + xing(hand)) * prod(f for _, f in found) * hand.option("unit")
    if hand.option("cap") != "none":
        amount = min(amount, hand.option("cap"))
    return {
        "can_win": True,
        "huxi": huxi,
        "tun": tun,
        "xing": xing(hand),
        "items": found,
        "payer_amount": amount,
        "deltas": deltas(hand, amount),
    }


def deltas(hand, amount):
    """L10."""
    if hand.source == "discard":
        paid = amount * (hand.players - 1 if hand.option("dian_pao_pays") == "all" else 1)
        return [
            paid if s == hand.seat else -paid if s == hand.by else 0 for s in range(hand.players)
        ]
    return [amount * (hand.players - 1) if s == hand.seat else -amount for s in range(hand.players)]


def lost(hand, reason, huxi=0):
    """The result of a hand that does not win."""
    return {
        "can_win": False,
        "reason": reason,
        "huxi": huxi,
        "tun": 0,
        "xing": 0,
        "items": [],
        "payer_amount": 0,
        "deltas": [0] * hand.players,
    }


def score(hand):
    """Z23-Z34, L4-L14."""
    if hand.source == "discard" and hand.option("hu_policy") == "wall_only":
        return lost(hand, "wall_only")
    if hand.source == "liang_zhang" and not hand.dealer and not hand.option("idle_hu_liang_zhang"):
        return lost(hand, "liang_zhang")
    found = splits(hand)
    if not found:
        return lost(hand, "shape")
    results = [worth(hand, huxi, pp) for huxi, pp in found if huxi >= hand.least()]
    if hand.option("piao_hu"):
        results += [worth(hand, 6, pp) for huxi, pp in found if huxi == 0]
    if not results:
        return lost(hand, "huxi", max(huxi for huxi, _ in found))
    return max(results, key=lambda r: (r["payer_amount"], r["huxi"]))


def chi(cards, card, yi_wu_shi):
    """All ways to 吃 (Z15, Z16, Z19) as {(group, sorted 比 groups)}, groups as sorted tuples."""
    if cards.count(card) >= 3:
        return set()
    usable = sorted(c for c in cards if cards.count(c) < 3)
    found = set()

    def lay(taken, left):
        if taken and card not in left:
            if left:
                found.add((taken[0], tuple(sorted(taken[1:]))))
            return
        pool = list(without(left, card)) if taken else left
        for pair in {tuple(sorted(p)) for p in combinations(pool, 2)}:
            group = tuple(sorted((card, *pair)))
            if eaten_price(group, yi_wu_shi) is None:
                continue
            lay([*taken, group], list(without(pool, *pair)))

    lay([], usable)
    return found
