"""Shapes, splits and waits of the pengpai kernel (J1, J13-J16, J18, J30, X1, X5, X8)."""

from itertools import combinations_with_replacement, product

import pytest

from libs.families.pengpai.decks import JIANGYAN_132, SHASHAER_130
from libs.families.pengpai.judge import may_win, waits
from libs.families.pengpai.shape import complete, gang_keeps_waits, ready_discards, winning_faces
from libs.families.pengpai.split import Won, placements, suit_splits
from libs.families.pengpai.tables import FIRST, LAST, PAIRED
from libs.game.cards import NAMES, show
from libs.game.sheet import WinSource
from libs.variants.jiangyan_23.scoring import BIG as JIANGYAN_BIG
from libs.variants.shashaer.scoring import BIG as SHASHAER_BIG
from tests.game.pengpai_spec import cards, held, room

JIANGYAN, SHASHAER = room("jiangyan_23"), room("shashaer")


def test_decks() -> None:
    """J1: 132 cards; X1: 130 cards with five HT and five DJ, no 小王."""
    assert (JIANGYAN_132.size, SHASHAER_130.size) == (132, 130)
    assert JIANGYAN_132.count(cards("XJJJJ DJJJJ HTTTT"))
    copies = dict(SHASHAER_130.copies)
    assert {NAMES[face] for face, n in copies.items() if n == 5} == {"HT", "DJ"}
    assert "XJ" not in {NAMES[face] for face in copies}


def test_big_cards() -> None:
    """J1: 9 10 J Q K A 小王; X1: A 2 5 8 9 10 J Q K 大王."""
    assert show(sorted(JIANGYAN_BIG)) == "S1 S9 C1 C9 H1 H9 HT HJ HQ HK XJ"
    assert show(sorted(f for f in SHASHAER_BIG if f > 40)) == "H1 H2 H5 H8 H9 HT HJ HQ HK DJ"
    assert len(SHASHAER_BIG) == 20


def _sums(sets: int, pair: bool) -> set[bytes]:
    """Counts of nine ranks that are a sum of so many 门子, and of a pair."""
    groups = [tuple(3 * (r == s) for r in range(9)) for s in range(9)]
    groups += [tuple(int(s <= r < s + 3) for r in range(9)) for s in range(7)]
    pairs = [tuple(2 * (r == s) for r in range(9)) for s in range(9)] if pair else [(0,) * 9]
    found = set()
    for chosen in combinations_with_replacement(groups, sets):
        for two in pairs:
            total = [sum(column) for column in zip(two, *chosen, strict=True)]
            if max(total) <= 4:
                found.add(bytes(total))
    return found


@pytest.mark.parametrize(
    ("sets", "pair", "rows"),
    [
        (1, False, 16),
        (2, False, 127),
        (3, False, 627),
        (0, True, 9),
        (1, True, 135),
        (2, True, 996),
        (3, True, 4475),
    ],
)
def test_tables_know_every_complete_suit(sets: int, pair: bool, rows: int) -> None:
    """J13: the rows of the tables are exactly the sums of runs, triples and a pair."""
    size = 3 * sets + 2 * pair
    known = set()
    for first, last in product(FIRST, LAST):
        if sum(first) + sum(last) == size:
            mask = FIRST[first] & LAST[last]
            if mask:
                assert (mask >= PAIRED) == pair
                known.add(first + last)
    assert known == _sums(sets, pair)
    assert len(known) == rows


@pytest.mark.parametrize(
    ("text", "n"),
    [
        ("S111222333", 2),
        ("S222333444555", 3),
        ("S333444555666777", 4),
        ("S11122233344455566677", 9),
        ("S222233334444", 2),
        ("S12345", 0),
        ("S11123455", 1),
        ("S22233344455", 3),
        ("S11112233", 1),
    ],
)
def test_number_of_splits(text: str, n: int) -> None:
    """J14: three runs of one kind and three triples are different splits; none is left out."""
    counts = bytes(JIANGYAN_132.count(cards(text)))
    found = suit_splits(counts[21:30], 21)
    assert len(found) == len(set(found)) == n
    for split in found:
        faces = [f for run in split.runs for f in (run, run + 1, run + 2)]
        faces += [f for f in split.triples for _ in range(3)] + [split.pair] * 2 * bool(split.pair)
        assert sorted(faces) == sorted(cards(text))


