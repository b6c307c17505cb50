"""Bethink inside an agent: what its hooks run, and how they are put into its settings.

`guard.py` is what a hook runs: bounded in time, always well in the end. `work.py` does it: a
primer when a session starts, a few memories when a prompt is sent, what was learned when a turn
ends. There is one file for each agent (`claude.py`, `codex.py`, `cursor.py`, `openclaw.py`): how
it speaks, and where it keeps its settings.
"""
