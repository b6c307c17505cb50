"""How others keep memories, and how we take them: one file for each format.

A reader turns a source into `Taken` records, and names what it could not take (`Failed`) or left
aside on purpose (`LeftOut`). It decides neither spaces nor ids: `plan.py` does, for all alike.
"""
