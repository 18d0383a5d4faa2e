"""What a person reads: cards, choices, news, the table and its end, letter by letter."""

import pytest
from paiju.game.v1 import action_pb2, card_pb2, event_pb2, option_pb2, sheet_pb2
from paiju.rules.v1 import rules_pb2 as rules

from libs.game.cards import FACES, HIDDEN, NAMES, RED_ZI_PAI, parse
from tools.play_board import Board, Open
from tools.play_hand import grouped, hand_lines, shapes
from tools.play_hints import hint_lines
from tools.play_screen import (
    WIDTH,
    Story,
    ask_line,
    enter_choice,
    face_choice,
    final_lines,
    prompt_lines,
    round_lines,
    sheet_text,
    table_lines,
)
from tools.play_words import Words, columns, filled, printed, told

NAMED = ("you", "阿明", "小芳")
TERMS = {"jiao": "绞", "er_qi_shi": "二七十", "wei": "偎", "juhua": "一句话", "barred": "冲招"}


def zi_pai(colour=False) -> Words:
    """The words of a game of 字牌."""
    faces = [{"card": n, "copies": 4, "name": NAMES[n], "red": n in RED_ZI_PAI} for n in
             range(1, 21)]  # fmt: skip
    terms = [{"code": code, "label": {"zh": zh}} for code, zh in TERMS.items()]
    variant = option_pb2.Variant(name={"zh": "试牌"}, deck=faces, terms=terms)
    return Words.of(variant, NAMED, colour)


def playing() -> Words:
    """The words of a game of playing cards."""
    cards = [card for card in NAMES if 20 < card < HIDDEN]
    faces = [{"card": card, "copies": 4, "name": NAMES[card]} for card in cards]
    return Words.of(option_pb2.Variant(name={"zh": "试牌"}, deck=faces), NAMED, False)


def board_of(hand: str) -> Board:
    """Seat 0 of three with a hand."""
    board = Board(0, 3)
    board.apply(event_pb2.Event(round_started={"players": 3, "round_no": 2, "wall": 80,
                                               "dealer": 1}))  # fmt: skip
    board.apply(event_pb2.Event(dealt={"seat": 0, "cards": parse(hand)}))
    return board


def prompt(*choices: dict, default: int = 0) -> action_pb2.Prompt:
    """A question."""
    return action_pb2.Prompt(prompt_id=1, choices=choices, default_choice=default)


def test_a_table_to_the_letter():
    """Others with melds, backs, piles and marks; the open card; the own hand in groups."""
    board = board_of("一一壹四四四二七十叁")
    board.places[1].hand_left, board.places[2].hand_left = 14, 20
    wei = card_pb2.Meld(kind=card_pb2.MELD_KIND_WEI, cards=[HIDDEN] * 3)
    peng = card_pb2.Meld(
        kind=card_pb2.MELD_KIND_PENG, cards=parse("五五五"), claimed=5, source=2, from_discard=True
    )
    board.places[1].melds, board.places[1].pile = [wei, peng], list(parse("三玖"))
    board.notes = {"closed": [FACES["三"], FACES["六"]], "returned": [1], "grey": []}
    board.places[2].flags = ["barred"]
    board.open = Open(FACES["陆"], 2, True)
    words = zi_pai()
    story = Story(8, (3, -1, -2), ["阿明 碰 [五]五五 ← 小芳"], None, shapes(words, options()))
    rule = "─" * WIDTH
    assert table_lines(board, words, story) == [
        "试牌   第2局 / 8   牌墩 70   总分 you +3  阿明 -1  小芳 -2",
        rule,
        "阿明  庄  手 14",
        "  桌  偎 ??????   碰 [五]五五",
        "  弃  三玖",
        "小芳  冲招  手 20",
        rule,
        "  阿明 碰 [五]五五 ← 小芳",
        "  ▶ 陆  (小芳 打)",
        rule,
        "you  closed 三六  手 10",
        "  四四四  一一壹  二七十  叁",
        "  小  一一  二      四四四  七  十",
        "  大  壹        叁",
    ]


def options(**values: bool) -> option_pb2.Options:
    """Switches of a room."""
    message = option_pb2.Options()
    for key, value in values.items():
        message.values[key].bool_value = value
    return message


