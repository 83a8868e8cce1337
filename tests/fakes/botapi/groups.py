"""Groups and channels: what happens in them without a person's name on it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from tests.fakes.botapi.chats import Chat, Kind
from tests.fakes.botapi.formatted import typed_by_person
from tests.fakes.botapi.messages import Message
from tests.fakes.botapi.topics import GENERAL
from tests.fakes.botapi.world import World


class Group(Chat):
    """A group or supergroup, with topics if it is a forum."""

    def __init__(self, world: World, number: int, kind: Kind, title: str, topics: Iterable[int]) -> None:
        super().__init__(world.bell, number, kind, title, topics)
        world.settle(self)
        self._world = world

    def anonymous_says(self, text: str, topic: int | None = None) -> Message:
        """An administrator writes in the group's name: the message has no `from`."""
        message = self._nameless(topic)
        message.content = typed_by_person(text)
        self._world.tell("message", message)
        return message

    def migrates(self, new_number: int) -> Group:
        """Become a supergroup of another id: a service message in each, and the old id refuses from now on."""
        new = Group(self._world, new_number, "supergroup", self.title, self.topics.open)
        new.members = dict(self.members)
        left = self._nameless(None, migrate_to_chat_id=new_number)
        self._world.tell("message", left)
        self.migrated_to = new
        self._world.tell("message", new._nameless(None, migrate_from_chat_id=self.number))
        return new

    def opens_topic(self, number: int) -> None:
        """Make a topic, which makes the group a forum, or open a closed one again. 1 is the general topic."""
        reopened = number in self.topics.closed
        self.topics.add(number)
        if reopened:
            self._world.tell("message", self._nameless(number, forum_topic_reopened={}))

    def closes_topic(self, number: int) -> None:
        """Nobody writes there until it is opened again; what is there stays."""
        self.topics.close(number)
        self._world.tell("message", self._nameless(number, forum_topic_closed={}))

    def deletes_topic(self, number: int) -> None:
        """Delete a topic and all that is in it. The bot is told nothing."""
        self.topics.remove(number)
        for message in self.log:
            message.deleted = message.deleted or message.topic == number

    def _nameless(self, topic: int | None, **service: Any) -> Message:
        number, at = self.next_number(), self._world.clock()
        topic = None if topic == GENERAL else topic
        return Message(chat=self, number=number, at=at, sender=None, topic=topic, service=service)


class Channel(Chat):
    """A channel that the bot administers."""

    def __init__(self, world: World, number: int, title: str) -> None:
        super().__init__(world.bell, number, "channel", title)
        world.settle(self)
        self._world = world

    def posts(self, text: str) -> Message:
        """A post: the update is a channel_post, nobody is its author."""
        message = Message(chat=self, number=self.next_number(), at=self._world.clock(), sender=None)
        message.content = typed_by_person(text)
        self._world.tell("channel_post", message)
        return message

    def edits_post(self, message: Message, text: str) -> None:
        message.change(typed_by_person(text), message.keyboard, self._world.clock())
        self._world.tell("edited_channel_post", message)
