"""Processes of the product without the second that starting Python and loading the product takes each of them.

A helper process loads the product once and forks a child for every command that is asked for. A child is a process
of its own: its own environment, folder, streams and end, to be signalled and killed by its number. It runs the
product's `main` as `python -m bot` does and leaves by the ordinary end of the interpreter. Nothing of the product is
replaced or made ready but its modules: no database, event loop or thread exists before the fork.

What only a starting interpreter obeys (its options, `PYTHON…` variables, closed streams) cannot be tried with it.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages
from typing import Final, Self

ROOT: Final = Path(__file__).parents[2]
LONGEST_REQUEST: Final = 64 * 1024
PATIENCE_S: Final = 20.0
_LOADED_LATER: Final = ("alembic.command", "anyio._backends._asyncio", "sqlalchemy.dialects.sqlite", "telegram.ext")
"""What the product, or a library, loads in the middle of its work."""


class Child:
    """A running child, with the part of `asyncio.subprocess.Process` that is needed here."""

    def __init__(self, pid: int, out: Stream, err: Stream, report: Stream) -> None:
        self.pid = pid
        self.stdout, self.stderr = out.reader, err.reader
        self._streams = (out, err, report)
        self._end = asyncio.create_task(_reported(report.reader))

    @property
    def returncode(self) -> int | None:
        """How it ended, negative for a signal; None while it runs."""
        return self._end.result() if self._end.done() else None

    async def wait(self) -> int:
        """Wait for its end."""
        return await asyncio.shield(self._end)

    def send_signal(self, number: int) -> None:
        """Send it a signal, unless it has ended."""
        if self.returncode is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        """End it at once."""
        self.send_signal(signal.SIGKILL)

    def close(self) -> None:
        """Read nothing more."""
        for stream in self._streams:
            stream.transport.close()


class Stream:
    """The reading end of a pipe."""

    def __init__(self, reader: asyncio.StreamReader, transport: asyncio.BaseTransport) -> None:
        self.reader = reader
        self.transport = transport

    @classmethod
    async def of(cls, end: int) -> Self:
        """Read from a descriptor, which is closed with the stream."""
        reader = asyncio.StreamReader()
        protocol = asyncio.StreamReaderProtocol(reader)
        transport, _ = await asyncio.get_running_loop().connect_read_pipe(lambda: protocol, os.fdopen(end, "rb"))
        return cls(reader, transport)


class Nursery:
    """The helper, from `with` to the end of the block or of this process, however that comes. No child outlives it."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = dict(environment)

    def __enter__(self) -> Self:
        self._control, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self._helper = subprocess.Popen(
                [sys.executable, "-m", "tests.end_to_end.nursery", str(theirs.fileno())],
                cwd=ROOT,
                env=self._environment,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,
            )
        return self

    def __exit__(self, *_: object) -> None:
        self._control.close()
        try:
            self._helper.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._helper.kill()
            self._helper.wait()

    async def start(self, words: Sequence[str], *, folder: Path, environment: Mapping[str, str]) -> Child:
        """Run the product with these words."""
        request = {"words": list(words), "folder": str(folder), "environment": dict(environment)}
        ours, theirs = zip(*(os.pipe() for _ in range(3)), strict=True)
        try:
            socket.send_fds(self._control, [json.dumps(request).encode()], theirs)
        finally:
            for end in theirs:
                os.close(end)
        out, err, report = [await Stream.of(end) for end in ours]
        async with asyncio.timeout(PATIENCE_S):
            return Child(int(await report.reader.readline()), out, err, report)


async def _reported(report: asyncio.StreamReader) -> int:
    last = await report.read()
    return int(last or -signal.SIGKILL)  # nobody reports on those that go with the helper


# -- the helper's side ----------------------------------------------------------------------------------------------


def serve(control: socket.socket) -> list[str]:
    """Fork a child for each request, and return in the child: the words that it is to run.

    When nobody is left to ask, the helper takes its whole process group with it.
    """
    while True:
        text, descriptors, _, _ = socket.recv_fds(control, LONGEST_REQUEST, 3)
        _forget_the_dead()
        if not text:
            os.killpg(os.getpid(), signal.SIGKILL)
        if os.fork() == 0:
            control.close()
            request = json.loads(text)
            _attend(descriptors[2], streams=descriptors[:2])
            _settle(request["folder"], request["environment"], streams=descriptors[:2])
            return list(request["words"])
        for descriptor in descriptors:
            os.close(descriptor)


def _forget_the_dead() -> None:
    with suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


def _attend(report: int, *, streams: Sequence[int]) -> None:
    """Fork once more, and return in the child only: its parent stays to see how it ends, and reports that."""
    pid = os.fork()
    if pid == 0:
        os.close(report)
        return
    for descriptor in streams:  # they end when the child has ended
        os.close(descriptor)
    os.write(report, f"{pid}\n".encode())
    _, status = os.waitpid(pid, 0)
    os.write(report, f"{os.waitstatus_to_exitcode(status)}\n".encode())
    os._exit(0)


def _settle(folder: str, environment: Mapping[str, str], *, streams: Sequence[int]) -> None:
    """Make a forked process what a started one would be."""
    for target, descriptor in enumerate(streams, start=1):
        os.dup2(descriptor, target)
        os.close(descriptor)
    # the helper's own objects know whether the files that they were made for can be rewound
    sys.stdout = os.fdopen(1, "w", closefd=False)
    sys.stderr = os.fdopen(2, "w", buffering=1, errors="backslashreplace", closefd=False)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    time.tzset()


def load() -> None:
    """Load every module of the product that a command may load, and what those load in the middle of their work."""
    for package in ("bot", "scanners.markets"):
        for module in walk_packages(import_module(package).__path__, f"{package}."):
            import_module(module.name)
    for name in _LOADED_LATER:
        import_module(name)
    if threading.active_count() > 1:
        raise RuntimeError("a module starts a thread when it is loaded: it would be missing in every child")


def main() -> None:
    """Be the helper, and in each child the product."""
    load()
    words = serve(socket.socket(fileno=int(sys.argv[1])))
    import_module("bot.__main__").main(words)


if __name__ == "__main__":
    main()
