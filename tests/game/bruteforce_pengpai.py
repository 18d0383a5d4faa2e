"""A second scorer of 姜堰23张 and 沙沙儿, written from the clauses alone, on purpose another way.

It lays marked cards out one by one and looks at every partition. It takes a `score` case and
shares no code with the engine: only strings, lists and dicts.
"""

from functools import lru_cache

SUITS = "SCH"
RANKS = "123456789"
BIG = {
    "jiangyan_23": {"S1", "S9", "C1", "C9", "H1", "H9", "HT", "HJ", "HQ", "HK", "XJ"},
    "shashaer": {s + r for s in SUITS for r in "12589"} | {"HT", "HJ", "HQ", "HK", "DJ"},
}
COPIES = {
    "jiangyan_23": {s + r: 4 for s in SUITS for r in RANKS}
    | dict.fromkeys(["HT", "HJ", "HQ", "HK", "XJ", "DJ"], 4),
    "shashaer": {s + r: 4 for s in SUITS for r in RANKS}
    | {"HT": 5, "HJ": 4, "HQ": 4, "HK": 4, "DJ": 5},
}
HEAD = {"jiangyan_23": ("S1", "S2", "S3"), "shashaer": ("H1", "H2", "H3")}
DEFAULTS = {
    "jiangyan_23": {
        "lao_ken": False,
        "fa_zhang": "replace",
        "edge_rule": "sole_wait",
        "quan_su": 100,
        "cap": 1000,
        "unit": 1,
        "min_hu": "none",
    },
    "shashaer": {
        "stack": "multiply",
        "zi_mo_10": False,
        "ya_zi_10": False,
        "unit": 1,
        "ding_hu": "off",
        "ding_hu_scope": "all",
    },
}
OPEN = ("peng", "ming_gang")


def price(game, kind, face, lao_ken=False):
    """J15, X7."""
    big = face in BIG[game]
    if game == "shashaer":
        worth = {"an_gang_yuan": 16, "an_gang": 12, "ming_gang": 8, "an_ke": 4, "peng": 2}[kind]
        return worth if big else worth // 2
    worth = {"an_gang_yuan": 8, "an_gang": 6, "ming_gang": 4, "an_ke": 2, "peng": 1}[kind]
    return worth * 8 // (2 if lao_ken else 1) if big else worth


def meld_price(game, meld, lao_ken=False):
    """J15, X7, X8."""
    cards, kind, steps = meld["cards"].split(), meld["kind"], meld.get("steps", [])
    if len(cards) < 5:
        return price(game, kind, cards[0], lao_ken)
    if len(steps) == 1:
        return {"an_gang_yuan_5": 32, "an_gang_5": 24, "ming_gang_5": 12}[steps[0]]
    worth = {"an_gang_yuan": 16, "an_gang": 12, "ming_gang": 8}[steps[0]]
    drawn = 12 if steps[0] != "ming_gang" and steps[1] == "fifth_drawn" else 4
    return worth + drawn


def runs_from(face):
    """The two faces that follow in a run, if one starts here (J13, X5)."""
    suit, rank = face[0], face[1]
    if suit not in SUITS or rank not in "1234567":
        return None
    return suit + str(int(rank) + 1), suit + str(int(rank) + 2)


def partitions(cards):
    """Every partition into 门子 and one pair; a card is (face, marked)."""
    found = set()

    def lay(left, groups, paired):
        if not left:
            if paired:
                found.add(tuple(sorted(groups)))
            return
        first, rest = left[0], left[1:]
        same = [c for c in rest if c[0] == first[0]]
        if same and not paired:
            for other in set(same):
                lay(without(rest, [other]), [*groups, (first, other)], True)
        for pair in {tuple(sorted((a, b))) for i, a in enumerate(same) for b in same[i + 1 :]}:
            lay(without(rest, pair), [*groups, (first, *pair)], paired)
        following = runs_from(first[0])
        if following:
            for second in {c for c in rest if c[0] == following[0]}:
                for third in {c for c in rest if c[0] == following[1]}:
                    lay(without(rest, [second, third]), [*groups, (first, second, third)], paired)

    lay(sorted(cards), [], False)
    return found


def without(cards, taken):
    left = list(cards)
    for card in taken:
        left.remove(card)
    return left


@lru_cache(maxsize=200_000)
def splits(faces, paired):
    """Whether sorted faces are 门子 and one pair."""
    if not faces:
        return paired
    first, rest = faces[0], list(faces[1:])
    own = faces.count(first)
    if own >= 2 and not paired and splits(tuple(faces[2:]), True):
        return True
    if own >= 3 and splits(tuple(faces[3:]), paired):
        return True
    following = runs_from(first)
    if not following or not all(face in rest for face in following):
        return False
    return splits(tuple(without(rest, following)), paired)


