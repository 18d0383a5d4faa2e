"""Where 祁东十五胡 differs for the second scorer (Q4, Q5, Q8, Q9, Q10), from the clauses alone."""

from dataclasses import dataclass

from tests.game import bruteforce_paohuzi as brute

DEFAULTS = {
    "idle_hu_liang_zhang": False, "qi_hu": 15, "yi_wu_shi": False, "zi_mo_double": True,
    "hong_hei_dian": True, "dian_pao_pays": "all", "tun_rule": "san_xi_yi_tun",
    "base_two": False, "piao_hu": False, "xing": "none", "hu_policy": "free", "cap": "none",
    "unit": 1,
}  # fmt: skip


@dataclass
class Hand(brute.Hand):
    """One question about 祁东十五胡."""

    defaults = DEFAULTS

    def reds(self):
        """Red cards among all the winner's cards."""
        return len([card for card in brute.winner_cards(self) if card % 10 in (2, 7, 0)])

    def least(self):
        """Q5: fifteen, ten without a red card, whatever the options."""
        return 15 if self.reds() else 10

    def items(self, peng_peng):
        """[name, factor] in the order of Q9."""
        found = []
        if self.source in ("own_draw", "deal") and self.option("zi_mo_double"):
            found.append(["自摸", 2])
        if self.option("hong_hei_dian"):
            reds = self.reds()
            if reds > 9:
                found.append(["红胡", 2])
            elif reds < 2:
                found.append([["黑胡", "点胡"][reds], 3])
        return found
