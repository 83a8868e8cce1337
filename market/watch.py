"""A watch (a rule of somebody in a chat) and the memory of what that chat was told about it.

What was told is kept apart from what is true: deduplication, cool-down and re-arming work on the memory, which
outlives restarts.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Literal

from market.offer import Offer
from market.rule import Rule

WatchState = Literal["active", "paused", "snoozed", "done", "ended"]
Origin = Literal["chat", "cli", "file"]


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
    state: WatchState = "active"
    set_at: datetime
    """When the rule was made, last edited or resumed: what is known from before was not asked for it."""
    passed: frozenset[str] = frozenset()
    """Markets whose first pass is over (or whose stored offers were told in the reply)."""
    answered: frozenset[str] = frozenset()
    """Texts of the coverages that have been answered in a first pass that is still going on."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Member:
    """One key that matched in an episode, and for how long it has been missing or no longer matching."""

    misses: int = 0
    """Consecutive complete answers, covering the key, that lacked it or showed that it no longer matches."""
    missing_since: datetime | None = None
    last: Offer | None = None
    """The offer as last seen, kept while it is missing: it tells which answers cover the key."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Episode:
    """The time during which a rule and one of its cards match. Told once, and again only when clearly better."""

    watch_id: int
    card: str
    number: int
    """Unique; part of the deduplication key."""
    opened_at: datetime
    members: Mapping[str, Member]
    told_price: int | None = None
    """Micro-dollars per GPU-hour last told; None while nothing was told in this episode."""


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
        place = (episode.watch_id, episode.card)
        before = self.episodes.get(place)
        self.episodes[place] = episode
        known = {} if before is None else before.members
        for key, member in known.items():
            if key not in episode.members:
                self._leave(key, member, place)
        for key, member in episode.members.items():
            was = known.get(key)
            if was is member:
                continue
            if was is None:
                self.by_key.setdefault(key, set()).add(place)
            if member.misses:
                self.ailing.add(key)
            elif was is not None and was.misses:
                self._recover(key)

    def drop(self, place: tuple[int, str]) -> None:
        """Forget an episode, if there is one."""
        episode = self.episodes.pop(place, None)
        for key, member in episode.members.items() if episode else ():
            self._leave(key, member, place)

    def _leave(self, key: str, member: Member, place: tuple[int, str]) -> None:
        holders = self.by_key[key]
        holders.discard(place)
        if member.misses:
            self._recover(key)
        if not holders:
            del self.by_key[key]

    def _recover(self, key: str) -> None:
        """One episode misses the key no more, which is rare: it stays in `ailing` if another still does."""
        if not any(self.episodes[holder].members[key].misses for holder in self.by_key[key]):
            self.ailing.discard(key)
