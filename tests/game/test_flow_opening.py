"""The opening and who deals: deal, 亮张, start 提, 胡 on the deal (Z2-Z4, L1-L4, L11, M3)."""

import pytest

from libs.families.paohuzi.slots import Reg
from libs.game import engine
from libs.game import events as ev
from libs.game.deal import Seed
from libs.game.options import parse
from libs.game.sheet import WinSource
from libs.game.state import Outcome
from tests.game.flow_kit import GAME, READY, REGISTRY, VARIANT, Scene
from tests.game.playthrough import Header, Run

SEED = Seed(bytes(32), bytes(range(32)), "a match")


def opened(hands: dict[int, str], wall: str = "", players: int = 3, **options: str) -> Run:
    """A round from its deal; cards that are not named are filled up."""
    lines = [f"hand {seat} {cards}" for seat, cards in hands.items()]
    lines += [f"option {key} {value}" for key, value in options.items()]
    header = Header(game=GAME, players=players)
    for line in [*lines, f"wall {wall}"]:
        header.read(line)
    return Run(header)


def lines_with(run: Run, word: str) -> list[str]:
    """Transcript lines in which a word stands."""
    return [line for line in run.lines if word in line]


def begun(players: int, **options: object) -> engine.Stepped:
    """The first stop of a round from a fixed seed."""
    chosen = parse(VARIANT.options, options)
    return engine.start(REGISTRY, engine.Start(GAME, chosen, players, 1, SEED), True)


@pytest.mark.parametrize(("players", "wall"), [(3, 19), (2, 39)])
def test_deal(players: int, wall: int) -> None:
    """Z2, L1: twenty each, the 亮张 for all to see, 19 or 39 cards left."""
    run = opened({}, "三", players)
    dealt = [line for line in run.lines if "is dealt" in line]
    assert len(dealt) == players
    assert "= 0 shows 三" in run.lines
    view = engine.view(REGISTRY, run.at.state, -1)
    assert view.wall_left == wall
    assert [len(seat.hand) for seat in view.seats] == [21, *[20] * (players - 1)]


def test_four_players_are_refused() -> None:
    """L1: two or three."""
    with pytest.raises(engine.Refused) as refused:
        begun(4)
    assert refused.value.reason == "UNKNOWN_PLAYERS"


def test_start_ti_of_the_dealer_comes_before_the_liang_zhang_joins() -> None:
    """L3, Z3: shown, then the dealer's 提 with a replacement for the second, then it joins."""
    run = opened({0: "一一一一 三三三三"}, "捌 柒")
    assert run.lines[3:8] == [
        "= 0 shows 捌",
        "= 0 提 一一一一",
        "= 0 提 三三三三",
        "= 0 replaces with 柒  [others: 0 replaces with ?]",
        "= 0 takes 捌 into the hand",
    ]


def test_one_start_ti_draws_nothing() -> None:
    """Z3: k-1 replacements, so none for a single 提."""
    assert lines_with(opened({0: "一一一一"}, "捌 柒"), "replaces") == []


def test_others_lay_theirs_after_the_first_discard_and_claims_wait() -> None:
    """Z3: in seat order from the dealer, before anybody is asked about that discard."""
    run = opened({0: "玖", 1: "一一一一 玖玖 四六八 十", 2: "三三三三 五五五五"}, "捌 柒")
    assert lines_with(run, "提") == []
    run.lines = []
    run.take("0 出 玖")
    assert run.lines[:5] == [
        "= 0 出 玖",
        "= 1 提 一一一一",
        "= 2 提 三三三三",
        "= 2 提 五五五五",
        "= 2 replaces with 柒  [others: 2 replaces with ?]",
    ]
    assert run.lines[5].startswith("> 1 碰")


@pytest.mark.parametrize("seat", [1, 2])
def test_a_replacement_is_seen_by_its_seat_alone(seat: int) -> None:
    """Z3: which nobody else sees."""
    hands = {0: "九 八", seat: "一一一一 三三三三 捌"}
    scene = Scene(hands, wall="柒 柒").first_discard("九")
    assert f"{seat} replaces with 柒" in scene.sees(seat)
    for reader in {0, 1, 2, -1} - {seat}:
        assert f"{seat} replaces with ?" in scene.sees(reader)


def test_a_replacement_can_make_a_further_ti() -> None:
    """Z3: it is laid too and brings one replacement more."""
    run = opened({0: "一一一一 三三三三 五五五"}, "捌 五 柒")
    assert lines_with(run, "replaces") == [
        "= 0 replaces with 五  [others: 0 replaces with ?]",
        "= 0 replaces with 柒  [others: 0 replaces with ?]",
    ]
    assert "= 0 提 五五五五" in run.lines


def test_a_replacement_can_make_a_kan() -> None:
    """Z3, Z6: the pair has become a 坎 and is not listed for a discard."""
    run = opened({0: "一一一一 三三三三 五五"}, "捌 五")
    assert "五" not in run.lines[-1]


