"""A word to the owner, put into the language of whoever reads it when it is read."""

from __future__ import annotations

from collections.abc import Callable
from datetime import tzinfo

from bot.language import Speech

Notice = Callable[[Speech, tzinfo], str]
"""The word in a language, its times in a zone."""
