"""Files of local models: which they are, how to get them, and that they are what they should be."""
