"""A watch (a rule of somebody in a chat) and the memory of what that chat was told about it.

What was told is kept apart from what is true: deduplication, cool-down and re-arming work on the memory, which
outlives restarts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from types import MappingProxyType
from typing import Final, Literal, NamedTuple

from market.offer import Offer
from market.rule import Rule

WatchState = Literal["active", "paused", "snoozed", "done", "ended"]
Origin = Literal["chat", "cli", "file"]

_NOTHING: Final[Mapping[str, Missing]] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True, slots=True)
class Watch:
    """A rule that somebody wants watched. `chat` is a chat id as text, or `terminal`."""

    id: int
    chat: str
    rule: Rule
    text: str
    """The rule in canonical form."""
    name: str | None = None
    origin: Origin = "chat"
    topic: str | None = None
    """The topic of the chat in which it was made: where its alerts go. None: the chat itself."""
    author: str | None = None
    """Who made it in the chat; None where that is the chat itself, or the operator."""
    state: WatchState = "active"
    barred: bool = False
    """Whether it rests, whatever its state, because its chat or author is not on the lists of the configuration."""
    set_at: datetime
    """When the rule was made, last edited or resumed: what is known from before was not asked for it."""
    passed: frozenset[str] = frozenset()
    """Markets whose first pass is over (or whose stored offers were told in the reply)."""
    answered: frozenset[str] = frozenset()
    """Texts of the coverages that have been answered in a first pass that is still going on."""


@dataclass(frozen=True, slots=True)
class Missing:
    """For how long a key that matched in an episode has been absent, or no longer matches."""

    misses: int
    """Consecutive complete answers, covering the key, that lacked it or showed that it no longer matches."""
    since: datetime
    last: Offer
    """The offer as last seen: it tells which answers cover the key."""


class Episode(NamedTuple):
    """The time during which a rule and one of its cards match. Told once, and again only when clearly better.

    A NamedTuple and not a dataclass, because an answer replaces hundreds.
    """

    watch_id: int
    card: str
    number: int
    """Unique; part of the deduplication key."""
    opened_at: datetime
    members: frozenset[str]
    """The keys that matched in it, but for those that have been missing for long enough."""
    missing: Mapping[str, Missing] = _NOTHING
    """Those of the members that are missing, which are few."""
    told_price: int | None = None
    """Micro-dollars per GPU-hour last told; None while nothing was told in this episode."""

    @property
    def place(self) -> tuple[int, str]:
        """What it is known by: (watch id, card)."""
        return self.watch_id, self.card


@dataclass(frozen=True, kw_only=True, slots=True)
class Told:
    """When a key was last told to a watch's chat, and how long it now has to wait before it is told again."""

    watch_id: int
    key: str
    told_at: datetime
    wait_s: float


@dataclass(slots=True)
class Memory:
    """All that was told, as one mutable working copy: the store loads it, decisions change it, the store saves the
    difference."""

    episodes: dict[tuple[int, str], Episode] = field(default_factory=dict)
    """By (watch id, card)."""
    told: dict[tuple[int, str], Told] = field(default_factory=dict)
    """By (watch id, key)."""
    by_key: dict[str, set[tuple[int, str]]] = field(default_factory=dict)
    """Key of a member to the episodes that hold it."""
    ailing: set[str] = field(default_factory=set)
    """Keys that are missing, or no longer match, in some episode."""

    def put(self, episode: Episode) -> None:
        """Add or replace an episode."""
        place = episode.place
        before = self.episodes.get(place)
        self.episodes[place] = episode
        members = before.members if before else frozenset()
        missing = before.missing if before else _NOTHING
        if members is not episode.members:
            for key in episode.members - members:
                self.by_key.setdefault(key, set()).add(place)
            for key in members - episode.members:
                self._leave(key, place)
        if missing is not episode.missing:
            self.ailing.update(episode.missing)
            for key in missing.keys() - episode.missing.keys():
                self._recover(key)

    def drop(self, place: tuple[int, str]) -> None:
        """Forget an episode, if there is one."""
        episode = self.episodes.pop(place, None)
        if episode is not None:
            for key in episode.members:
                self._leave(key, place)
            for key in episode.missing:
                self._recover(key)

    def _leave(self, key: str, place: tuple[int, str]) -> None:
        holders = self.by_key[key]
        holders.discard(place)
        if not holders:
            del self.by_key[key]

    def _recover(self, key: str) -> None:
        """One episode misses the key no more: it stays in `ailing` if another still does."""
        if not any(key in self.episodes[holder].missing for holder in self.by_key.get(key, ())):
            self.ailing.discard(key)
