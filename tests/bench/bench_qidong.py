"""Speed of 祁东十五胡: figures of `bench_hand` and `bench_engine` with its threshold (Q5)."""

from libs.variants.qidong_shiwuhu.options import Options
from libs.variants.qidong_shiwuhu.scoring import scoring_for
from tests.bench import bench_engine, bench_hand

GAME = ("qidong_shiwuhu", 1)


def figures(n: int = bench_hand.HANDS) -> dict[str, float]:
    """Named figures: hands, rounds and steps per second on one core."""
    hands = bench_hand.figures(n, scoring_for(Options()).hand)
    return {f"qidong_{name}": value for name, value in (hands | bench_engine.measure(GAME)).items()}


if __name__ == "__main__":
    for name, value in figures().items():
        print(f"{name}: {value:,.0f}")
