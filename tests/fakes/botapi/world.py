"""What exists behind the API: the bot, chats, files, commands, and how news of them becomes updates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.fakes.botapi import refusals
from tests.fakes.botapi.bell import Bell
from tests.fakes.botapi.chats import Chat, Standing
from tests.fakes.botapi.clock import Clock
from tests.fakes.botapi.formatted import FormattedText
from tests.fakes.botapi.limits import FloodLimits
from tests.fakes.botapi.messages import Message
from tests.fakes.botapi.params import Upload
from tests.fakes.botapi.updates import UpdateQueue

BOT_ID = 1_000_000_001


@dataclass(frozen=True, slots=True)
class Toast:
    """The bot's answer to a tap: a short notice, or with `alert` a box to close."""

    text: str
    alert: bool


class Tap:
    """A press of a button, waiting for its answer."""

    def __init__(self, bell: Bell, number: str, message: Message, at: float) -> None:
        self.number = number
        self.message = message
        self.at = at
        self.toast: Toast | None = None
        self._bell = bell

    async def answered(self, seconds: float = 2.0) -> Toast:
        """The answer, as soon as it is there. Raises NothingCame: the button would spin."""
        return await self._bell.until(
            lambda: self.toast,
            seconds=seconds,
            waiting_for="answer to the tap",
            instead=self.message.chat.transcript,
        )


class World:
    """The state that methods and people share."""

    def __init__(self, clock: Clock, *, username: str, privacy: bool, query_seconds: float) -> None:
        self.clock = clock
        self.username = username
        self.privacy = privacy
        """With privacy on, the bot hears only commands, and answers to it, in groups."""
        self.query_seconds = query_seconds
        self.bell = Bell()
        self.limits = FloodLimits(clock)
        self.updates = UpdateQueue(self.bell)
        self.chats: dict[int, Chat] = {}
        self.taps: dict[str, Tap] = {}
        self.files: dict[str, Upload] = {}
        self.commands: dict[tuple[str, str], list[dict[str, str]]] = {}
        """By scope (JSON with sorted keys) and language."""
        self.webhook = ""

    def bot(self) -> dict[str, Any]:
        """The bot as a User object."""
        return {"id": BOT_ID, "is_bot": True, "first_name": "Fake bot", "username": self.username}

    def settle(self, chat: Chat) -> None:
        """Give a chat its place. Raises ValueError when the id is taken."""
        if chat.number in self.chats:
            raise ValueError(f"there is a chat {chat.number} already")
        self.chats[chat.number] = chat

    def chat(self, number: int | str | None) -> Chat:
        """The chat of that id. Raises Refusal: chat not found."""
        found = self.chats.get(number) if isinstance(number, int) else None
        if found is None:
            raise refusals.bad_request("chat_id is empty") if number in (None, "") else refusals.chat_not_found()
        return found

    def writable(self, number: int | str | None) -> Chat:
        """The chat, if the bot may write there. Raises Refusal."""
        chat = self.chat(number)
        if (refusal := chat.refusal()) is not None:
            raise refusal
        return chat

    def readable(self, number: int | str | None) -> Chat:
        """The chat, if the bot may look at it: a person who blocked it can still be looked up. Raises Refusal."""
        chat = self.chat(number)
        return chat if chat.kind == "private" or chat.standing is Standing.MUTED else self.writable(number)

    def keep(self, upload: Upload) -> str:
        """Store a file; its id."""
        file_id = f"file{len(self.files) + 1}"
        self.files[file_id] = upload
        return file_id

    def hears(self, message: Message) -> bool:
        """Whether the bot is told of a person's message."""
        chat = message.chat
        if chat.kind == "private":
            return True
        if chat.refusal() is not None and chat.standing is not Standing.MUTED:
            return False
        if not self.privacy or chat.kind == "channel" or message.service:
            return True
        if message.reply_to is not None and message.reply_to.by_bot:
            return True
        return any(self._addressed(message.content, command) for command in message.content.styled("bot_command"))

    def tell(self, kind: str, message: Message) -> None:
        """Put a message into the chat's log, if it is new, and before the bot, if it hears it."""
        if message not in message.chat.log:
            message.chat.add(message)
        if self.hears(message):
            self.updates.push(kind, message.as_json())

    def _addressed(self, content: FormattedText, command: str) -> bool:
        _, _, name = command.partition("@")
        return not name or name.lower() == self.username.lower()
