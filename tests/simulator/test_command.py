"""`python -m scanners.simulator` as a program."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path

import httpx
import pytest

from scanners.simulator.__main__ import main

ROOT = Path(__file__).parents[2]
COMMAND = [sys.executable, "-m", "scanners.simulator", "--offers", "10", "--start", "2026-11-02T12:00:00"]


def test_it_says_where_it_listens_and_that_it_is_simulated_and_stops_when_told() -> None:
    with subprocess.Popen([*COMMAND, "--speed", "60"], stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        try:
            assert process.stdout is not None
            hello = json.loads(process.stdout.readline())
            answer = httpx.get(
                hello["url"] + "/v2/catalog/gpus",
                headers={"Authorization": f"Bearer {hello['runpod_key']}"},
                trust_env=False,
            )
            process.send_signal(signal.SIGTERM)
            assert process.wait(timeout=10) == 0
        finally:
            process.kill()
    assert hello["simulated"] is True
    assert hello["start"] == "2026-11-02T12:00:00+00:00"
    assert len(answer.json()["gpus"]) > 40


@pytest.mark.parametrize("options", [["--speed", "0"], ["--offers", "-1"], ["--start", "yesterday"], ["--port", "x"]])
def test_options_that_make_no_sense_are_a_usage_error(options: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(options)
    assert stopped.value.code == 2
    assert "usage:" in capsys.readouterr().err