@pytest.mark.parametrize(
    ("text", "card", "found"),
    [
        ("S11123 C123456789 H123456", "S1", "RUN S1, PAIR S1"),
        ("S111123 C123456789 H123456 HQQ", "S1", "RUN S1, TRIPLE S1"),
        ("S12333345 C123456789 H123456", "S3", "BIAN S1, RUN S3, PAIR S3"),
        ("S22334455 C123456789 H123456", "S4", "RUN S2, JIA S3"),
        ("S77789 C123456789 H123456 HTTT", "S7", "BIAN S7, PAIR S7"),
        ("S333345 C123456789 H123456 HTT", "S3", "RUN S3, TRIPLE S3"),
        ("S123456789 C123456789 H123 HTT", "HT", "PAIR HT"),
    ],
)
def test_places_of_the_winning_card(text: str, card: str, found: str) -> None:
    """J14, J18: the card may stand in each run that has it, in the triple, in the pair."""
    counts = bytes(JIANGYAN_132.count(cards(text)))
    assert sum(counts) % 3 == 2
    places = {(p.won, p.at) for p in placements(counts, cards(card)[0])}
    assert (
        ", ".join(
            f"{won.name} {NAMES[at]}"
            for won, at in sorted(
                places, key=lambda p: (p[0] is Won.PAIR, p[0] is Won.TRIPLE, p[1])
            )
        )
        == found
    )


@pytest.mark.parametrize(
    ("text", "melds", "holds"),
    [
        ("S345678 C666789 H123678 HQQ HKKK", 0, True),
        ("S345678 C666789 H123678 HQQ", 1, True),
        ("S345678 C666789 H123678 HQQ", 0, False),
        ("S345678 C666789 H129TJQ HQQ HKKK", 0, False),
        ("S345678 C666789 H123QK1 HQQ HKKK", 0, False),
        ("S1122 C1122 H1122 HQQ S555666 C777", 0, False),
        ("S22 C22 H22 HQQ S555666 C777888 H999", 0, False),
        ("S345678 C666789 H12367 XJJ HKKK DJ", 0, False),
    ],
)
def test_complete(text: str, melds: int, holds: bool) -> None:
    """J13, X5: seven 门子 and exactly one pair; 10 J Q K and kings never run."""
    assert complete(bytes(JIANGYAN_132.count(cards(text))), melds) is holds


def test_five_copies_in_shapes() -> None:
    """X1, X8: five HT are a triple and the pair; four of them wait for the fifth."""
    hand = held(SHASHAER, "S345678 C123456 H678 HTTTT", "p:C777")
    assert show(winning_faces(hand, SHASHAER.deck)) == "HT"
    with_five = held(SHASHAER, "S345678 C123456 H67 HTTTTT", "p:C777")
    assert show(winning_faces(with_five, SHASHAER.deck)) == "H5 H8"
    alone = held(SHASHAER, "HT", "p:C777 p:C888 p:C999 p:S111 p:S222 p:S333 p:S444")
    assert show(winning_faces(alone, SHASHAER.deck)) == "HT"
    both = held(SHASHAER, "HTTTT DJJJ S345678 C123456 H678")
    assert show(winning_faces(both, SHASHAER.deck)) == "HT"


def test_all_own_copies_are_no_wait() -> None:
    """J18 (R1): a face whose every card the seat holds is no wait; JQK of four neither."""
    hand = held(JIANGYAN, "S345678 C45 H55", "a:C6666 p:S999 p:H111 p:HKKK")
    assert show(winning_faces(hand, JIANGYAN.deck)) == "C3"
    four = held(JIANGYAN, "S345678 C123456 H678 HKKKK", "p:C777")
    assert winning_faces(four, JIANGYAN.deck) == []


