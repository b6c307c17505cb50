from tests.doors.running import cli as cli
from tests.doors.running import own_home as own_home
