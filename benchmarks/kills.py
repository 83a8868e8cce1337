"""Killed again and again: `atalaia run` meets SIGKILL in the middle of scans and deliveries, while both sides err.

Nothing that is put on offer ever leaves the market, so every alert stays true: each must reach each chat, and each
answer must be stored whole or not at all. One alert is on its way in a chat at a time: a kill may cost one duplicate
there.
"""

from __future__ import annotations

import asyncio
import signal
from collections import Counter
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.figure import Figure, Result
from benchmarks.size import Size
from scanners.simulator.faults import BrokenGzip, Refuse, WebPage
from scanners.simulator.faults import Drop as NoAnswer
from tests.end_to_end.house import SEARCH
from tests.end_to_end.nursery import Nursery
from tests.end_to_end.telegram.home import OWNER, alerts_in, number_of
from tests.end_to_end.telegram.machine import TelegramMachine, connected
from tests.fakes.botapi import Chat, Drop, Gate, Page, Slow, refusals

CLAIMS: Final = ("alerts lost by kills", "alerts told twice after kills, in the worst chat", "answers stored in part")
CHATS: Final = (OWNER, 222, 333)
BATCH: Final = 3
"""Cards that come up in one moment: an answer shows all of them or none, and a message has room for them."""
LOOK_S: Final = 0.2
LONGEST_LIFE_S: Final = 4.0
PATIENCE_S: Final = 30.0
_BAD_ANSWERS: Final = (
    Refuse(500, "oops"),
    Refuse(429, "too frequent"),
    WebPage(),
    BrokenGzip(),
    NoAnswer(),
)
_DOUBT: Final = (Drop(), Page())
_REFUSALS: Final = (Slow(0.2), refusals.server_error(502), refusals.too_many_requests(1))


@dataclass(kw_only=True)
class Toll:
    """What the kills have cost."""

    kills: int = 0
    alerts: int = 0
    lost: list[str] = field(default_factory=list)
    """Alerts that never came, and cards that nobody heard of."""
    twice: Counter[int] = field(default_factory=Counter)
    """Messages too many, by chat."""
    halves: list[str] = field(default_factory=list)
    """Cards of which an answer was stored in part, and what the database says of its own soundness."""
    by_moment: Counter[str] = field(default_factory=Counter)


def measure(size: Size) -> list[Result]:
    """Three counts that have a limit."""
    with TemporaryDirectory(prefix="atalaia-bench-") as folder:
        toll = asyncio.run(killed(size.kills, Random("kills"), Path(folder)))
    moments = ", ".join(f"{count} {moment}" for moment, count in sorted(toll.by_moment.items()))
    detail = f"{toll.kills} times kill -9 ({moments}), {toll.alerts} alerts to {len(CHATS)} chats, faults on both sides"
    return [
        Figure(claim=CLAIMS[0], measured=len(toll.lost), unit="alerts", at_most=0, detail=detail),
        Figure(
            claim=CLAIMS[1],
            measured=max(toll.twice.values(), default=0),
            unit="messages",
            at_most=toll.kills,
            detail=f"{toll.twice.total()} in all chats together",
        ),
        Figure(claim=CLAIMS[2], measured=len(toll.halves), unit="answers", at_most=0),
    ]


