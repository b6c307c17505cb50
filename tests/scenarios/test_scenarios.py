"""The same scenarios through every door give the same answers."""

from __future__ import annotations

import pytest

from tests.scenarios.running import House, compared, walked
from tests.scenarios.scenario import Scenario
from tests.scenarios.table import SCENARIOS


@pytest.mark.parametrize("scenario", SCENARIOS, ids=[scenario.name for scenario in SCENARIOS])
def test_every_door_gives_the_same_answers(scenario: Scenario, house: House) -> None:
    with house.doors(scenario) as doors:
        walks = {name: walked(scenario, name, door) for name, door in doors.items()}
    assert "\n".join(compared(walks)) == ""
