"""The demo, as somebody sees it who starts it without a terminal."""

from __future__ import annotations

import os
import pty
import re
import select
import subprocess
import sys
from pathlib import Path
from time import monotonic

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


@pytest.mark.long
def test_a_person_at_a_terminal_has_a_rule_and_an_alert_within_a_minute(tmp_path: Path) -> None:
    """By typing what the demo itself proposes, although much matches that rule already."""
    ours, theirs = pty.openpty()
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(ROOT), "PYTHONUTF8": "1", "HOME": str(tmp_path)}
    started = monotonic()
    with subprocess.Popen(
        [sys.executable, "-m", "bot", "demo"],
        cwd=tmp_path,
        env={**environment, "DEMO_SECONDS": "60", "TERM": "xterm"},
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    ) as demo:
        os.close(theirs)
        said, typed = "", False
        try:
            while (
                not ("Watching, rule 1" in said and "[1] " in said and "rule 1: RTX 4090" in said)
                and monotonic() - started < 60
            ):
                if select.select([ours], [], [], 1.0)[0]:
                    said += os.read(ours, 65_536).decode("utf-8", "replace")
                proposed = re.search(r"Type (/watch [^\r\n]+?) or /help", said)
                if proposed and not typed:
                    os.write(ours, f"{proposed[1]}\r".encode())
                    typed = True
        except OSError:  # how a terminal says that nobody is at its other end
            pass
        finally:
            demo.kill()
            os.close(ours)
    assert typed, said[-500:]
    assert "what rule 1 waits for" in said, said[-1500:]
    assert re.search(r"\[1\] (AVAILABLE|CHEAPER): 1× RTX 4090", said), said[-1500:]
