"""The kernel of 鬼胡子 against brute force: splits, items, 圆, amounts and waits (G19-G30)."""

import random
from collections import Counter

import pytest

from libs.families.guihuzi.hints import hints
from libs.families.guihuzi.score import judge
from libs.families.guihuzi.sheet import occasion_of, score
from libs.families.guihuzi.split import Concealed, can_win
from libs.families.guihuzi.waits import waits
from libs.game.cards import expand, show
from libs.game.melds import Meld, MeldKind
from libs.game.sheet import HandSpec, SeatHand, Win, WinSource
from libs.variants.yuanjiang_guihuzi.options import Options
from libs.variants.yuanjiang_guihuzi.scoring import scoring_for
from tests.game.bruteforce_guihuzi import ITEM_ORDER, Question, Room, answer
from tests.game.guihuzi_hands import STYLES, Dealt, deal

HANDS, WAIT_HANDS = 5_200, 400
SOURCES = {"own": WinSource.OWN_DRAW, "other": WinSource.OTHER_DRAW, "deal": WinSource.DEAL}


def random_room(rng: random.Random) -> tuple[Options, Room]:
    """The same room for both sides."""
    cap = rng.choice(("none", "none", 100, 200))
    flags = [rng.random() < p for p in (0.2, 0.8, 0.7)]
    diao = rng.choice((50, 100))
    options = Options(
        cap=cap, fixed_five=flags[0], wu_xi_ping=flags[1], diao_diao=diao, small_hu_extra=flags[2]
    )
    return options, Room(0 if cap == "none" else cap, flags[0], flags[1], diao, flags[2])


def _foreign(meld: Meld) -> list[int]:
    """Cards of a meld that came from another seat; the winner is seat 0."""
    if meld.kind in (MeldKind.PENG, MeldKind.PIAO):
        return [meld.cards[0]]
    return [meld.claimed] if meld.kind == MeldKind.CHI and meld.source != 0 else []


def question(dealt: Dealt, source: str, rng: random.Random) -> Question:
    """The brute-force form of a hand."""
    melds = [(m.kind.name.lower(), list(m.cards), _foreign(m)) for m in dealt.melds]
    hand = list(expand(dealt.counts))
    drawn = source != "deal"
    return Question(
        hand, melds, dealt.card, source, drawn and rng.random() < 0.15, drawn and rng.random() < 0.3
    )


def spec_of(dealt: Dealt, q: Question, options: Options) -> HandSpec:
    """The kernel's form of the same."""
    source = SOURCES[q.source]
    win = Win(0, dealt.card, source, {"own": 0, "other": 2, "deal": -1}[q.source], q.last_card)
    hand = SeatHand(tuple(dealt.counts), dealt.melds, {"bao_ting": int(q.bao_ting)})
    dealer = 0 if q.source == "deal" else 1
    return HandSpec(options, 3, dealer, (hand, SeatHand(), SeatHand()), win)


def told(spec: HandSpec, options: Options) -> dict:
    """What the kernel says, in the words of the brute force."""
    sheet = score(spec, scoring_for(options))
    if not sheet.can_win:
        return {"reason": sheet.reason}
    best = judge(occasion_of(spec, spec.win), scoring_for(options)).best
    amount = sheet.values["payer_amount"]
    assert sheet.deltas == (2 * amount, -amount, -amount)
    assert sheet.seats[0].lines[-1].subtotal == amount
    check_groups(spec, sheet.seats[0].groups)
    return {
        **sheet.values,
        "items": [[item.zh, item.value] for item in best.items],
        "total": best.total,
    }


def check_groups(spec: HandSpec, groups) -> None:
    """The 门子 of the sheet are all the cards; the winning card lies in exactly one."""
    hand = spec.seats[0]
    cards = Counter(expand(hand.counts)) + Counter(card for m in hand.melds for card in m.cards)
    cards.update([spec.win.card] if spec.win.card else [])
    assert Counter(card for group in groups for card in group.cards) == cards
    assert sum(group.won for group in groups) == bool(spec.win.card)


