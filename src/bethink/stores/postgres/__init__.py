"""The server store: PostgreSQL with pgvector, for many processes and many tenants.

`store.py` is the front, `database.py` how it is reached, `migrations/` the tables.
"""
