"""Folders of Markdown as the truth: reading them, keeping the index true to them, writing back."""