def test_the_liang_zhang_makes_a_ti_of_the_start() -> None:
    """Z4: with a 坎; the only 提 brings no replacement and no second offer."""
    run = opened({0: "捌捌捌", 1: "一一", 2: "一"}, "捌 柒")
    assert lines_with(run, "提") == ["= 0 提 捌捌捌捌"]
    assert lines_with(run, "replaces") == []
    assert run.lines[-1].startswith("> 0 出")


def test_the_liang_zhang_as_a_second_ti_brings_a_replacement() -> None:
    """Z4, Z3: with the replacement that k gives."""
    run = opened({0: "一一一一 捌捌捌", 1: "二二", 2: "二"}, "捌 柒")
    assert lines_with(run, "replaces") == ["= 0 replaces with 柒  [others: 0 replaces with ?]"]
    assert run.lines[-1].startswith("> 0 出")


def test_the_liang_zhang_on_a_pair_is_a_kan() -> None:
    """Z4, Z6: it cannot be discarded."""
    assert "捌" not in opened({0: "捌捌 一"}, "捌").lines[-1]


def test_a_start_ti_never_spares_the_first_discard() -> None:
    """Z20: even two of them; the dealer discards."""
    run = opened({0: "一一一一 三三三三"}, "捌 柒")
    assert run.lines[-1].startswith("> 0 出")


def test_hu_on_the_liang_zhang_is_asked_one_after_another() -> None:
    """L4: the dealer first, then the others in turn order; the first yes wins."""
    scene = Scene({0: READY, 1: READY, 2: READY}).shown("三")
    assert scene.everybody() == {0: ["胡", "过"]}
    assert scene.do(0, "过").everybody() == {1: ["胡", "过"]}
    assert scene.do(1, "过").everybody() == {2: ["胡", "过"]}
    win = scene.do(2, "胡").state.win
    assert win is not None
    assert (win.seat, win.source, win.by) == (2, WinSource.LIANG_ZHANG, 0)


def test_the_liang_zhang_is_the_dealers_own_card_only() -> None:
    """L4, Z24, Z25: on a pair of the dealer it makes a 坎, of another seat a 碰 worth less."""
    hand = "三三三 六六 一壹壹 二贰贰 八八捌 九玖玖 肆伍陆"
    assert Scene({0: hand, 1: "九"}).shown("六").asked(0) == ["胡", "过"]
    assert Scene({0: "九", 1: hand}).shown("六").asked(1) == []


def test_only_a_seat_that_can_win_the_liang_zhang_is_asked() -> None:
    """L4: the others are passed over; when all have been asked it joins the dealer's hand."""
    scene = Scene({0: "八", 1: "九", 2: READY}).shown("三")
    assert scene.everybody() == {2: ["胡", "过"]}
    assert scene.do(2, "过").hand(0) == "三 八"
    assert scene.discards_next(0)


def test_without_the_option_only_the_dealer_is_asked() -> None:
    """L4: `idle_hu_liang_zhang` off."""
    scene = Scene({0: READY, 1: READY, 2: READY}, idle_hu_liang_zhang=False).shown("三")
    assert scene.everybody() == {0: ["胡", "过"]}
    assert scene.do(0, "过").discards_next(0)


def test_the_liang_zhang_cannot_be_claimed_otherwise() -> None:
    """Z8b: a pair, a 坎 or neighbours of another seat do not take it."""
    scene = Scene({0: "八", 1: "一二 九", 2: "三三三 九"}).shown("三")
    assert scene.everybody() == {0: ["出 三", "出 八"]}
    assert scene.melds(2) == []


def test_must_hu_takes_the_liang_zhang() -> None:
    """Z33, L4: the first seat that can win it, unasked; `wall_only` does not bar it."""
    scene = Scene({0: "八", 1: READY, 2: READY}, hu_policy="must_hu").shown("三")
    assert scene.state.win is not None
    assert scene.state.win.seat == 1
    assert Scene({0: READY}, hu_policy="wall_only").shown("三").asked(0) == ["胡", "过"]
    assert Scene({0: READY}, hu_policy="must_hu_discard").shown("三").asked(0) == ["胡", "过"]


def test_a_second_offer_comes_after_a_replacement() -> None:
    """L4: the 亮张 makes a further 提; with the replacement the dealer is asked again."""
    run = opened({0: "一一一一 捌捌捌 二二二 壹壹壹 四五六 肆伍 玖玖"}, "捌 陆")
    assert run.lines[-1] == "> 0 胡 | 过  (timeout: 过)"
    run.take("0 胡")
    assert "= 0 胡 捌, on the deal" in run.lines
    assert any(line.startswith("$ 天胡") for line in run.lines)


def test_must_hu_takes_the_second_offer() -> None:
    """Z33, L4: unasked; `must_hu_discard` leaves it to the dealer, it is no discard."""
    hands = {0: "一一一一 捌捌捌 二二二 壹壹壹 四五六 肆伍 玖玖"}
    assert "= 0 胡 捌, on the deal" in opened(hands, "捌 陆", hu_policy="must_hu").lines
    asked = opened(hands, "捌 陆", hu_policy="must_hu_discard").lines[-1]
    assert asked == "> 0 胡 | 过  (timeout: 过)"


