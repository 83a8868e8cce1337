"""The topics of a forum: which there are, which are closed, and what the server says of the others.

Messages of the general topic carry no topic number, and the server refuses its number 1 as it does one that never was.
"""

from __future__ import annotations

from collections.abc import Iterable

from tests.fakes.botapi import refusals
from tests.fakes.botapi.refusals import Refusal

GENERAL = 1


class Topics:
    """The topics of one chat; a chat that never had any is no forum."""

    def __init__(self, numbers: Iterable[int] = ()) -> None:
        self.open = set(numbers)
        self.closed: set[int] = set()
        self.forum = bool(self.open)
        if self.forum:
            self.open.add(GENERAL)

    def add(self, number: int) -> None:
        """Make or reopen a topic."""
        self.forum = True
        self.closed.discard(number)
        self.open |= {GENERAL, number} - self.closed

    def close(self, number: int) -> None:
        """Close a topic. Raises KeyError if it is not open."""
        self.open.remove(number)
        self.closed.add(number)

    def remove(self, number: int) -> None:
        """Delete a topic. Raises ValueError for the general one, KeyError for one that is not there."""
        if number == GENERAL:
            raise ValueError("the general topic cannot be deleted")
        (self.open if number in self.open else self.closed).remove(number)

    def refusal(self, topic: int | None) -> Refusal | None:
        """Why nothing can be written to a topic, None being the chat itself; None if it can."""
        place = GENERAL if topic is None else topic
        if topic == GENERAL or (topic is not None and topic not in self.open | self.closed):
            return refusals.thread_not_found()
        return refusals.topic_closed() if place in self.closed else None
