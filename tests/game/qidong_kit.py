"""Positions and deals of 祁东十五胡 for its tests."""

from libs.game import engine
from libs.game.options import parse as parse_options
from libs.game.sheet import Sheet
from libs.variants import registry
from tests.game import flow_kit
from tests.game.playthrough import Header, Run

GAME = "qidong_shiwuhu"
VARIANT = engine.find(registry(), GAME, 0)
BLACK = "壹壹壹 叁叁叁 三四五 肆伍陆 八八捌 九玖玖 四五"
"""No red card, 12 胡息: waits for 三 and 六 (Q5)."""
ONE_RED = "壹壹壹 叁叁叁 三四五 肆伍陆 八八捌 二二贰 四五"
"""The same with red cards: 12 胡息 are too few."""


class Scene(flow_kit.Scene):
    """A position of this game."""

    variant = VARIANT


def opened(hands: dict[int, str], wall: str, **options: str) -> Run:
    """A round from its deal, dealt by seat 0; cards that are not named are filled up."""
    header = Header(game=GAME)
    for line in (
        *(f"hand {seat} {cards}" for seat, cards in hands.items()),
        *(f"option {key} {value}" for key, value in options.items()),
        f"wall {wall}",
    ):
        header.read(line)
    return Run(header)


def sheet_of(scene: Scene, **options: object) -> Sheet:
    """The score sheet of a scene that has ended."""
    chosen = parse_options(VARIANT.options, options)
    return VARIANT.score(VARIANT.hand_spec(scene.state, chosen))
