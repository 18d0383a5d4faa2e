"""Complete hands and 听牌 of the 跑胡子 family, hand by hand."""

import random
from itertools import permutations

import pytest

from libs.families.paohuzi.cases import counts_of, meld_of
from libs.families.paohuzi.points import chi_groups
from libs.families.paohuzi.shape import chis_of, fours_of, groups_of, huxi_of, read, weight_of
from libs.families.paohuzi.split import Arrival, HandRules, Way, can_win, candidates, placements
from libs.families.paohuzi.waits import SOURCES, Concealed, is_ting, waits
from libs.game.cards import parse, show
from libs.game.melds import Meld
from tests.game.paohuzi_hands import deal

NO_LEAST = HandRules(least=0, least_black=0)


def melds_of(text: str) -> tuple[Meld, ...]:
    """Melds written `peng:三三三 chi:一二三`."""
    return tuple(meld_of(*part.split(":")) for part in text.split())


def waiting(hand: str, way: Way, melds: str = "", rules: HandRules = NO_LEAST) -> str:
    """Winning faces as a hand string, in face order."""
    found = waits(Concealed(counts_of(hand), melds_of(melds)), (way,), rules)[way]
    return show(sorted(found))


def best(hand: str, card: str, way: Way, melds: str = "", rules: HandRules = NO_LEAST) -> int:
    """胡息 of the best split with a card, -1 without a complete one."""
    placed = placements(counts_of(hand), melds_of(melds), parse(card)[0], way)
    return max((c.huxi for c in candidates(placed, rules)), default=-1)


def test_four_in_hand_counts_as_ti_and_needs_a_pair() -> None:
    """Z23, Z24: a start 提 not laid yet makes one 门子 a pair; 十 and 拾 pair or make the 绞."""
    hand = "二二二 三四五 六六 十 叁叁叁 肆肆 陆 玖玖玖玖 拾"
    assert waiting(hand, Way.OTHER_DRAW) == "十拾"


def test_a_face_held_four_times_is_no_wait() -> None:
    """Z28: 三 is gone; Z9: an own 六 is a forced 偎 and leaves 陆 alone."""
    hand = "三三三三 四五 壹壹壹 叁叁叁 六六 陆 柒捌玖 拾拾"
    assert waiting(hand, Way.OTHER_DRAW) == "六陆"
    assert waiting(hand, Way.OWN_DRAW) == "陆"
    assert not can_win(counts_of(hand), (), Arrival(3, Way.OTHER_DRAW), NO_LEAST)


def test_faces_in_melds_count_as_held() -> None:
    """Z28: four 四 in 吃 melds leave only 七 to wait on."""
    table = "peng:八八八 peng:九九九 peng:壹壹壹 peng:贰贰贰"
    assert waiting("五六", Way.OTHER_DRAW, f"{table} chi:四肆肆 chi:七八九") == "四七"
    assert waiting("五六", Way.OTHER_DRAW, f"{table} chi:四四肆 chi:四四肆") == "七"


def test_kan_counts_once() -> None:
    """Z24, Z27: a 坎 is worth 3 or 6, and nothing as 提 beside it."""
    hand = "一一一 四五六 四五六 七八九 七八九 柒捌玖 壹壹"
    shape = read(counts_of(hand), ())
    assert (huxi_of(shape), fours_of(shape), groups_of(shape)) == (3, 0, 1)
    assert best(hand, "壹", Way.OTHER_DRAW) == 3 + 3
    assert best(hand, "一", Way.OTHER_DRAW) == 6, "跑 6, 壹壹 is the pair"


@pytest.mark.parametrize(
    ("face", "way", "huxi"),
    [
        ("一", Way.OWN_DRAW, 3),
        ("壹", Way.OWN_DRAW, 6),
        ("一", Way.DEAL, 3),
        ("壹", Way.DEAL, 6),
        ("一", Way.FREE, 3),
        ("壹", Way.FREE, 6),
        ("一", Way.OTHER_DRAW, 1),
        ("壹", Way.OTHER_DRAW, 3),
        ("一", Way.DISCARD, 1),
        ("壹", Way.DISCARD, 3),
    ],
)
def test_price_of_a_completed_triple(face: str, way: Way, huxi: int) -> None:
    """Z25: 偎 or 坎 for one's own card, 碰 for another seat's."""
    hand = f"四五六 四五六 七八九 叁肆伍 柒捌玖 {face}{face} 拾拾拾"
    assert best(hand, face, way) == huxi + 6