def test_a_declined_second_offer_leaves_the_discard() -> None:
    """L4, Z20: then the dealer discards as always."""
    run = opened({0: "一一一一 捌捌捌 二二二 壹壹壹 四五六 肆伍 玖玖"}, "捌 陆")
    run.take("0 过")
    assert run.lines[-1].startswith("> 0 出")


def test_a_dealer_dead_at_its_first_discard() -> None:
    """Z22, Z3: the others lay their start 提, then its 下家 draws."""
    scene = Scene({0: "九九九", 1: "一一一一 八", 2: "八"}, wall="柒 柒").reg(Reg.FIRST, 0)
    scene.turn(0)
    assert scene.view(1).seats[0].flags == ("si_shou",)
    assert scene.melds(1) == ["提 一一一一"]
    assert scene.next_draws(1)


def test_after_a_dead_dealer_no_discard_is_the_dealers_first() -> None:
    """Z22, L8: seat 1 discards first, and a 胡 on that is no 地胡."""
    scene = Scene({0: "九九九", 1: "三 八", 2: READY}).reg(Reg.FIRST, 0).turn(0)
    win = scene.discard(1, "三").do(2, "胡").state.win
    assert win is not None
    assert win.first_discard == 0


def test_the_first_discard_is_marked_until_it_is_settled() -> None:
    """L8: a 胡 on the dealer's first discard is told apart from one on a later discard."""
    first = Scene({0: "三 八", 1: READY}).first_discard("三").do(1, "胡").state.win
    later = Scene({0: "三 八", 1: READY}).discard(0, "三").do(1, "胡").state.win
    assert first is not None
    assert later is not None
    assert (first.first_discard, later.first_discard) == (1, 0)


def test_first_dealer() -> None:
    """L2, M3: the seat longest in the room, or one from the round's seed."""
    longest = engine.Start(GAME, parse(VARIANT.options, {}), 3, 1, SEED, joined=(2, 0, 1))
    assert engine.view(REGISTRY, engine.start(REGISTRY, longest, True).state, -1).dealer == 2
    seen = set()
    for match in "abcdefgh":
        wanted = engine.Start(
            GAME,
            parse(VARIANT.options, {"first_dealer": "random"}),
            3,
            1,
            SEED._replace(match_id=match),
            joined=(2, 0, 1),
        )
        seen.add(engine.view(REGISTRY, engine.start(REGISTRY, wanted, True).state, -1).dealer)
    assert seen == {0, 1, 2}


def test_the_winner_deals_next() -> None:
    """L2: `carry` holds the winner."""
    scene = Scene({0: "三 八", 2: READY}).discard(0, "三")
    assert VARIANT.next_dealer(scene.do(2, "胡").state) == 2


def test_after_a_liu_ju_the_dealers_next_seat_deals() -> None:
    """L2: and after a void round the same seat deals again."""
    scene = Scene({0: "八"}, wall="八").draw(0).advance()
    assert scene.state.outcome == Outcome.LIU_JU
    assert VARIANT.next_dealer(scene.state) == 1
    void = scene.state
    void.outcome = Outcome.VOID
    assert VARIANT.next_dealer(void) == 0


@pytest.mark.parametrize(("chou_di", "wall"), [(0, 39), (10, 29), (20, 19)])
def test_chou_di(chou_di: int, wall: int) -> None:
    """L11: taken out of the wall unseen; the last cards of the deck."""
    stepped = begun(2, chou_di=chou_di)
    assert engine.view(REGISTRY, stepped.state, 0).wall_left == wall
    started = stepped.events[0]
    assert isinstance(started.event, ev.Started)
    assert len(started.event.removed) == chou_di
    assert started.public is not None
    shown = started.public.event
    assert isinstance(shown, ev.Started)
    assert (shown.removed, shown.deck) == (bytes(chou_di), bytes(80))


def test_removed_cards_are_shown_at_the_end() -> None:
    """L11, Z30a: with all hands, the wall and the seed."""
    stepped = begun(2, chou_di=10)
    ended = engine.step(REGISTRY, stepped.state, engine.Input("abort"), True).events[-1]
    assert ended.public is not None
    reveal = ended.public.extra
    assert len(reveal.removed) == 10
    assert (len(reveal.wall), reveal.seed, reveal.nonce) == (29, SEED.server, SEED.nonce)
    assert sorted(map(len, reveal.hands)) == [20, 21]


@pytest.mark.parametrize("options", [{"chou_di": 10}, {"low_score_limit": 10}])
def test_options_for_two_are_refused_with_three(options: dict[str, object]) -> None:
    """L11, L12: two players only."""
    with pytest.raises(engine.Refused) as refused:
        begun(3, **options)
    assert refused.value.reason == "BAD_OPTION_VALUE"
    assert begun(2, **options).prompts
