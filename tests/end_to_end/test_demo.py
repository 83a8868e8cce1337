"""The demo, as somebody sees it who starts it without a terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STORY = (
    "you> /watch H100 SXM",
    "Watching, rule 1",
    "Nothing matches at present",
    "you> /why",
    "What comes nearest",
    "[simulator] a host puts one H100 SXM on offer",
    "AVAILABLE: 1× H100 SXM",
    "you> /history H100 SXM",
    "H100 SXM, the last 7 d",
    "[simulator] somebody rents that H100 SXM",
    "Gone after",
)


@pytest.mark.long
def test_the_tour_tells_the_whole_story_and_ends_by_itself(tmp_path: Path) -> None:
    """Within the bound, in a folder that it leaves as it was."""
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "HOME": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-m", "bot", "demo"],
        cwd=tmp_path,
        env={**environment, "DEMO_SECONDS": "60"},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "SIMULATED" in done.stdout.splitlines()[0]
    places = [done.stdout.find(step) for step in STORY]
    assert -1 not in places, STORY[places.index(-1)]
    assert places == sorted(places)
    assert "is over" not in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert list(tmp_path.iterdir()) == []
