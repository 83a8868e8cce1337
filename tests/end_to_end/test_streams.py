"""Standard streams that are closed, full or narrow: one line or silence, exit code 1, never a traceback."""

from __future__ import annotations

import io
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bot.channels import DeliveryError, Outgoing
from bot.channels.terminal import TerminalChannel
from bot.cli.alerts import _exact
from bot.cli.session import Session
from bot.cli.streams import ClosedStream
from bot.language import speech_for
from tests.bot.samples import alert

ROOT = Path(__file__).parents[2]


def ended(folder: Path, redirection: str, *words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A command of a shell with its output sent somewhere."""
    command = f'"{sys.executable}" -m bot {" ".join(words)} {redirection}'
    return subprocess.run(
        ["/bin/sh", "-c", command],
        cwd=folder,
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "PYTHONPATH": str(ROOT), **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("redirection", "said"), [(">&-", "closed"), (">/dev/full", "No space left"), ("<&- >/dev/full", "No space left")]
)
def test_an_answer_that_cannot_be_written_is_one_line(tmp_path: Path, redirection: str, said: str) -> None:
    end = ended(tmp_path, redirection, "alerts")
    (line,) = [line for line in end.stderr.splitlines() if line.startswith("atalaia: ")]
    assert said in line
    assert end.returncode == 1
    assert "Traceback" not in end.stderr
    assert "Exception ignored" not in end.stderr


def test_a_narrow_encoding_breaks_neither_text_nor_json(tmp_path: Path) -> None:
    end = ended(tmp_path, "", "--json", "watch", "add", "L4", "--name", "ação", PYTHONIOENCODING="ascii")
    assert end.returncode == 0, end.stderr
    assert '"name": "a\\u00e7\\u00e3o"' in end.stdout


async def test_a_message_that_the_terminal_refuses_waits_for_another_try() -> None:
    channel = TerminalChannel(ClosedStream(), {}, speech_for("en"))  # type: ignore[arg-type] # writing is all it does
    with pytest.raises(DeliveryError) as refusal:
        await channel.send(Outgoing(id=1, alert=alert(), now=datetime(2026, 12, 1, tzinfo=UTC)))
    assert not refusal.value.permanent
    assert refusal.value.retry_after == 60


def test_a_note_that_nobody_can_read_stops_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    closed = io.StringIO()
    closed.close()
    monkeypatch.setattr(sys, "stderr", closed)
    Session().note("a remark")


@pytest.mark.parametrize(("micros", "text"), [(0, "12:00:00.000Z"), (250_000, "12:00:00.250Z")])
def test_the_log_of_alerts_gives_every_moment_to_the_millisecond(micros: int, text: str) -> None:
    assert _exact(datetime(2026, 12, 1, 12, 0, 0, micros, tzinfo=UTC)) == f"2026-12-01T{text}"
