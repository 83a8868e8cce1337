"""What holds for every test: how many examples a law is tried on, and that a busy machine is no failure."""

from __future__ import annotations

import os
import sys

from hypothesis import settings

settings.register_profile("suite", deadline=None, max_examples=30)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))

# httpcore looks for this library, which is not needed, anew at every step of every request
sys.modules.setdefault("sniffio", None)  # type: ignore[arg-type] # how Python writes down that there is none
