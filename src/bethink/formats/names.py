"""The formats by name, for who must know the names and nothing else."""

FORMATS = (
    "auto",
    "bethink",
    "bethink-markdown",
    "markdown",
    "claude",
    "mem0",
    "langgraph",
    "chat",
)