async def killed(kills: int, chance: Random, folder: Path, nursery: Nursery | None = None) -> Toll:
    """Start and kill it so many times, let it run once to the end, and count. With a nursery it starts sooner."""
    toll = Toll(kills=kills)
    async with connected(folder, nursery) as there:
        chats = [there.api.person(number).chat for number in CHATS]
        there.configure(dict.fromkeys(CHATS, "any <=5 vast"), users=CHATS)
        await there.machine.ask("status")  # makes the database
        supply = Supply(there, chance)
        rounds = [chance.sample(list(MOMENTS), len(MOMENTS)) for _ in range(-(-kills // len(MOMENTS)))]
        for moment in [moment for order in rounds for moment in order][:kills]:
            await _life(supply, moment)
            toll.by_moment[moment] += 1
            toll.halves += supply.unsound()
        await _last_life(supply, chats)
        toll.halves += supply.unsound()
        _count(supply, chats, toll)
    return toll


class Supply:
    """Brings cards to the market, so many in one moment, as soon as the last ones are known."""

    def __init__(self, there: TelegramMachine, chance: Random) -> None:
        self.there = there
        self.chance = chance
        self.brought: list[str] = []

    def stored(self) -> set[str]:
        """Cards that the database knows as on offer."""
        return {card for (card,) in self.there.rows("SELECT m.gpu FROM cur JOIN market m USING (market_id)")}

    async def stir(self) -> None:
        """Bring cards and let the market err, for as long as nobody stops it."""
        while True:
            if self.stored() == set(self.brought):
                self.there.machine.server.faults.add(self.chance.choice(_BAD_ANSWERS), path=SEARCH)
                for _ in range(BATCH):
                    self.brought.append(f"Card {len(self.brought) + 1:04d}")
                    self.there.market.vast.add_machine(self.brought[-1])
            await asyncio.sleep(self.chance.uniform(0.5, 3.0))

    def unsound(self) -> list[str]:
        """Answers that were stored in part, offers thought gone, and what the database says of its own soundness."""
        stored = self.stored()
        batches = [self.brought[start : start + BATCH] for start in range(0, len(self.brought), BATCH)]
        halves = [" ".join(batch) for batch in batches if 0 < len(stored.intersection(batch)) < BATCH]
        gone = [f"{count} thought gone" for (count,) in self.there.rows("SELECT count(*) FROM span") if count]
        checks = self.there.rows("PRAGMA integrity_check") + self.there.rows("PRAGMA foreign_key_check")
        return [*halves, *gone, *(str(check) for check in checks if check != ("ok",))]


async def _life(supply: Supply, moment: str) -> None:
    """One run up to its kill. Raises RuntimeError when it ends by itself."""
    there, chance = supply.there, supply.chance
    gate = Gate(reply=Drop() if moment == "before a message was taken" else None)
    if moment.endswith("was taken"):
        there.api.inject("sendMessage", gate, when="before" if gate.reply else "after")
    there.api.inject("sendMessage", chance.choice(_DOUBT))
    there.api.inject("sendMessage", chance.choice(_REFUSALS))
    run = await there.machine.start("run")
    stirring = asyncio.create_task(supply.stir())
    coming = asyncio.create_task(MOMENTS[moment](there, gate, chance))
    ending = asyncio.create_task(run.ends(PATIENCE_S))
    await asyncio.wait({stirring, coming, ending}, timeout=PATIENCE_S, return_when=asyncio.FIRST_COMPLETED)
    if not coming.done():
        coming.cancel()
        raise RuntimeError(f"it did not come so far as to be killed {moment}:\n{run.out}\n{run.err}")
    run.signal(signal.SIGKILL)
    await ending
    stirring.cancel()
    gate.open()
    there.api.heal()
    there.machine.server.faults.clear()


async def _at_the_gate(there: TelegramMachine, gate: Gate, chance: Random) -> None:
    await gate.reached.wait()


async def _sending(there: TelegramMachine, gate: Gate, chance: Random) -> None:
    await there.api.next_calls("sendMessage", len(there.api.calls("sendMessage")) + 1, PATIENCE_S)
    await asyncio.sleep(chance.uniform(0, 0.03))


async def _storing(there: TelegramMachine, gate: Gate, chance: Random) -> None:
    rows = sum(entry.rows for entry in there.machine.server.journal.of(SEARCH))
    while sum(entry.rows for entry in there.machine.server.journal.of(SEARCH)) == rows:
        await there.machine.answers(1)
    await asyncio.sleep(chance.uniform(0, 0.03))


async def _whenever(there: TelegramMachine, gate: Gate, chance: Random) -> None:
    await asyncio.sleep(chance.uniform(0.2, LONGEST_LIFE_S))


MOMENTS: Final[Mapping[str, Callable[[TelegramMachine, Gate, Random], Coroutine[None, None, None]]]] = {
    "after a message was taken": _at_the_gate,
    "before a message was taken": _at_the_gate,
    "while sending": _sending,
    "while storing": _storing,
    "at any time": _whenever,
}


async def _last_life(supply: Supply, chats: list[Chat]) -> None:
    """Run until everything is told, or nothing more comes: what is missing then is counted."""
    run = await supply.there.machine.start("run")
    pending = "SELECT count(*) FROM outbox WHERE state IN ('queued', 'held')"
    left, waited_s = -1, 0.0
    while left and waited_s < PATIENCE_S:
        await asyncio.sleep(LOOK_S)
        before, left = left, len(_untold(supply, chats)) + supply.there.rows(pending)[0][0]
        waited_s = waited_s + LOOK_S if left == before else 0.0
    run.signal(signal.SIGTERM)
    await run.ends()


def _untold(supply: Supply, chats: list[Chat]) -> list[str]:
    texts = {chat.number: "\n".join(message.text for message in alerts_in(chat)) for chat in chats}
    return [f"{card} in {number}" for number, text in texts.items() for card in supply.brought if card not in text]


def _count(supply: Supply, chats: list[Chat], toll: Toll) -> None:
    toll.lost += _untold(supply, chats)
    for id_, state, reason in supply.there.rows("SELECT id, state, reason FROM outbox"):
        toll.alerts += 1
        if state != "sent":
            toll.lost.append(f"alert {id_}: {state}, {reason}")
    for chat in chats:
        numbers = Counter(number_of(message) for message in alerts_in(chat))
        toll.twice[chat.number] = numbers.total() - len(numbers)
