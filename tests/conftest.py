"""What holds for every test: how many examples a law is tried on, and that a busy machine is no failure."""

from __future__ import annotations

import gc
import os
import sys

import pytest
from hypothesis import settings

settings.register_profile("suite", deadline=None, max_examples=30)
settings.register_profile("thorough", deadline=None, max_examples=1000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "suite"))

# httpcore looks for this library, which is not needed, anew at every step of every request
sys.modules.setdefault("sniffio", None)  # type: ignore[arg-type] # how Python writes down that there is none


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """After the shuffling: what is long begins first, so that nobody waits for it alone at the end."""
    items.sort(key=lambda item: item.get_closest_marker("long") is None)


def pytest_collection_finish() -> None:
    """What is loaded by now stays: looking through it for garbage again and again takes a twentieth of the time."""
    gc.freeze()


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """One more than there are processors: tests that wait for a process or for time to pass leave theirs to others."""
    return len(os.sched_getaffinity(0)) + 1
