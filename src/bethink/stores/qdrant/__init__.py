"""Qdrant as a retriever by meaning (`bethink[qdrant]`)."""
