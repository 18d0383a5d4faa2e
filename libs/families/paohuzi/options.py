"""Room options that the games of the family share, and what follows from them.

A game writes the values of each and gives the clause of its own page; `room` reads them by the
names of the functions here.
"""

from typing import Any, Literal

from libs.game.options import choice


def first_dealer(clause: str) -> Any:
    """Who deals the first round (L2, Q2, M3)."""
    return choice(
        "longest",
        "首局庄家",
        "First dealer",
        clause,
        labels={"longest": ("进房最久", "longest in the room"), "random": ("随机", "random")},
    )


def zi_mo_double(clause: str) -> Any:
    """Whether 自摸 is a multiplier (L8, Q9)."""
    return choice(True, "自摸翻倍", "自摸 doubles", clause)


def dian_pao_pays(default: Literal["one", "all"], clause: str) -> Any:
    """What the discarder of the winning card pays (L10, Q10)."""
    return choice(
        default,
        "放炮",
        "What the discarder of the winning card pays",
        clause,
        labels={"one": ("赔一家", "one amount"), "all": ("包赔", "one amount per other seat")},
    )


def base_two(clause: str) -> Any:
    """One 囤 more (L13, Q8)."""
    return choice(False, "底分2分", "One 囤 more", clause)


def ming_wei(clause: str) -> Any:
    """Who sees the face of a 偎 (Z11)."""
    return choice(False, "明偎", "Everybody sees the face of a 偎", clause)


def xing(clause: str) -> Any:
    """Which face adds 囤 (Z31)."""
    return choice(
        "none",
        "醒",
        "Which face adds 囤",
        clause,
        labels={
            "none": ("无", "none"),
            "fan_xing": ("翻醒", "the next wall card"),
            "sui_xing": ("随醒", "the winning card"),
        },
    )


def hu_policy(clause: str) -> Any:
    """Must-win (Z33)."""
    return choice(
        "free",
        "胡牌",
        "Which wins are taken automatically or barred",
        clause,
        labels={
            "free": ("自由胡", "the player decides"),
            "must_hu": ("有胡必胡", "every win"),
            "must_hu_discard": ("点炮必胡", "wins on a discard"),
            "wall_only": ("只胡墩上牌", "discards cannot be won"),
        },
    )


def cap(clause: str) -> Any:
    """Bound of one amount (Z34)."""
    return choice(
        "none", "封顶", "Bound of one amount", clause, labels={"none": ("不封顶", "no cap")}
    )


def low_score_limit(en: str, clause: str) -> Any:
    """Up to which final score the low-score rule reaches (L12, Q12)."""
    return choice(
        "off",
        "低分翻倍上限",
        en,
        clause,
        labels={"off": ("不翻倍", "off"), "none": ("不限", "any score")},
    )


def unit(clause: str) -> Any:
    """Points per 囤 (Z32)."""
    return choice(1, "底分", "Points per 囤", clause, low=1, high=1_000_000)


def room(options: Any) -> dict[str, Any]:
    """The fields of a `Scoring` that follow from the options above."""
    return {
        "discard_wins": options.hu_policy != "wall_only",
        "base_two": options.base_two,
        "xing": options.xing,
        "unit": options.unit,
        "cap": 0 if options.cap == "none" else options.cap,
        "discarder_pays_all": options.dian_pao_pays == "all",
    }
