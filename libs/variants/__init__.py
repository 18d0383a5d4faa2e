"""The games. One folder per game; whatever stands here is found and can be played."""

import importlib
import pkgutil
from functools import lru_cache

from libs.game.variant import Registry, Variant


@lru_cache(maxsize=1)
def registry() -> Registry:
    """Every variant at every release: each package offers `RELEASES`, a tuple of Variant."""
    found: dict[tuple[str, int], Variant] = {}
    for module in pkgutil.iter_modules(__path__):
        package = importlib.import_module(f"{__name__}.{module.name}")
        for variant in package.RELEASES:
            found[variant.game, variant.release] = variant
    return found
