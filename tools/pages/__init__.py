"""Generators of the pages in docs/reference that are made from the code. Tests keep them true."""