def test_columns_line_up_though_signs_are_two_wide():
    """A number stands in one column of the terminal, small above big."""
    small, big = hand_lines(board_of("一一壹三叁叁叁捌").hand, zi_pai(), ())[1:]
    assert columns(small[: small.index("三")]) == columns(big[: big.index("叁")])
    assert columns(filled("捌玖", 6)) == 6


def test_colours_mark_red_faces_and_take_no_room():
    """二七十贰柒拾 are red on white, the others black; backs are backs."""
    words = zi_pai(colour=True)
    assert words.card(FACES["贰"]) == "\x1b[31;47m贰\x1b[0m"
    assert words.card(FACES["叁"]) == "\x1b[30;47m叁\x1b[0m"
    assert columns(words.cards([1, 2, HIDDEN])) == 6
    assert filled(words.card(1), 4).endswith("\x1b[0m  ")


@pytest.mark.parametrize(
    ("name", "shown"),
    [("S1", "♠A"), ("CT", "♣10"), ("HK", "♥K"), ("H9", "♥9"), ("XJ", "小王"), ("DJ", "大王")],
)
def test_playing_cards_as_they_are_printed(name, shown):
    """Suits by their sign, 1 is the ace; jokers by name."""
    assert printed(name) == shown


def test_hearts_are_red():
    """Whatever the deck says of them, and the other suits are not."""
    words = playing()
    assert {NAMES[card][0] for card in words.red} == {"H"}
    assert FACES["HK"] in words.red


def test_playing_cards_lie_by_suit():
    """Equal cards side by side, a line for each suit, jokers last."""
    board = board_of("H1 S2 S2 DJ S9 HT C3")
    lines = hand_lines(board.hand, playing(), ())
    assert lines == ["♠2 ♠2   ♠9", "♣3", "♥A   ♥10", "大王"]


def test_groups_are_those_of_the_room():
    """绞 and 二七十 where the game has the word; 一五十 only where the room plays it (L6)."""
    words = zi_pai()
    hand = board_of("一五十二七").hand
    assert grouped(hand, shapes(words, options()))[0] == (2, 7, 10)
    named = Words("t", {"yi_wu_shi": "一五十"}, words.copies, words.faces, words.red, NAMED)
    assert grouped(hand, shapes(named, options(yi_wu_shi=True)))[0] == (1, 5, 10)
    off = grouped(hand, shapes(named, options(yi_wu_shi=False)))
    assert [len(part) for part in off] == [1] * 5
    assert grouped(board_of("一一壹").hand, ()) == [(1, 1), (11,)]


def test_every_card_of_a_hand_is_shown_once():
    """The groups hold exactly the hand, fours and threes whole."""
    board = board_of("一一一一二三四四五六七八九十壹贰叁叁拾拾拾")
    parts = grouped(board.hand, shapes(zi_pai(), options()))
    assert sorted(card for part in parts for card in part) == board.cards()
    assert parts[:2] == [(1,) * 4, (20,) * 3]


def test_choices_are_numbered_and_discards_listed():
    """吃 with its 比 groups, 碰, 胡, 过; discards as one list that breaks at the width."""
    chi = {"card": 1, "group": {"cards": parse("一二三")}, "bi": [{"cards": parse("一一壹")}]}
    asked = prompt({"hu": {"card": 1}}, {"chi": chi}, {"peng": {"card": 1}}, {"pass": {}},
                   default=3)  # fmt: skip
    assert prompt_lines(asked, zi_pai(), 8) == [
        "  1 胡 一   2 吃 一二三 比 一一壹   3 碰 一   4 过",
        "  8 s",
    ]
    assert ask_line(asked, zi_pai()) == "[1–4, Enter = 1 胡 一, h 听牌, s sheet, q quit] > "
    many = prompt(*({"discard": {"card": card}} for card in range(1, 21)), default=2)
    lines = prompt_lines(many, zi_pai())
    assert lines[0].startswith("  出  1 一   2 二   3 三")
    assert lines[1].startswith("      ")
    assert all(columns(line) <= WIDTH for line in lines)
    assert "Enter = 3 出 三" in ask_line(many, zi_pai())