def test_da_wang_is_no_wait_in_jiangyan() -> None:
    """J1: 大王 is never in a hand; X1: in 沙沙儿 it is a card like others."""
    text, melds = "S345678 C123456 H678 DJJ HKK", "p:C777"
    assert show(winning_faces(held(SHASHAER, text, melds), SHASHAER.deck)) == "HK DJ"
    single = "S345678 C123456 H678456 HQQQ DJ"
    assert waits(held(JIANGYAN, single), WinSource.OWN_DRAW, JIANGYAN) == []
    pair = held(JIANGYAN, "S345678 C123456 H678456 DJJ HQQ")
    assert not may_win(pair, cards("HQ")[0], WinSource.DISCARD, JIANGYAN)
    assert may_win(pair, cards("HQ")[0], WinSource.DISCARD, SHASHAER)
    assert show(winning_faces(held(SHASHAER, single), SHASHAER.deck)) == "DJ"


@pytest.mark.parametrize(
    ("text", "melds"),
    [
        ("S345678 C666789 H123678 HQQ HK", ""),
        ("S345", ""),
        ("S345678", "p:C111"),
        ("", ""),
    ],
)
def test_a_wrong_number_of_cards_waits_for_nothing(text: str, melds: str) -> None:
    """J13: the cards must be one short of the 门子 that are missing."""
    assert winning_faces(held(JIANGYAN, text, melds), JIANGYAN.deck) == []


@pytest.mark.parametrize(
    ("text", "face", "keeps"),
    [
        ("S456789 C555678 H123678 HQQ XJJ", "C5", True),
        ("S123456789 C5556 H123456789", "C5", False),
        ("S456789 C555567 H123678 HQQ XJJ", "C5", False),
        ("S456789 C55678 H1236789 HQQ XJJ", "C5", False),
    ],
)
def test_gang_keeps_waits(text: str, face: str, keeps: bool) -> None:
    """J30: three before the draw, and the winning faces stay the same."""
    assert gang_keeps_waits(held(JIANGYAN, text), cards(face)[0], JIANGYAN.deck) is keeps


def test_ready_discards() -> None:
    """J30: the dealer's discards that leave a waiting hand."""
    hand = held(JIANGYAN, "S345678 C666789 H123678 HQQQ HK C1")
    assert show(ready_discards(hand, JIANGYAN.deck)) == "C1 HK"
    assert (
        ready_discards(held(JIANGYAN, "S147 C147 H147 S258 C258 H258 HTJQK1"), JIANGYAN.deck) == []
    )


def test_may_win_and_waits() -> None:
    """J26, J31, X18: shape alone where the room has no minimum, else the best lawful split."""
    hand = held(JIANGYAN, "S456 S88 C99 H678", "p:H111 p:HKKK m:C5555 p:C222")
    hard = room("jiangyan_23", min_hu="hard_80")
    for source, faces in ((WinSource.OWN_DRAW, "C9"), (WinSource.DISCARD, "")):
        assert show(waits(hand, source, hard)) == faces
        assert show(waits(hand, source, JIANGYAN)) == "S8 C9"
        assert may_win(hand, cards("C9")[0], source, hard) is bool(faces)
    sixth = "p:C222 p:C333 p:C444 p:H555 p:C666 p:H777"
    announced = held(JIANGYAN, "S2223", sixth, bao_liu_peng=1)
    assert show(waits(announced, WinSource.DISCARD, JIANGYAN)) == "S1 S3"
    declined = held(JIANGYAN, "S2223", sixth, bao_liu_peng=2)
    assert show(waits(declined, WinSource.DISCARD, JIANGYAN)) == "S1 S3 S4"
    assert not may_win(announced, cards("S4")[0], WinSource.OWN_DRAW, JIANGYAN)
    assert not may_win(announced, cards("DJ")[0], WinSource.OWN_DRAW, JIANGYAN)
    dealt = held(JIANGYAN, "S345678 C666789 H123678 HQQ HKKK")
    assert may_win(dealt, 0, WinSource.DEAL, JIANGYAN)
    assert not may_win(
        held(JIANGYAN, "S345678 C666789 H123678 HQQ HKK C1"), 0, WinSource.DEAL, JIANGYAN
    )
