"""All that one store holds, taken to another: `move.py` is the front.

It goes through the contracts of stores and tiers only, so that any two of them will do.
"""
