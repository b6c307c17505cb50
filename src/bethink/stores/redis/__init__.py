"""Redis (or Valkey) beside a store: a cache of answers to questions that were asked a moment ago.
Never the truth: without it every question is answered by the store.
"""
