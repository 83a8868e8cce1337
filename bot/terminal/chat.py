"""The conversation in a terminal: lines become requests and presses, answers are printed as they come."""

from __future__ import annotations

import asyncio
import contextlib
import sys
import threading
from collections.abc import Callable
from datetime import datetime

from bot.conversation import Desk, Outcome, Press, Request, Speaker
from bot.terminal.screen import Screen

CHAT = "terminal"


class TerminalChat:
    """One person at a terminal, who owns everything."""

    def __init__(self, desk: Desk, screen: Screen, now: Callable[[], datetime], *, language: str | None = None) -> None:
        self._desk = desk
        self._screen = screen
        self._now = now
        self.speaker = Speaker(chat=CHAT, user=CHAT, name="you", language=language, is_owner=True)

    async def hear(self, line: str) -> None:
        """Answer one line: a command, the number of a button, or free text."""
        text = line.strip()
        if not text:
            return
        if text.isdecimal() and len(text) < 6:
            await self.press(int(text))
            return
        command, argument = "", text
        if text.startswith("/"):
            word, _, argument = text[1:].partition(" ")
            command = self._desk.known(word) or word
        outcome = await self._desk.answer(
            Request(speaker=self.speaker, command=command, argument=argument.strip(), at=self._now())
        )
        self._show(outcome, None)

    async def press(self, number: int) -> None:
        """Press the button with this number."""
        found = self._screen.pressed(number)
        if found is None:
            self._screen.no_button(number)
            return
        message_id, data = found
        outcome = await self._desk.press(Press(speaker=self.speaker, data=data, message_id=message_id, at=self._now()))
        self._show(outcome, message_id)

    async def run(self, stop: asyncio.Event) -> None:
        """Read lines until the end of input, `/quit` or `stop`; the first two set it."""
        lines: asyncio.Queue[str | None] = asyncio.Queue()
        loop = asyncio.get_running_loop()

        def post(line: str | None) -> None:
            with contextlib.suppress(RuntimeError):  # the loop has ended while somebody was still typing
                loop.call_soon_threadsafe(lines.put_nowait, line)

        # a daemon thread: a read that nobody ends must not keep the process alive
        threading.Thread(target=_read_lines, args=(post, self._screen.prompt), daemon=True, name="terminal").start()
        while not stop.is_set():
            line = await _next(lines, stop)
            if line is None or line.strip().casefold() in ("/quit", "/exit", "/sair"):
                stop.set()
                return
            await self.hear(line)

    def _show(self, outcome: Outcome, message_id: str | None) -> None:
        if outcome.notice:
            self._screen.line(f"({outcome.notice})")
        for reply in outcome.replies:
            self._screen.show(reply, edits=message_id)


async def _next(lines: asyncio.Queue[str | None], stop: asyncio.Event) -> str | None:
    reading = asyncio.ensure_future(lines.get())
    stopping = asyncio.ensure_future(stop.wait())
    await asyncio.wait({reading, stopping}, return_when=asyncio.FIRST_COMPLETED)
    stopping.cancel()
    if reading.done():
        return reading.result()
    reading.cancel()
    return None


def _read_lines(post: Callable[[str | None], None], prompt: str) -> None:
    with contextlib.suppress(ImportError):
        import readline  # noqa: F401 - gives `input` line editing and a history

    while True:
        try:
            line = input(prompt if sys.stdin.isatty() else "")
        except (EOFError, OSError, ValueError):
            post(None)
            return
        post(line)
