"""What a folder of Markdown is to Bethink."""

from __future__ import annotations

from enum import StrEnum


class Form(StrEnum):
    NOTEBOOK = "notebook"  # lists by kind (preferences, decisions, …) and a journal
    NOTES = "notes"  # `notes/*.md`, one refined note each, and an INDEX.md
    FOLDER = "folder"  # any other Markdown: read, never written
