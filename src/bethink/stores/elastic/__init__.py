"""Elasticsearch as a retriever by words and by meaning (`bethink[elastic]`), and OpenSearch by
words (`bethink[opensearch]`)."""
