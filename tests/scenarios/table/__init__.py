"""The scenarios. Where a door has no such verb or argument, the step says so (`not_at`)."""

from tests.scenarios.table.asking import ASKING
from tests.scenarios.table.knowledge import KNOWLEDGE
from tests.scenarios.table.refusing import REFUSING
from tests.scenarios.table.reviewing import REVIEWING
from tests.scenarios.table.stories import STORIES
from tests.scenarios.table.telling import TELLING

SCENARIOS = (*TELLING, *ASKING, *REVIEWING, *REFUSING, *KNOWLEDGE, *STORIES)
