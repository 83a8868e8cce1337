"""What watches were told, between its tables and `market.watch.Memory`."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from typing import Any

from sqlalchemy import Connection

from market.alert import offer_from_record
from market.watch import Episode, Member, Memory, Told
from storage.times import from_maybe_ms, from_ms, maybe_ms, to_ms

_PUT_EPISODE = """
INSERT INTO episode (watch_id, card, number, opened_at, told_price, members) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (watch_id, card) DO UPDATE SET number = excluded.number, opened_at = excluded.opened_at,
  told_price = excluded.told_price, members = excluded.members
"""
_PUT_TOLD = """
INSERT INTO told (watch_id, key, told_at, wait_ms) VALUES (?, ?, ?, ?)
ON CONFLICT (watch_id, key) DO UPDATE SET told_at = excluded.told_at, wait_ms = excluded.wait_ms
"""


def load_memory(connection: Connection) -> Memory:
    """Everything that watches were told."""
    memory = Memory()
    episodes = "SELECT watch_id, card, number, opened_at, told_price, members FROM episode"
    for watch_id, card, number, opened_at, told_price, members in connection.exec_driver_sql(episodes):
        memory.put(
            Episode(
                watch_id=watch_id,
                card=card,
                number=number,
                opened_at=from_ms(opened_at),
                told_price=told_price,
                members={key: _member(record) for key, record in json.loads(members).items()},
            )
        )
    for watch_id, key, told_at, wait in connection.exec_driver_sql("SELECT watch_id, key, told_at, wait_ms FROM told"):
        memory.told[watch_id, key] = Told(watch_id=watch_id, key=key, told_at=from_ms(told_at), wait_s=wait / 1000)
    return memory


def put_episodes(connection: Connection, episodes: Iterable[Episode]) -> None:
    """Add or replace episodes."""
    present, missing = _Present(), _Missing()

    def members_text(members: Mapping[str, Member]) -> str:
        return ",".join(
            [
                missing[key, member] if member.misses or member.last is not None else present[key]
                for key, member in members.items()
            ]
        )

    rows = [
        (
            episode.watch_id,
            episode.card,
            episode.number,
            to_ms(episode.opened_at),
            episode.told_price,
            f"{{{members_text(episode.members)}}}",
        )
        for episode in episodes
    ]
    if rows:
        connection.exec_driver_sql(_PUT_EPISODE, rows)


def end_episodes(connection: Connection, places: Collection[tuple[int, str]]) -> None:
    """Forget episodes by (watch id, card)."""
    if places:
        connection.exec_driver_sql("DELETE FROM episode WHERE watch_id = ? AND card = ?", list(places))


def put_told(connection: Connection, told: Iterable[Told]) -> None:
    """Add or replace what was told."""
    rows = [(each.watch_id, each.key, to_ms(each.told_at), round(each.wait_s * 1000)) for each in told]
    if rows:
        connection.exec_driver_sql(_PUT_TOLD, rows)


def forget(connection: Connection, watch_id: int) -> None:
    """Forget all that a watch was told."""
    connection.exec_driver_sql("DELETE FROM episode WHERE watch_id = ?", (watch_id,))
    connection.exec_driver_sql("DELETE FROM told WHERE watch_id = ?", (watch_id,))


class _Present(dict[str, str]):
    """Key to the text of a member that is there: nearly all are, and hundreds of episodes hold the same ones."""

    def __missing__(self, key: str) -> str:
        self[key] = text = f"{json.dumps(key)}:[]"
        return text


class _Missing(dict[tuple[str, Member], str]):
    """The same for members that are missing, with the offer as last seen."""

    def __missing__(self, item: tuple[str, Member]) -> str:
        key, member = item
        last = None if member.last is None else member.last._asdict()
        record = [member.misses, maybe_ms(member.missing_since), last]
        self[item] = text = f"{json.dumps(key)}:{json.dumps(record, separators=(',', ':'))}"
        return text


def _member(record: list[Any]) -> Member:
    if not record:
        return Member()
    misses, missing_since, last = record
    return Member(
        misses=misses,
        missing_since=from_maybe_ms(missing_since),
        last=None if last is None else offer_from_record(last),
    )
