"""What holds for every test: how many examples a law is tried on, and that a busy machine is no failure."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("suite", deadline=None, max_examples=30)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))
