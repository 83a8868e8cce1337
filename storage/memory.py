"""What watches were told, between its tables and `market.watch.Memory`.

Of an episode only what changed is written: of hundreds of keys an answer moves a few.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Any

from sqlalchemy import Connection

from market.alert import offer_from_record
from market.offer import Offer
from market.watch import Episode, Memory, Missing, Told
from storage.times import from_ms, to_ms

Place = tuple[int, str]
"""(watch id, card)."""

_PUT_EPISODE = """
INSERT INTO episode (watch_id, card, number, opened_at, told_price) VALUES (?, ?, ?, ?, ?)
ON CONFLICT (watch_id, card) DO UPDATE SET number = excluded.number, opened_at = excluded.opened_at,
  told_price = excluded.told_price
"""
_END_EPISODE = "DELETE FROM episode WHERE watch_id = ? AND card = ?"
_JOIN = "INSERT INTO member (watch_id, card, key) VALUES (?, ?, ?)"
_LEAVE = "DELETE FROM member WHERE watch_id = ? AND card = ? AND key = ?"
_MOVE = "UPDATE member SET misses = ?, missing_since = ?, last = ? WHERE watch_id = ? AND card = ? AND key = ?"
_MISS_AGAIN = "UPDATE member SET misses = ? WHERE watch_id = ? AND card = ? AND key = ?"
_PUT_TOLD = """
INSERT INTO told (watch_id, key, told_at, wait_ms) VALUES (?, ?, ?, ?)
ON CONFLICT (watch_id, key) DO UPDATE SET told_at = excluded.told_at, wait_ms = excluded.wait_ms
"""


def load_memory(connection: Connection) -> Memory:
    """Everything that watches were told."""
    memory = Memory()
    members: dict[Place, list[str]] = {}
    missing: dict[Place, dict[str, Missing]] = {}
    sql = connection.exec_driver_sql
    for watch_id, card, key, misses, since, last in sql(
        "SELECT watch_id, card, key, misses, missing_since, last FROM member"
    ):
        members.setdefault((watch_id, card), []).append(key)
        if misses:
            offer = offer_from_record(json.loads(last))
            missing.setdefault((watch_id, card), {})[key] = Missing(misses, from_ms(since), offer)
    for watch_id, card, number, opened_at, told_price in sql(
        "SELECT watch_id, card, number, opened_at, told_price FROM episode"
    ):
        memory.put(
            Episode(
                watch_id=watch_id,
                card=card,
                number=number,
                opened_at=from_ms(opened_at),
                told_price=told_price,
                members=frozenset(members.get((watch_id, card), ())),
                missing=missing.get((watch_id, card), {}),
            )
        )
    for watch_id, key, told_at, wait in sql("SELECT watch_id, key, told_at, wait_ms FROM told"):
        memory.told[watch_id, key] = Told(watch_id=watch_id, key=key, told_at=from_ms(told_at), wait_s=wait / 1000)
    return memory


def put_episodes(
    connection: Connection, episodes: Iterable[Episode], known: Mapping[Place, Episode] = MappingProxyType({})
) -> None:
    """Add or replace episodes. Those in `known` are stored just so, and what has not changed of them is left alone."""
    begun: list[Place] = []
    heads: list[tuple[Any, ...]] = []
    joined: list[tuple[Any, ...]] = []
    left: list[tuple[Any, ...]] = []
    moved: list[tuple[Any, ...]] = []
    again: list[tuple[Any, ...]] = []
    texts = _Texts()
    for episode in episodes:
        place, before = episode.place, known.get(episode.place)
        if before is None:
            begun.append(place)
        if before is None or _head(before) != _head(episode):
            heads.append((*place, episode.number, to_ms(episode.opened_at), episode.told_price))
        members = frozenset() if before is None else before.members
        if members is not episode.members:
            joined.extend((*place, key) for key in episode.members - members)
            left.extend((*place, key) for key in members - episode.members)
        missing = {} if before is None else before.missing
        if missing is not episode.missing:
            for key, each in episode.missing.items():
                was = missing.get(key)
                if was is each:
                    continue
                if was is not None and was.last is each.last and was.since is each.since:
                    again.append((each.misses, *place, key))
                else:
                    moved.append((each.misses, to_ms(each.since), texts.of(each.last), *place, key))
            found = (missing.keys() - episode.missing.keys()) & episode.members
            moved.extend((0, None, None, *place, key) for key in found)
    for statement, rows in (
        (_END_EPISODE, begun),
        (_PUT_EPISODE, heads),
        (_LEAVE, left),
        (_JOIN, joined),
        (_MOVE, moved),
        (_MISS_AGAIN, again),
    ):
        if rows:
            connection.exec_driver_sql(statement, rows)


def end_episodes(connection: Connection, places: Collection[Place]) -> None:
    """Forget episodes."""
    if places:
        connection.exec_driver_sql(_END_EPISODE, list(places))


def put_told(connection: Connection, told: Iterable[Told]) -> None:
    """Add or replace what was told."""
    rows = [(each.watch_id, each.key, to_ms(each.told_at), round(each.wait_s * 1000)) for each in told]
    if rows:
        connection.exec_driver_sql(_PUT_TOLD, rows)


def forget(connection: Connection, watch_id: int) -> None:
    """Forget all that a watch was told."""
    connection.exec_driver_sql("DELETE FROM episode WHERE watch_id = ?", (watch_id,))
    connection.exec_driver_sql("DELETE FROM told WHERE watch_id = ?", (watch_id,))


def _head(episode: Episode) -> tuple[object, ...]:
    return episode.number, episode.opened_at, episode.told_price


class _Texts:
    """Offers as texts, each written out once: what goes missing is missed by several watches."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[Offer, str]] = {}

    def of(self, offer: Offer) -> str:
        """The text of an offer."""
        known = self._known.get(id(offer))
        if known is None:
            # kept along with the offer, or its id might be given to another one
            known = self._known[id(offer)] = offer, json.dumps(offer._asdict(), separators=(",", ":"))
        return known[1]