def shape_waits(game, seat):
    """Faces that complete the hand; not those of which the seat holds every copy (R1)."""
    hand, laid = seat["hand"].split(), [c for m in seat["melds"] for c in m["cards"].split()]
    found = []
    for face, copies in COPIES[game].items():
        flower = game == "jiangyan_23" and face == "DJ"
        if (
            not flower
            and (hand + laid).count(face) < copies
            and splits(tuple(sorted([*hand, face])), False)
        ):
            found.append(face)
    return found


class Hand:
    """A winner's hand with what the clauses ask about it."""

    def __init__(self, case):
        self.game, self.win = case["game"], case["win"]
        self.options = DEFAULTS[self.game] | case["options"]
        rows = {row.get("seat", i): row for i, row in enumerate(case["seats"])}
        self.seat = rows[self.win["seat"]]
        self.own_draw = self.win["from"] != "discard"
        self.deal = self.win["from"] == "deal"
        self.cards = [(face, False) for face in self.seat["hand"].split()]
        if self.win["card"]:
            self.cards.append((self.win["card"], True))
        self.all = [c for c, _ in self.cards]
        self.all += [c for m in self.seat["melds"] for c in m["cards"].split()]
        self.kinds = [m["kind"] for m in self.seat["melds"]]

    def sole(self):
        return not self.deal and shape_waits(self.game, self.seat) == [self.win["card"]]


def reading(hand, groups):
    """One partition as the game counts it; `reason` is why it may not win."""
    lao_ken = hand.options.get("lao_ken", False)
    runs = [g for g in groups if len(g) == 3 and g[0][0] != g[1][0]]
    triples = [g for g in groups if len(g) == 3 and g[0][0] == g[1][0]]
    heads = sum(tuple(c[0] for c in run) == HEAD[hand.game] for run in runs)
    won = next((g for g in groups if any(marked for _, marked in g)), ())
    items = []
    for meld in hand.seat["melds"]:
        name = "+".join(meld["steps"]) if meld.get("steps") else meld["kind"]
        items.append([f"{name}:{meld['cards'].split()[0]}", meld_price(hand.game, meld, lao_ken)])
    for triple in triples:
        kind = "peng" if triple == won and not hand.own_draw else "an_ke"
        face = triple[0][0]
        items.append([f"{kind}:{face}", price(hand.game, kind, face, lao_ken)])
    look = {
        "runs": runs,
        "triples": triples,
        "heads": heads,
        "won": won,
        "items": items,
        "quan_su": len(runs) == 7,
        "quan_hun": len(runs) == heads,
    }
    return (jiangyan if hand.game == "jiangyan_23" else shashaer)(hand, look)


def edge(look):
    """J18: the name of the gap that the winning card fills."""
    won = look["won"]
    if won not in look["runs"]:
        return None
    at = [marked for _, marked in won].index(True)
    low = won[0][0][1]
    if at == 1:
        return "jia_zi"
    return "bian_zi" if (at, low) in ((2, "1"), (0, "7")) else None


def jiangyan_items(hand, look):
    o, items = hand.options, look["items"]
    if hand.own_draw:
        third = 0
        if look["won"] in look["triples"]:
            big = look["won"][0][0] in BIG["jiangyan_23"]
            if o["fa_zhang"] == "replace":
                third = (2 if o["lao_ken"] else 4) if big else 0
            else:
                third = 2 if big and o["lao_ken"] else 4
        if not (third and o["fa_zhang"] == "replace"):
            items.append(["zi_mo", 2])
        if third:
            items.append(["fa_zhang", third])
    gap = edge(look)
    if gap and (o["edge_rule"] == "shape" or hand.sole()):
        items.append([gap, 2])
    items.append(["di_hu", o["quan_su"] if look["quan_su"] else 30])
    table = [0, 20, 50, 100, 200]
    if hand.seat["flowers"]:
        items.append(["da_wang", table[hand.seat["flowers"]]])
    if look["heads"]:
        items.append(["men_pai", table[look["heads"]]])
    return items