@pytest.mark.parametrize("seed", range(4))
def test_scores_agree_with_brute_force(seed: int) -> None:
    """Thousands of near-complete hands in random rooms: the whole result (G20, G22, G23, G29)."""
    rng = random.Random(seed)
    seen: Counter[str] = Counter()
    for _ in range(HANDS // 4):
        dealt = deal(rng)
        source = rng.choice(("own", "other")) if dealt.card else "deal"
        options, room = random_room(rng)
        q = question(dealt, source, rng)
        q.room = room
        expected = answer(q)
        got = told(spec_of(dealt, q, options), options)
        assert got in expected, (show(expand(dealt.counts)), dealt, q)
        seen[got.get("reason", "win")] += 1
        seen.update(name for name, _ in got.get("items", ()))
        seen.update({"nei": got.get("nei_yuan", 0), "wai": got.get("wai_yuan", 0)})
    assert seen["win"] > HANDS / 16
    assert min(seen[r] for r in ("no_shape", "low_yingxi", "nei", "wai")) > 0


def test_every_item_is_compared() -> None:
    """Hands of one kind each: no item of G24 goes unseen, nor what only G30 bars."""
    rng = random.Random(99)
    seen: Counter[str] = Counter()
    for number in range(3_000):
        dealt = deal(rng, STYLES[number % len(STYLES)])
        source = rng.choice(("own", "other")) if dealt.card else "deal"
        q = question(dealt, source, rng)
        q.room.small_hu_extra = number % 2 == 0
        options = Options(small_hu_extra=q.room.small_hu_extra)
        got = told(spec_of(dealt, q, options), options)
        assert got in answer(q), (dealt, q)
        seen.update([got.get("reason", ""), *(name for name, _ in got.get("items", ()))])
    assert [name for name in (*ITEM_ORDER, "small_hu_extra") if not seen[name]] == []


def told_waits(dealt: Dealt, options: Options) -> dict[WinSource, list[int]]:
    """The kernel's waits by source."""
    hand = SeatHand(tuple(dealt.counts), dealt.melds)
    found = hints(scoring_for)(HandSpec(options, 2, 1, (hand, SeatHand()), None), 0)
    return {
        source: [wait.card for wait in found if source in [worth.source for worth in wait.worth]]
        for source in (WinSource.OWN_DRAW, WinSource.OTHER_DRAW)
    }


@pytest.mark.parametrize("hands", [WAIT_HANDS, pytest.param(5_000, marks=pytest.mark.long)])
def test_waits_agree_with_brute_force(hands: int) -> None:
    """Every face, own and other draw, against the list of waits (G18, G21, G30)."""
    rng = random.Random(7)
    found = 0
    for _ in range(hands):
        dealt = deal(rng)
        if not dealt.card:
            continue
        options, room = random_room(rng)
        expected = {WinSource.OWN_DRAW: [], WinSource.OTHER_DRAW: []}
        owned = Counter(expand(dealt.counts)) + Counter(c for m in dealt.melds for c in m.cards)
        for face in range(1, 21):
            for name in ("own", "other"):
                q = question(dealt._replace(card=face), name, random.Random(0))
                q.room, q.last_card, q.bao_ting = room, False, False
                if owned[face] < 4 and "reason" not in answer(q)[0]:
                    expected[SOURCES[name]].append(face)
        assert told_waits(dealt, options) == expected, dealt
        found += bool(expected[WinSource.OWN_DRAW])
    assert found > hands / 4


def test_win_checks_agree_with_waits() -> None:
    """`can_win` and the list of waits say the same about every face (G21)."""
    rng = random.Random(8)
    rules = scoring_for(Options()).hand
    for _ in range(3_000):
        dealt = deal(rng)
        if dealt.card:
            hand = Concealed(dealt.counts, dealt.melds)
            owned = Counter(c for m in dealt.melds for c in m.cards)
            wins = [
                face
                for face in range(1, 21)
                if dealt.counts[face] + owned[face] < 4 and can_win(hand, face, rules)
            ]
            assert wins == waits(hand, rules), dealt
