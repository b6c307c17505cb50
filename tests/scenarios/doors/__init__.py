"""One way to ask for each door: a verb and its arguments in, plain JSON out."""
