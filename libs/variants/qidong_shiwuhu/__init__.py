"""祁东十五胡 (docs/rules/qidong_shiwuhu.md)."""

from libs.variants.qidong_shiwuhu.rules import RELEASE_1

RELEASES = (RELEASE_1,)
"""Every release that can be played, oldest first."""
