"""Qdrant as a retriever by meaning (`recollect[qdrant]`)."""
