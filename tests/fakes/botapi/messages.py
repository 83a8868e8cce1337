"""A message as everybody in the chat sees it, with what became of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from tests.fakes.botapi.formatted import Entity, FormattedText
from tests.fakes.botapi.keyboards import Button, Keyboard
from tests.fakes.botapi.params import Upload

if TYPE_CHECKING:
    from tests.fakes.botapi.chats import Chat


class NoSuchButton(AssertionError):
    """A person cannot press what is not there."""


@dataclass(frozen=True, slots=True)
class Version:
    """What stood in a message from `at` on (seconds since the epoch)."""

    content: FormattedText
    keyboard: Keyboard
    at: float


@dataclass(eq=False, slots=True, kw_only=True)
class Message:
    """One message. Two are the same only if they are one object."""

    chat: Chat
    number: int
    at: float
    sender: dict[str, Any] | None
    """The author as the API shows it; None for channels and anonymous administrators."""
    by_bot: bool = False
    content: FormattedText = field(default_factory=FormattedText)
    keyboard: Keyboard = field(default_factory=Keyboard)
    silent: bool = False
    topic: int | None = None
    photo: Upload | None = None
    document: Upload | None = None
    file_id: str | None = None
    reply_to: Message | None = None
    service: dict[str, Any] = field(default_factory=dict)
    """Fields of a service message, such as new_chat_members."""
    earlier: list[Version] = field(default_factory=list)
    """The versions before the present one, oldest first."""
    edited_at: float | None = None
    deleted: bool = False

    @property
    def text(self) -> str:
        """What a person reads: text or caption, without markup."""
        return self.content.text

    @property
    def entities(self) -> tuple[Entity, ...]:
        return self.content.entities

    @property
    def sounded(self) -> bool:
        """Whether it made a sound when it came. Edits never do."""
        return not self.silent

    @property
    def edits(self) -> int:
        return len(self.earlier)

    @property
    def has_file(self) -> bool:
        return self.photo is not None or self.document is not None

    @property
    def rows(self) -> list[list[str]]:
        """Labels of the inline buttons, as they stand."""
        return [[button.text for button in row] for row in self.keyboard.rows]

    def button(self, label_or_data: str) -> Button:
        """The button with that label or callback data. Raises NoSuchButton, also when several have that label."""
        if self.deleted:
            raise NoSuchButton("the message has been deleted")
        buttons = self.keyboard.buttons()
        found = [one for one in buttons if one.data == label_or_data] or [
            one for one in buttons if one.text == label_or_data
        ]
        if len(found) != 1:
            raise NoSuchButton(f"{len(found)} buttons {label_or_data!r} among {[one.as_json() for one in buttons]}")
        return found[0]

    def change(self, content: FormattedText, keyboard: Keyboard, at: float) -> None:
        """Put a new version in place."""
        self.earlier.append(Version(self.content, self.keyboard, self.edited_at or self.at))
        self.content, self.keyboard, self.edited_at = content, keyboard, at

    def as_json(self, *, nested: bool = False) -> dict[str, Any]:
        """The Message object of the API; `nested` leaves the message it answers out."""
        body: dict[str, Any] = {"message_id": self.number, "date": int(self.at), "chat": self.chat.as_json()}
        if self.sender is not None:
            body["from"] = self.sender
        else:
            body["sender_chat"] = self.chat.as_json()
        if self.topic is not None:
            body |= {"message_thread_id": self.topic, "is_topic_message": True}
        if self.edited_at is not None:
            body["edit_date"] = int(self.edited_at)
        if self.reply_to is not None and not nested:
            body["reply_to_message"] = self.reply_to.as_json(nested=True)
        text, entities = ("caption", "caption_entities") if self.has_file else ("text", "entities")
        if self.content.text:
            body[text] = self.content.text
        if self.content.entities:
            body[entities] = [entity.as_json() for entity in self.content.entities]
        if (keyboard := self.keyboard.as_json()) is not None:
            body["reply_markup"] = keyboard
        return body | self._files() | self.service

    def _files(self) -> dict[str, Any]:
        if self.photo is not None:
            size = {"width": 900, "height": 500, "file_size": len(self.photo.content)}
            return {"photo": [{"file_id": self.file_id, "file_unique_id": f"u{self.file_id}", **size}]}
        if self.document is not None:
            about = {"file_name": self.document.name, "mime_type": self.document.mime_type}
            size = {"file_size": len(self.document.content)}
            return {"document": {"file_id": self.file_id, "file_unique_id": f"u{self.file_id}", **about, **size}}
        return {}

    def __repr__(self) -> str:
        mute = " silent" if self.silent else ""
        return f"<{'bot' if self.by_bot else 'person'} #{self.number}{mute} {self.text!r} {self.rows}>"
