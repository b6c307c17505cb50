"""Redis (or Valkey) beside a store: a fast copy of working memory, and answers to questions that
were asked a moment ago. Never the truth: without it everything is answered by the store.
"""
