"""`python -m bethink` is the command `bethink`."""

import sys

from bethink.doors.cli.main import main

sys.exit(main())
