from tests.doors.running import cli as cli
