"""姜堰23张 (docs/rules/jiangyan_23.md)."""

from libs.variants.jiangyan_23.rules import RELEASE_1

RELEASES = (RELEASE_1,)
"""Every release that can be played, oldest first."""
