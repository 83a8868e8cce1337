"""Chats: what was said in them, how the bot stands there, and waiting for what it says next."""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Literal

from tests.fakes.botapi import refusals
from tests.fakes.botapi.bell import Bell
from tests.fakes.botapi.messages import Message
from tests.fakes.botapi.refusals import Refusal
from tests.fakes.botapi.topics import Topics

Kind = Literal["private", "group", "supergroup", "channel"]
WAIT = 2.0
"""Seconds of real time a test waits for something that should come at once."""


class Standing(StrEnum):
    """How the bot stands in a chat."""

    MEMBER = "member"
    MUTED = "muted"
    LEFT = "left"
    KICKED = "kicked"
    NOT_STARTED = "not started"
    BLOCKED = "blocked"
    DEACTIVATED = "deactivated"


class Chat:
    """One chat. Message numbers start at 1 in each, so that only chat and number together name a message."""

    def __init__(self, bell: Bell, number: int, kind: Kind, title: str, topics: Iterable[int] = ()) -> None:
        self.number = number
        self.kind = kind
        self.title = title
        self.topics = Topics(topics)
        self.standing = Standing.MEMBER
        self.migrated_to: Chat | None = None
        self.members: dict[int, str] = {}
        """Status of each person by user id: creator, administrator, member, left, kicked."""
        self.log: list[Message] = []
        """Every message, deleted ones too."""
        self.edited: list[Message] = []
        """The bot's messages in the order of its edits."""
        self.actions: list[str] = []
        """What the bot was shown doing, such as "typing"."""
        self._bell = bell
        self._messages_taken = 0
        self._edits_taken = 0

    @property
    def messages(self) -> list[Message]:
        """What is visible, oldest first."""
        return [message for message in self.log if not message.deleted]

    @property
    def from_bot(self) -> list[Message]:
        """What is visible of the bot."""
        return [message for message in self.messages if message.by_bot]

    @property
    def sounds(self) -> int:
        """How many sounds the bot has made here."""
        return sum(message.by_bot and message.sounded for message in self.log)

    async def next_message(self, seconds: float = WAIT) -> Message:
        """The bot's next message that this has not given yet. Raises NothingCame."""
        message = await self._bell.until(
            lambda: next(iter(self._sent()[self._messages_taken :]), None),
            seconds=seconds,
            waiting_for=f"message in {self.title}",
            instead=self.transcript,
        )
        self._messages_taken += 1
        return message

    async def next_edit(self, seconds: float = WAIT) -> Message:
        """The message of the bot's next edit that this has not given yet. Raises NothingCame."""
        message = await self._bell.until(
            lambda: next(iter(self.edited[self._edits_taken :]), None),
            seconds=seconds,
            waiting_for=f"edit in {self.title}",
            instead=self.transcript,
        )
        self._edits_taken += 1
        return message

    def pending(self) -> list[Message]:
        """The bot's messages that `next_message` has not given yet."""
        return self._sent()[self._messages_taken :]

    def transcript(self) -> str:
        """The chat as a page: who said what, how often edited, with buttons in brackets."""
        lines = []
        for message in self.messages:
            who = "bot" if message.by_bot else (message.sender or {}).get("first_name", self.title)
            marks = [mark for mark, holds in (("silent", message.silent), ("photo", message.photo)) if holds]
            marks += [f"edited {message.edits}x"] if message.edits else []
            note = f" ({', '.join(marks)})" if marks else ""
            text = message.text or ", ".join(message.service)
            lines.append(f"{who}{note}: {text}")
            lines += ["  " + " ".join(f"[{label}]" for label in row) for row in message.rows]
        return "\n".join(lines)

    def find(self, number: int) -> Message | None:
        """The visible message of that number."""
        return next((message for message in self.messages if message.number == number), None)

    def add(self, message: Message) -> None:
        self.log.append(message)
        self._bell.ring()

    def next_number(self) -> int:
        return len(self.log) + 1

    def refusal(self) -> Refusal | None:
        """Why the bot cannot write here, if it cannot."""
        if self.migrated_to is not None:
            return refusals.migrated(self.migrated_to.number)
        match self.standing:
            case Standing.MEMBER:
                return None
            case Standing.MUTED:
                return refusals.no_rights()
            case Standing.LEFT:
                return refusals.not_a_member(self.kind)
            case Standing.KICKED:
                return refusals.kicked(self.kind)
            case Standing.NOT_STARTED:
                return refusals.cannot_initiate()
            case Standing.BLOCKED:
                return refusals.blocked()
            case Standing.DEACTIVATED:
                return refusals.deactivated()

    def as_json(self) -> dict[str, Any]:
        if self.kind == "private":
            return {"id": self.number, "type": self.kind, "first_name": self.title}
        body: dict[str, Any] = {"id": self.number, "type": self.kind, "title": self.title}
        if self.topics.forum:
            body["is_forum"] = True
        return body

    def _sent(self) -> list[Message]:
        return [message for message in self.log if message.by_bot]
