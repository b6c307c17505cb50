"""The page: what happens, what was asked and what waits, in a browser. Files only; it asks the same
REST and the same events as every other program."""
