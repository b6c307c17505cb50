"""A small novel in two languages, and what the context of its scenes must and must not hold."""