@pytest.mark.parametrize(
    ("group", "way", "huxi"),
    [
        ("kan", Way.OWN_DRAW, 12),
        ("wei", Way.OWN_DRAW, 12),
        ("chou_wei", Way.OWN_DRAW, 12),
        ("peng", Way.OWN_DRAW, 9),
        ("kan", Way.OTHER_DRAW, 9),
        ("wei", Way.OTHER_DRAW, 9),
        ("peng", Way.OTHER_DRAW, 9),
        ("kan", Way.DISCARD, 9),
        ("chou_wei", Way.DISCARD, 9),
        ("peng", Way.DISCARD, -1),
        ("kan", Way.FREE, 12),
    ],
)
def test_price_of_a_completed_four(group: str, way: Way, huxi: int) -> None:
    """Z13, Z24, Z25: 提 for an own draw onto 坎 or 偎, 跑 otherwise; no discard joins a 碰."""
    hand, melds = "四五六 四五六 七八九 叁肆伍 柒捌玖 拾拾", f"{group}:壹壹壹"
    if group == "kan":
        hand, melds = hand + "壹壹壹", ""
    assert best(hand, "壹", way, melds) == huxi


def test_the_card_may_pass_by_its_own_triple() -> None:
    """Z24: another seat's 三 completes 三四五 beside a whole 坎; an own draw must be laid."""
    hand = "三三三 四五 六七八 六七八 柒捌玖 壹壹壹 拾拾拾"
    assert best(hand, "三", Way.OTHER_DRAW) == 15
    assert best(hand, "三", Way.FREE) == 15, "the dealer's 亮张: free choice (L4)"
    assert best(hand, "三", Way.OWN_DRAW) == best(hand, "三", Way.DEAL) == -1


def test_a_drawn_card_may_pass_by_an_own_peng() -> None:
    """Z24: an own draw that meets a 碰 joins it or completes a run."""
    hand, melds = "四五 六七八 六七八 柒捌玖 壹壹壹 拾拾拾", "peng:三三三"
    for way in SOURCES:
        assert best(hand, "三", way, melds) == 13


def test_deal_card_in_a_laid_ti_is_held_already() -> None:
    """Q3, Q4: the 亮张 lies in a laid 提, the hand is complete without another card."""
    hand, melds = "四五六 四五六 七八九 叁肆伍 柒捌玖 拾拾", "ti:壹壹壹壹"
    assert best(hand, "壹", Way.DEAL, melds) == 12
    assert best(hand, "十", Way.DEAL, melds) == -1


def test_threshold_of_a_black_hand() -> None:
    """Q5: ten 胡息 do without a red card, fifteen otherwise; also for 听牌."""
    rules = HandRules(least=15, least_black=10)
    hand, melds = "一一三三三五六九壹肆伍陆捌捌捌玖玖", "peng:八八八"
    for way in SOURCES:
        assert waiting(hand, way, melds, rules) == "四"
        assert waiting(hand, way, melds) == "四七"


def test_piao_hu() -> None:
    """L14: no 胡息 at all wins and counts as six; three do not win."""
    rules = HandRules(zero_counts=6)
    hand = "四五六 四五六 七八九 七八九 柒捌玖 叁肆伍 二三"
    found = waits(Concealed(counts_of(hand), ()), SOURCES, rules)
    assert set(found[Way.DISCARD].values()) == {6}
    assert "一" in waiting(hand, Way.DISCARD)
    assert show(sorted(found[Way.DISCARD])) == waiting(hand, Way.DISCARD).replace("一", "")


def test_is_ting() -> None:
    """Q7: 跑 and 提 that would complete the hand count too."""
    hand = "四五六 四五六 七八九 叁肆伍 柒捌玖 拾拾"
    assert is_ting(Concealed(counts_of(hand), melds_of("wei:壹壹壹")), HandRules())
    assert not is_ting(Concealed(counts_of(hand + "八"), melds_of("chi:柒捌玖")), HandRules())


def test_order_of_cards_never_matters() -> None:
    """The input's order changes neither the shape nor a 吃 meld's 胡息."""
    rng = random.Random(11)
    for _ in range(300):
        dealt = deal(rng)
        cards = dealt.cards.copy()
        rng.shuffle(cards)
        assert counts_of(show(cards)) == counts_of(show(dealt.cards))
    for group in chi_groups(True):
        for order in permutations(group.cards):
            shape = read(bytes(21), (meld_of("chi", show(order)),))
            assert (huxi_of(shape), chis_of(shape), weight_of(shape)) == (group.points, 1, 3)


def test_waits_are_what_wins() -> None:
    """A face is a wait exactly if the win check says yes, with and without 一五十 (L6, L14)."""
    rng = random.Random(12)
    for _ in range(400):
        dealt = deal(rng)
        hand = Concealed(
            counts_of(show(dealt.cards)),
            tuple(meld_of(kind, show(cards)) for kind, cards in dealt.melds),
        )
        rules = HandRules(rng.random() < 0.5, 15, rng.choice((10, 15)), rng.choice((0, 6)))
        for way, found in waits(hand, SOURCES, rules).items():
            wins = [f for f in range(1, 21) if can_win(*hand, Arrival(f, way), rules)]
            assert sorted(found) == wins, (dealt, way, rules)