def test_what_the_other_games_offer_has_its_word_too():
    """Kinds of 杠 and declarations (J8, J30, J31), 歪 and 溜 (G9, G10)."""
    words = zi_pai()
    actions = [
        {"gang": {"card": 1, "kind": action_pb2.GANG_KIND_BU}},
        {"gang": {"card": 1, "kind": action_pb2.GANG_KIND_AN}},
        {"declare": {"declaration": action_pb2.DECLARATION_BAO_LIU_PENG}},
        {"wai": {"card": 2}},
        {"hu": {}},
    ]
    shown = [words.choice(action_pb2.Action(**action)) for action in actions]
    assert shown == ["补杠 一", "暗杠 一", "报六碰", "歪 二", "胡"]


def test_enter_takes_a_win_and_else_the_default():
    """A reflex never throws a win away."""
    assert enter_choice(prompt({"pass": {}}, {"hu": {}})) == 1
    assert enter_choice(prompt({"pass": {}}, {"peng": {"card": 1}})) == 0


def test_a_discard_may_be_typed_as_its_card():
    """As it is printed or in the notation, upper or lower case."""
    asked = prompt({"pass": {}}, {"discard": {"card": FACES["C5"]}})
    words = playing()
    assert [face_choice(asked, words, typed) for typed in ("♣5", "C5", "c5", "C6", "过")] == [
        1, 1, 1, None, None,
    ]  # fmt: skip


NEWS = [
    ({"round_started": {"round_no": 3, "dealer": 1, "wall": 80}}, "第3局: 阿明 庄, 80 cards"),
    ({"card_shown": {"seat": 1, "card": 5}}, "亮张 五 for 阿明"),
    ({"drew": {"seat": 1, "card": 5}}, "阿明 摸 五"),
    ({"drew": {"seat": 1, "card": HIDDEN}}, "阿明 摸 ??"),
    ({"drew": {"seat": 1, "card": HIDDEN, "joins_hand": True}}, "阿明 摸"),
    ({"drew": {"seat": 0, "card": 5, "replacement": True}}, "you 补 五"),
    ({"discarded": {"seat": 2, "card": 12}}, "小芳 打 贰"),
    ({"unclaimed": {"seat": 2, "card": 12}}, ""),
    ({"barred": {"seat": 2, "reason": "chong_zhao"}}, "小芳 冲招: no 吃, no 碰 any more"),
    ({"returned": {"card": 3, "reason": "BARRED"}}, "三 comes back to your hand: 冲招"),
    ({"si_shou": {"seat": 0}}, "you 死手"),
    ({"won": {"seat": 1, "card": 7, "from_seat": 2}}, "阿明 胡 七 ← 小芳"),
    ({"won": {"seat": 1, "card": 7, "from_seat": 1}}, "阿明 胡 七"),
    ({"declared": {"seat": 1, "declaration": 1}}, "阿明 直听"),
    ({"flower_set": {"seat": 1, "card": 55}}, "阿明 花 DJ"),
    ({"xing_turned": {"card": 7}}, "醒 七"),
    ({"piles_opened": {}}, "all discard piles lie open"),
    ({"hai_lao_started": {"seat": 1}}, "海捞: the last cards"),
    ({"round_ended": {"outcome": event_pb2.ROUND_OUTCOME_LIU_JU}}, "流局"),
    ({"round_ended": {"outcome": event_pb2.ROUND_OUTCOME_WIN}}, ""),
    ({"turn_started": {"seat": 1}}, ""),
]


@pytest.mark.parametrize(("event", "text"), NEWS)
def test_what_happened_in_words(event, text):
    """Who did what with which card; what needs no words has none."""
    assert told(zi_pai(), event_pb2.Event(**event)) == text


def test_melds_tell_the_claimed_card_and_where_it_came_from():
    """吃 with 比 groups (Z16), from another seat; a card turned up after a hidden draw (G17)."""
    meld = {"kind": card_pb2.MELD_KIND_CHI, "cards": parse("一二三"), "claimed": 2, "source": 2}
    laid = {"seat": 0, "meld": meld, "with": [{"cards": parse("二贰贰")}], "takes_open": True}
    event = event_pb2.Event(melded=laid)
    assert told(zi_pai(), event) == "you 吃 一[二]三 比 二贰贰 ← 小芳"
    turned = event_pb2.Event(card_shown={"seat": 1, "card": 5})
    assert told(zi_pai(), turned, face_down=True) == "阿明 翻开 五"


