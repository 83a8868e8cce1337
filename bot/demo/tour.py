"""The scripted tour: a rule made, nothing on offer and why, a card appearing, the alert, an answer, and the end of it.

It types like a person and waits for what follows; only what the stagehand does is arranged.
"""

from __future__ import annotations

import asyncio

from bot.channels import Outgoing
from bot.conversation import Key
from bot.demo.stagehand import Stagehand
from bot.language import Speech
from bot.product import Product
from bot.questions import matching
from bot.render.text import Links
from bot.terminal.channel import ScreenChannel
from bot.terminal.chat import TerminalChat
from bot.terminal.screen import Screen
from market.money import dollars

CARD = "H100 SXM"
USUAL_CEILING = 1.60
PAUSE_S = 0.8
"""Real seconds between two steps, so that a person can follow."""
PATIENCE_S = 15.0
"""Real seconds to wait for something that has to come."""


class WatchedChannel(ScreenChannel):
    """Notes what was shown, so that the tour can wait for it."""

    def __init__(self, screen: Screen, links: Links, speech: Speech) -> None:
        super().__init__(screen, links, speech)
        self.sent = asyncio.Event()
        self.edited = asyncio.Event()

    async def send(self, message: Outgoing) -> str | None:
        """Show an alert."""
        shown = await super().send(message)
        self.sent.set()
        return shown

    async def edit(self, chat: str, message_id: str, html: str, keys: tuple[tuple[Key, ...], ...] = ()) -> None:
        """Show an edit."""
        await super().edit(chat, message_id, html, keys)
        self.edited.set()


class Tour:
    """Plays the story once. `finished` tells whether all of it could be shown."""

    def __init__(
        self,
        *,
        product: Product,
        chat: TerminalChat,
        screen: Screen,
        channel: WatchedChannel,
        stagehand: Stagehand,
        speech: Speech,
    ) -> None:
        self._product = product
        self._chat = chat
        self._screen = screen
        self._channel = channel
        self._stagehand = stagehand
        self._speech = speech
        self.finished = False

    async def play(self) -> None:
        """The whole story."""
        await self._type("/start")
        text = f"{CARD} <={await asyncio.to_thread(self._ceiling):.2f} vast"
        await self._type(f"/watch {text}")
        await self._type("/why")
        machine = self._stagehand.bring(self._product.rules.read(text))
        self._screen.line(self._speech.text("[simulator] a host puts one {card} on offer", card=CARD))
        if machine is None or not await _within(self._channel.sent):
            self._screen.line(self._speech.text("the alert did not come in time: something is wrong, please report it"))
            return
        await asyncio.sleep(PAUSE_S)
        await self._type(f"/history {CARD}")
        self._stagehand.rent(machine)
        self._screen.line(self._speech.text("[simulator] somebody rents that {card}", card=CARD))
        if not await _within(self._channel.edited):
            self._screen.line(
                self._speech.text("the message was not edited in time: something is wrong, please report it")
            )
            return
        await asyncio.sleep(PAUSE_S)
        await self._type("/watches")
        self.finished = True

    async def _type(self, line: str) -> None:
        self._screen.typed(line)
        await self._chat.hear(line)
        await asyncio.sleep(PAUSE_S)

    def _ceiling(self) -> float:
        """A price under everything on offer, so that the rule has to wait."""
        offers = matching(self._product, self._product.rules.read(f"{CARD} vast"))
        best = min((dollars(each.offer.price) for each in offers), default=USUAL_CEILING)
        return max(round(min(best * 0.85, USUAL_CEILING), 2), 0.05)


async def _within(event: asyncio.Event) -> bool:
    try:
        async with asyncio.timeout(PATIENCE_S):
            await event.wait()
    except TimeoutError:
        return False
    return True
