"""鬼胡子 scored by brute force, from the clauses alone; shares no code with the kernel.

Faces are numbers 1..20 (small, then big). Every way to lay the cards out is tried and priced.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

RED = {2, 7, 10, 12, 17, 20}
ITEM_ORDER = (
    "天胡", "对子息", "乌对胡", "大字胡", "小字胡", "全黑胡", "一点红", "十三红", "项项息",
    "无息平", "吊吊手", "十对",
)  # fmt: skip


@dataclass
class Room:
    """Room options, at their defaults."""

    cap: int = 0
    fixed_five: bool = False
    wu_xi_ping: bool = True
    diao_diao: int = 50
    small_hu_extra: bool = False


@dataclass
class Question:
    """A hand and how its last card came. `melds`: (kind, cards, cards from another seat)."""

    hand: list[int]
    melds: list[tuple[str, list[int], list[int]]]
    card: int
    source: str
    """`own`, `other` or `deal`."""
    last_card: bool = False
    bao_ting: bool = False
    room: Room = field(default_factory=Room)


def _number(face: int) -> int:
    return (face - 1) % 10 + 1


def _last_kind(a: int, b: int) -> str:
    """Kind of two cards as the last 门子 (G19); "" if they are none."""
    if (a - 1) // 10 != (b - 1) // 10:
        return ""
    x, y = sorted((_number(a), _number(b)))
    if x == y:
        return "i"
    if {x, y} <= {2, 7, 10}:
        return "ii"
    return "iii" if y - x <= 2 else ""


def _triples_with(first: int, left: Counter) -> Iterator[tuple[str, tuple[int, ...]]]:
    """Every 门子 of three hand cards whose lowest is `first`."""
    base = (first - 1) // 10 * 10
    shapes = [("three", (first,) * 3)]
    if _number(first) <= 8:
        shapes.append(("run", (first, first + 1, first + 2)))
    if _number(first) == 2:
        shapes.append(("red", (base + 2, base + 7, base + 10)))
    for kind, cards in shapes:
        if not Counter(cards) - left:
            yield kind, cards


def _lay_out(left: Counter, had_last: bool) -> Iterator[list[tuple[str, tuple[int, ...]]]]:
    """Every way to lay cards out as groups and, if not had yet, one last 门子."""
    left = +left
    if not left:
        if had_last:
            yield []
        return
    first = min(left)
    for kind, cards in _triples_with(first, left):
        for rest in _lay_out(left - Counter(cards), had_last):
            yield [(kind, cards), *rest]
    if not had_last:
        for other in sorted(left):
            if other == first and left[first] < 2:
                continue
            kind = _last_kind(first, other)
            if kind:
                for rest in _lay_out(left - Counter((first, other)), True):
                    yield [(kind, (first, other)), *rest]


def _owned(q: Question) -> Counter:
    cards = Counter(q.hand)
    for _, laid, _ in q.melds:
        cards.update(laid)
    if q.card:
        cards[q.card] += 1
    return cards


def _yuan(q: Question) -> tuple[int, int]:
    """Number of 内圆, of 外圆 (G29)."""
    foreign = {card for _, _, others in q.melds for card in others}
    if q.source == "other":
        foreign.add(q.card)
    whole = [face for face, n in _owned(q).items() if n == 4]
    return sum(f not in foreign for f in whole), sum(f in foreign for f in whole)


def _free_items(q: Question) -> dict[str, int]:
    """Items that do not depend on the split (G24)."""
    cards = list(_owned(q).elements())
    red = sum(card in RED for card in cards)
    found = {}
    if q.source == "deal":
        found["天胡"] = 200
    if all(card > 10 for card in cards):
        found["大字胡"] = 100
    if all(card <= 10 for card in cards):
        found["小字胡"] = 100
    if red == 0:
        found["全黑胡"] = 100
    if red == 1:
        found["一点红"] = 50
    if red >= 13:
        found["十三红"] = {13: 50, 14: 100}.get(red, 200)
    if len(q.hand) == 1:
        found["吊吊手"] = q.room.diao_diao
    return found


def _price(q: Question, groups: list[tuple[str, tuple[int, ...]]]) -> dict | None:
    """What one layout is worth; None if it does not win, {} if only G30 is against it."""
    melds = [(kind, cards) for kind, cards, _ in q.melds]
    yingxi = sum(
        kind != "chi" or {_number(c) for c in cards} == {2, 7, 10} for kind, cards in melds
    )
    yingxi += sum(kind in ("three", "red", "i", "ii") for kind, _ in groups)
    plain = yingxi == 0
    if plain:
        if not q.room.wu_xi_ping or melds:
            return None
    elif yingxi < 5:
        return None
    concealed = Counter(q.hand) + Counter([q.card] if q.card else [])
    fives = sum(kind in ("wai", "liu") for kind, _ in melds)
    for kind, cards in groups:
        if kind == "three":
            # With the fourth card in hand too the three can do without the one that came.
            is_peng = q.source == "other" and cards[0] == q.card and concealed[q.card] == 3
            fives += not is_peng
    items = _free_items(q)
    red = sum(n for face, n in _owned(q).items() if face in RED)
    equal = all(kind != "chi" for kind, _ in melds) and all(
        kind in ("three", "i") for kind, _ in groups
    )
    if equal and red:
        items["对子息"] = 100
    if equal and not red:
        items["乌对胡"] = 200
        items.pop("全黑胡", None)
    has_red_group = any(kind in ("red", "ii") for kind, _ in groups) or any(
        kind == "chi" and {_number(c) for c in cards} == {2, 7, 10} for kind, cards in melds
    )
    if yingxi == 7 and has_red_group:
        items["项项息"] = 50
    if plain:
        items["无息平"] = 50
    nei, wai = (0, 0) if plain else _yuan(q)
    factor = 4**nei * 2**wai
    if q.last_card and q.source != "deal":
        factor *= 4
    if q.bao_ting and not plain and q.source != "deal":
        factor *= 4
    base = sum(items.values()) if items else (5 if q.room.fixed_five else yingxi)
    total = (base + 5 * fives) * factor
    if q.room.small_hu_extra and not items and yingxi <= 6:
        pair = q.source == "own" and ("i", (q.card, q.card)) in groups
        if not fives and factor == 1 and not pair:
            return {}
    return _result(q, yingxi, items, (fives, nei, wai, factor, total))


def _result(q: Question, yingxi: int, items: dict[str, int], counted: tuple[int, ...]) -> dict:
    fives, nei, wai, factor, total = counted
    return {
        "yingxi": yingxi, "items": [[n, items[n]] for n in ITEM_ORDER if n in items],
        "kan_wai_liu": fives, "nei_yuan": nei, "wai_yuan": wai, "factor": factor,
        "payer_amount": min(total, q.room.cap) if q.room.cap else total, "total": total,
    }  # fmt: skip


def _ten_pairs(q: Question, cards: Counter) -> dict | None:
    if q.melds or cards.total() != 20 or any(n % 2 for n in cards.values()):
        return None
    items = {"十对": 200} | ({"天胡": 200} if q.source == "deal" else {})
    return _result(q, 0, items, (0, 0, 0, 1, sum(items.values())))


def _order(found: dict) -> tuple[int, int, int]:
    return found["payer_amount"], found["yingxi"], found["total"]


def _layouts(cards: Counter, n_melds: int) -> Iterator[list[tuple[str, tuple[int, ...]]]]:
    if cards.total() == 20 - 3 * n_melds:
        yield from _lay_out(cards, False)


def answer(q: Question) -> list[dict]:
    """The results of all layouts that are equally good by G22, each one a dict; or one dict with
    `reason`."""
    cards = Counter(q.hand) + Counter([q.card] if q.card else [])
    layouts = list(_layouts(cards, len(q.melds)))
    priced = [found for groups in layouts if (found := _price(q, groups)) is not None]
    wins = [found for found in priced if found]
    pairs = _ten_pairs(q, cards)
    wins += [pairs] if pairs else []
    if wins:
        most = max(map(_order, wins))
        return [found for found in wins if _order(found) == most]
    if priced:
        return [{"reason": "small_hu_extra"}]
    return [{"reason": "low_yingxi" if layouts else "no_shape"}]
