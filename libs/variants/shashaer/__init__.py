"""沙沙儿 (docs/rules/shashaer.md)."""

from libs.variants.shashaer.rules import RELEASE_1

RELEASES = (RELEASE_1,)
"""Every release that can be played, oldest first."""
