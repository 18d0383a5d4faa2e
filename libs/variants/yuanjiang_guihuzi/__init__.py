"""沅江鬼胡子 (docs/rules/yuanjiang_guihuzi.md)."""

from libs.variants.yuanjiang_guihuzi.rules import RELEASE_1

RELEASES = (RELEASE_1,)
"""Every release that can be played, oldest first."""
