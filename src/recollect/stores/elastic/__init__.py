"""Elasticsearch as a retriever by words and by meaning (`recollect[elastic]`), and OpenSearch by
words (`recollect[opensearch]`)."""