def jiangyan(hand, look):
    """J15-J24, J26, J31."""
    o, seat = hand.options, hand.seat
    items = jiangyan_items(hand, look)
    raw = sum(value for _, value in items)
    quan_hun = look["quan_hun"] and seat["bao_liu_peng"] != "no"
    met = {
        "zhi_ting": seat["zhi_ting"],
        "tian_hu": hand.deal,
        "quan_hun": quan_hun,
        "qiong_hen": not set(hand.all) & {"HT", "HJ", "HQ", "HK", "XJ"},
        "men_hun": quan_hun and not set(hand.kinds) & set(OPEN),
        "shuang_men_pai": look["heads"] >= 2,
        "hai_lao": hand.win["hai_lao"],
    }
    doubles = [name for name, holds in met.items() if holds]
    amount = rounded = (raw * (2 if quan_hun else 1) + 9) // 10 * 10
    for _ in range(len(doubles) - quan_hun):
        amount *= 2
    reason = ""
    flowers = sum(value for name, value in items if name == "da_wang")
    if seat["bao_liu_peng"] == "yes" and not look["quan_hun"]:
        reason = "not_quan_hun"
    elif (o["min_hu"] == "hard_80" and raw - flowers <= 70) or (
        isinstance(o["min_hu"], int) and (raw + 9) // 10 * 10 < o["min_hu"]
    ):
        reason = "below_min_hu"
    capped = amount if o["cap"] == "none" else min(o["cap"], amount)
    return {
        "reason": reason,
        "rank": (capped, amount, raw),
        "items": items,
        "raw": raw,
        "doubles": doubles,
        "rounded": rounded,
        "amount": capped,
    }


def shashaer(hand, look):
    """X7-X14, X18."""
    o, items = hand.options, look["items"]
    table = sum(meld_price("shashaer", meld) for meld in hand.seat["melds"])
    special = look["quan_su"] or look["quan_hun"]
    items.append(["di_hu", 50 if look["quan_su"] else 20])
    if look["heads"]:
        items.append(["men_pai", look["heads"] * (10 if special else 1)])
    if o["zi_mo_10"] and hand.own_draw:
        items.append(["zi_mo_10", 10])
    if o["ya_zi_10"] and hand.sole():
        items.append(["ya_zi_10", 10])
    raw = sum(value for _, value in items)
    others = [g for g in look["runs"] + look["triples"] if g != look["won"]]
    others += [g for g in [look["won"]] if (look["runs"] + look["triples"]).count(g) > 1]
    met = {
        "quan_hun": look["quan_hun"],
        "piao_hu": look["quan_hun"]
        and not hand.own_draw
        and not others
        and set(hand.kinds) <= {"peng"},
        "men_qing": not look["quan_su"] and not set(hand.kinds) & set(OPEN),
    }
    doubles = [name for name, holds in met.items() if holds]
    factor = 2 ** len(doubles)
    if o["stack"] == "once":
        factor = min(factor, 2)
    counted = table if o["ding_hu_scope"] == "open" else raw - 20
    below = o["ding_hu"] != "off" and not special and counted < o["ding_hu"]
    return {
        "reason": "below_ding_hu" if below else "",
        "rank": (raw * factor, raw * factor, raw),
        "items": items,
        "raw": raw,
        "doubles": doubles,
        "amount": raw * factor,
    }


def best_readings(case):
    """(reason, every reading that counts most): J14, R7, R8."""
    hand = Hand(case)
    if case["win"]["hai_lao"] and case["win"]["card"] == "DJ":
        return "da_wang", []
    found = [reading(hand, groups) for groups in partitions(hand.cards)]
    if len(hand.cards) != 23 - 3 * len(hand.kinds) or not found:
        return "not_complete", []
    lawful = [r for r in found if not r["reason"]]
    if not lawful:
        reasons = {r["reason"] for r in found}
        return min(reasons), []
    top = max(r["rank"] for r in lawful)
    return "", [r for r in lawful if r["rank"] == top]


def kept(game, seat):
    """X15: melds and one 暗刻 for each face held three times."""
    hand = seat["hand"].split()
    held = sum(price(game, "an_ke", face) for face in set(hand) if hand.count(face) >= 3)
    return held + sum(meld_price(game, meld) for meld in seat["melds"])


def settle(case, amount):
    """J12, J25, X16, X17: (deltas, every seat's 胡)."""
    n, win = case["players"], case["win"]
    unit = case["options"].get("unit", 1)
    if case["game"] == "shashaer":
        hu = [kept("shashaer", seat) for seat in case["seats"]]
        if win:
            hu[win["seat"]] = amount
        return [(n * h - sum(hu)) * unit for h in hu], hu
    deltas = [0] * n
    for seat in range(n) if win else ():
        if (seat != win["seat"] and win["from"] in ("own_draw", "deal")) or seat == win["by"]:
            deltas[seat] -= amount * unit
            deltas[win["seat"]] += amount * unit
    return deltas, None
