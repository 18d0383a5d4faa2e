"""衡阳六胡抢 (docs/rules/hengyang_liuhuqiang.md)."""

from libs.variants.hengyang_liuhuqiang.rules import RELEASE_1

RELEASES = (RELEASE_1,)
"""Every release that can be played, oldest first."""