def won() -> sheet_pb2.ScoreSheet:
    """A round that seat 1 won, with a kind of group that only the game's terms name."""
    group = {"kind": "juhua", "cards": parse("一二三"), "points": 3, "clause": "G20"}
    return sheet_pb2.ScoreSheet(
        round_no=2, can_win=True, winner=1, win_kind="zi_mo", deltas=[-6, 12, -6],
        seats=[{"seat": 1, "groups": [group], "points": 3}],
    )  # fmt: skip


def test_the_sheet_speaks_the_words_of_the_game():
    """Group kinds come from ListVariants, clauses stand beside them."""
    sheet = won()
    text = "\n".join(sheet_text(sheet, zi_pai()))
    assert "一句话  一二三     3  G20" in text
    assert "阿明 胡 自摸" in text
    assert sheet.seats[0].groups[0].kind == "juhua"


def test_the_sheet_writes_cards_as_the_table_does():
    """One notation on a screen: ♣4 on the sheet as in the hand, never C4."""
    sheet = won()
    sheet.win_card = parse("C4")[0]
    sheet.seats[0].groups[0].cards[:] = parse("C4 HT DJ")
    text = "\n".join(sheet_text(sheet, playing()))
    assert "阿明 胡 ♣4 自摸" in text
    assert "♣4 ♥10 大王" in text
    assert "C4" not in text


def test_the_end_of_a_round_shows_everything():
    """All hands and melds (Z30a), the sheet, the totals; then the match, best seat first."""
    board = board_of("一二三")
    held = [{"cards": parse("三二一")}, {"cards": parse("四")}, {"cards": parse("五")}]
    board.apply(event_pb2.Event(round_ended={"hands": held}))
    lines = round_lines(board, zi_pai(), Story(8, (-6, 12, -6), [], won()))
    assert lines[1:4] == ["you  一二三", "阿明  四", "小芳  五"]
    assert "  总分 you -6  阿明 +12  小芳 -6" in lines
    assert final_lines(zi_pai(), (-6, 12, -6), "finished") == [
        "总局 final scores", "  1. 阿明 +12", "  2. you -6", "  3. 小芳 -6",
    ]  # fmt: skip
    assert final_lines(zi_pai(), (), "platform") == ["the match was closed (platform)"]


def wait(card: int, *worth: tuple[int, int, int]) -> dict:
    """A face that wins: (source, points, amount)."""
    made = [{"source": source, "points": points, "amount": n} for source, points, n in worth]
    return {"card": card, "worth": made}


def test_hints_of_a_hand_that_waits():
    """Faces, unseen copies, 胡息 and amount by source; a dash where a card would not win."""
    waits = [wait(3, (1, 15, 12), (2, 12, 4)), wait(12, (1, 9, 6))]
    result = rules.WaitsResponse.Result(waits=waits)
    assert hint_lines(result, {3: 2, 12: 0}, zi_pai()) == [
        "  听  unseen  own draw  other draw",
        "  三  ×2      15 → 12   12 → 4",
        "  贰  ×0      9 → 6     –",
        "  (points → amount of one payer)",
    ]


def test_hints_before_a_discard_put_the_widest_wait_first():
    """After each discard the faces it would wait for; none is said plainly, an error too."""
    after = [
        {"discard": 1, "waits": [wait(3, (1, 9, 6))]},
        {"discard": 2, "waits": [wait(4, (1, 9, 6), (2, 9, 3))]},
    ]
    lines = hint_lines(rules.WaitsResponse.Result(discards=after), {3: 1, 4: 3}, zi_pai())
    assert lines[:2] == ["  出 二: 听 四×3 (9 → 6)", "  出 一: 听 三×1 (9 → 6)"]
    assert hint_lines(rules.WaitsResponse.Result(), {}, zi_pai()) == ["  not 听 yet"]
    failed = rules.WaitsResponse.Result(error={"code": 3, "message": "a bad hand"})
    assert hint_lines(failed, {}, zi_pai()) == ["  no hint: a bad hand"]
