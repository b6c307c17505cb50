"""How quarantine is listed: in the order things came, a page at a time, by any of its marks."""

from __future__ import annotations

import pytest

from bethink.errors import InvalidInput
from bethink.stores.tiers import Quarantine
from bethink.testing.entries import make_offer
from bethink.testing.tier_contract.tier_case import CHINESE, TierCase, ids, ruling
from bethink.testing.tier_programs import pages
from bethink.vocabulary import Decision


class ScanningContract(TierCase):
    def test_newest_or_oldest_first(self, quarantine: Quarantine) -> None:
        quarantine.log([make_offer("b", "b"), make_offer("a", "a")])
        quarantine.log([make_offer("丙", "丙")])
        assert ids(quarantine.scan().offers) == ["丙", "a", "b"]
        assert ids(quarantine.scan(newest_first=False).offers) == ["b", "a", "丙"]

    def test_a_decision_moves_nothing(self, quarantine: Quarantine) -> None:
        quarantine.log([make_offer(name, name) for name in "abc"])
        quarantine.decide([ruling("a", Decision.PROMOTED), ruling("b", Decision.HELD)])
        assert ids(quarantine.scan().offers) == ["c", "b", "a"]

    @pytest.mark.parametrize("limit", [1, 2, 3, 6, 7, 100])
    @pytest.mark.parametrize("newest_first", [True, False])
    def test_pages_hold_everything_once(
        self, quarantine: Quarantine, limit: int, newest_first: bool
    ) -> None:
        names = [f"{n}" for n in range(6)]
        quarantine.log([make_offer(f"第 {n}", n) for n in names])
        found = pages(quarantine, limit=limit, newest_first=newest_first)
        expected = names[::-1] if newest_first else names
        assert found == [expected[at : at + limit] for at in range(0, 6, limit)]

    def test_pages_stay_right_while_others_write(self, quarantine: Quarantine) -> None:
        quarantine.log([make_offer(n, n) for n in "abcdef"])
        first = quarantine.scan(limit=2)
        oldest = quarantine.scan(limit=2, newest_first=False)
        quarantine.log([make_offer("new", "new")])
        quarantine.erase(["e", "d"])  # the last of the first page, and the first of the next
        second = quarantine.scan(limit=2, cursor=first.cursor)
        assert (ids(first.offers), ids(second.offers)) == (["f", "e"], ["c", "b"])
        rest = quarantine.scan(cursor=oldest.cursor, newest_first=False)
        assert ids(rest.offers) == ["c", "f", "new"]
        assert rest.cursor is None

    @pytest.mark.parametrize("cursor", ["", "x", "-1", "1.5", "9" * 40, "１２", " 1"])
    def test_what_is_no_cursor_is_refused(self, quarantine: Quarantine, cursor: str) -> None:
        with pytest.raises(InvalidInput, match="start again"):
            quarantine.scan(cursor=cursor)

    def test_filters_hold_together(self, quarantine: Quarantine) -> None:
        """Every combination of a space, a decision, a source and an identity, each two-valued."""
        offers = [
            make_offer(
                "x",
                f"{n:02}",
                space=CHINESE if n & 1 else "global",
                decision=Decision.HELD if n & 2 else Decision.ADMITTED,
                source_hash="book" if n & 4 else "网页",
                identity="same" if n & 8 else "other",
            )
            for n in range(16)
        ]
        quarantine.log(offers)
        for asked in range(16):
            for wanted in range(16):
                options = {
                    "spaces": [CHINESE if wanted & 1 else "global"],
                    "decisions": {Decision.HELD if wanted & 2 else Decision.ADMITTED},
                    "source_hash": "book" if wanted & 4 else "网页",
                    "identities": ("same" if wanted & 8 else "other",),
                }
                used = {k: v for bit, (k, v) in enumerate(options.items()) if asked & 1 << bit}
                expected = [o.id for o in offers if int(o.id) & asked == wanted & asked]
                found = pages(quarantine, limit=3, newest_first=False, **used)
                assert [i for page in found for i in page] == expected, used

    def test_several_of_each(self, quarantine: Quarantine) -> None:
        quarantine.log(
            [
                make_offer("a", "1", identity="a"),
                make_offer("b", "2", identity="b", space=CHINESE, decision=Decision.HELD),
                make_offer("c", "3", identity="c", space="team", decision=Decision.REJECTED),
            ]
        )
        assert ids(quarantine.scan(spaces=[CHINESE, "global", CHINESE]).offers) == ["2", "1"]
        both = [Decision.HELD, Decision.REJECTED]
        assert ids(quarantine.scan(decisions=both).offers) == ["3", "2"]
        assert ids(quarantine.scan(identities={"a", "c", "?"}).offers) == ["3", "1"]
        assert ids(quarantine.scan(spaces=["team", "nowhere"], decisions=both).offers) == ["3"]

    def test_none_of_something_is_not_all_of_it(self, quarantine: Quarantine) -> None:
        quarantine.log([make_offer("a", "1")])
        assert quarantine.scan(spaces=[]).offers == []
        assert quarantine.scan(decisions=[]).offers == []
        assert quarantine.scan(identities=[]).offers == []
        assert quarantine.scan(source_hash="").offers == []

    def test_the_decision_that_holds_counts(self, quarantine: Quarantine) -> None:
        quarantine.log([make_offer("a", "1", decision=Decision.HELD)])
        quarantine.decide([ruling("1", Decision.PROMOTED)])
        assert quarantine.scan(decisions=[Decision.HELD]).offers == []
        assert ids(quarantine.scan(decisions=[Decision.PROMOTED]).offers) == ["1"]
        assert ids(quarantine.scan(spaces=["global"], decisions={Decision.PROMOTED}).offers) == [
            "1"
        ]
