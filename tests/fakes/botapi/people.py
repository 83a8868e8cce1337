"""People in chats. What they do becomes updates; what they cannot do raises an error in the test."""

from __future__ import annotations

from typing import Any

from tests.fakes.botapi.chats import Chat, Standing
from tests.fakes.botapi.formatted import FormattedText, typed_by_person, utf16_length
from tests.fakes.botapi.messages import Message, NoSuchButton
from tests.fakes.botapi.params import Upload
from tests.fakes.botapi.world import Tap, World

TEXT_UNITS = 4096
_BOT_STATUS = {Standing.BLOCKED: "kicked", Standing.KICKED: "kicked", Standing.LEFT: "left"}


class Person:
    """Somebody with an account. `chat` is the private chat with the bot."""

    def __init__(self, world: World, number: int, name: str, language: str, *, started: bool) -> None:
        self.number = number
        self.name = name
        self.language = language
        self.chat = Chat(world.bell, number, "private", name)
        self.chat.standing = Standing.MEMBER if started else Standing.NOT_STARTED
        world.settle(self.chat)
        self._world = world

    def as_json(self) -> dict[str, Any]:
        return {"id": self.number, "is_bot": False, "first_name": self.name, "language_code": self.language}

    def tells(self, text: str) -> Message:
        """Write to the bot in private."""
        return self.says(self.chat, text)

    def says(self, chat: Chat, text: str, topic: int | None = None, reply_to: Message | None = None) -> Message:
        """Write a message. Writing in private starts a conversation, but does not lift a block."""
        message = self._message(chat, topic)
        message.content = _typed(text)
        message.reply_to = reply_to
        self._world.tell("message", message)
        return message

    def shows(self, chat: Chat, photo: bytes, caption: str = "", topic: int | None = None) -> Message:
        """Send a photo."""
        message = self._message(chat, topic)
        message.photo = Upload("photo.jpg", photo, "image/jpeg")
        message.file_id = self._world.keep(message.photo)
        message.content = typed_by_person(caption)
        self._world.tell("message", message)
        return message

    def edits(self, message: Message, text: str) -> None:
        """Change a message of one's own."""
        if message.sender is None or message.sender["id"] != self.number:
            raise ValueError("only one's own messages can be edited")
        message.change(_typed(text), message.keyboard, self._world.clock())
        self._world.tell("edited_message", message)

    def taps(self, message: Message, label_or_data: str) -> Tap:
        """Press an inline button. Raises NoSuchButton for one that is not on the message, or that only opens a link."""
        button = message.button(label_or_data)
        if button.data is None:
            raise NoSuchButton(f"{button.text!r} tells the bot nothing when pressed")
        tap = Tap(self._world.bell, str(9_000_001 + len(self._world.taps)), message, self._world.clock())
        self._world.taps[tap.number] = tap
        query = {
            "id": tap.number,
            "from": self.as_json(),
            "message": message.as_json(),
            "chat_instance": str(message.chat.number),
            "data": button.data,
        }
        self._world.updates.push("callback_query", query)
        return tap

    def blocks_bot(self) -> None:
        self._bot_becomes(self.chat, Standing.BLOCKED)

    def unblocks_bot(self) -> None:
        """Lift the block, which the Start button does before it sends /start."""
        self._bot_becomes(self.chat, Standing.MEMBER)

    def deactivates(self) -> None:
        """Delete the account. Nobody is told."""
        self.chat.standing = Standing.DEACTIVATED

    def joins(self, chat: Chat, status: str = "member") -> None:
        """Enter a group, with a service message; `status` creator or administrator gives rights."""
        before = chat.members.get(self.number, "left")
        chat.members[self.number] = status
        self._service(chat, new_chat_members=[self.as_json()])
        self._member_changes(chat, before, status)

    def leaves(self, chat: Chat) -> None:
        before = chat.members.pop(self.number, "left")
        self._service(chat, left_chat_member=self.as_json())
        self._member_changes(chat, before, "left")

    def adds_bot(self, chat: Chat) -> None:
        self._bot_becomes(chat, Standing.MEMBER)
        self._service(chat, new_chat_members=[self._world.bot()])

    def removes_bot(self, chat: Chat) -> None:
        self._bot_becomes(chat, Standing.KICKED)

    def _message(self, chat: Chat, topic: int | None) -> Message:
        if chat.kind == "channel":
            raise ValueError("people do not write in channels; use Channel.posts")
        if chat.migrated_to is not None:
            raise ValueError("the group has become a supergroup; write there")
        if chat.kind == "private" and chat is not self.chat:
            raise ValueError("that is somebody else's private chat")
        if chat.standing in (Standing.BLOCKED, Standing.DEACTIVATED):
            raise ValueError(f"{chat.standing}: nothing can be written")
        if (refusal := chat.topics.refusal(topic)) is not None:
            raise ValueError(f"topic {topic} of {chat.title}: {refusal.description}")
        if chat.standing is Standing.NOT_STARTED:
            chat.standing = Standing.MEMBER
        if chat.kind != "private":
            chat.members.setdefault(self.number, "member")
        sender, at = self.as_json(), self._world.clock()
        return Message(chat=chat, number=chat.next_number(), at=at, sender=sender, topic=topic)

    def _service(self, chat: Chat, **fields: Any) -> None:
        message = self._message(chat, None)
        message.service = fields
        if "left_chat_member" in fields:
            chat.members.pop(self.number, None)
        self._world.tell("message", message)

    def _member_changes(self, chat: Chat, before: str, after: str) -> None:
        self._changed("chat_member", chat, self.as_json(), before, after)

    def _bot_becomes(self, chat: Chat, standing: Standing) -> None:
        before, chat.standing = chat.standing, standing
        statuses = [_BOT_STATUS.get(one, "member") for one in (before, standing)]
        self._changed("my_chat_member", chat, self._world.bot(), *statuses)

    def _changed(self, kind: str, chat: Chat, user: dict[str, Any], before: str, after: str) -> None:
        change = {
            "chat": chat.as_json(),
            "from": self.as_json(),
            "date": int(self._world.clock()),
            "old_chat_member": member_json(user, before),
            "new_chat_member": member_json(user, after),
        }
        self._world.updates.push(kind, change)


def member_json(user: dict[str, Any], status: str) -> dict[str, Any]:
    """A ChatMember object with every field its status must have."""
    body: dict[str, Any] = {"user": user, "status": status}
    if status == "kicked":
        body["until_date"] = 0
    if status in ("creator", "administrator"):
        body["is_anonymous"] = False
    if status == "administrator":
        rights = (
            "manage_chat delete_messages manage_video_chats restrict_members promote_members "
            "change_info invite_users post_stories edit_stories delete_stories"
        )
        body |= {"can_be_edited": False} | {f"can_{right}": True for right in rights.split()}
    return body


def _typed(text: str) -> FormattedText:
    content = typed_by_person(text)
    if not content.text or utf16_length(content.text) > TEXT_UNITS:
        raise ValueError("a client sends 1 to 4,096 characters at once")
    return content
