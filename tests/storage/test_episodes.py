"""What episodes hold, written down by differences, is what would be read again."""

from __future__ import annotations

from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import given, settings
from hypothesis import strategies as st

from market.watch import Episode, Memory, Missing
from storage.memory import end_episodes, load_memory, put_episodes
from storage.watches import Watches
from tests.storage.stage import START, Stage, vast

MACHINES = tuple(range(1, 5))
Members = dict[int, tuple[int, datetime, float] | None]
"""By machine: what is missing of it (misses, since, price), None if nothing is."""

missings = st.builds(
    lambda misses, seconds, price: (misses, START + timedelta(seconds=seconds), price),
    st.integers(1, 3),
    st.sampled_from((0, 60)),
    st.sampled_from((0.30, 0.40)),
)
steps = st.lists(
    st.none()
    | st.tuples(
        st.sampled_from((1, 2)),
        st.none() | st.just(350_000),
        st.dictionaries(st.sampled_from(MACHINES), st.none() | missings, min_size=1),
    ),
    max_size=8,
)


def made(watch_id: int, number: int, told: int | None, members: Members) -> Episode:
    missing = {
        vast(machine).key: Missing(each[0], each[1], vast(machine, price=each[2]))
        for machine, each in members.items()
        if each is not None
    }
    return Episode(
        watch_id=watch_id,
        card="RTX 4090",
        number=number,
        opened_at=START,
        members=frozenset(vast(machine).key for machine in members),
        missing=missing,
        told_price=told,
    )


@settings(max_examples=20, deadline=None)
@given(steps=steps)
def test_differences_of_episodes_add_up_to_the_episodes(
    blank: Path, steps: list[tuple[int, int | None, Members] | None]
) -> None:
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a.db"
        path.write_bytes(blank.read_bytes())
        stage = Stage(path)
        watches = Watches(stage.store, stage.rules)
        watch_id = watches.add(chat="111", text="RTX 4090", now=START).id
        kept = Memory()
        for step in steps:
            with stage.store.write() as connection:
                if step is None:
                    end_episodes(connection, list(kept.episodes))
                    kept.drop((watch_id, "RTX 4090"))
                else:
                    episode = made(watch_id, *step)
                    put_episodes(connection, [episode], kept.episodes)
                    kept.put(episode)
            with stage.store.read() as connection:
                read = load_memory(connection)
            assert read.episodes == kept.episodes
            assert read.by_key == kept.by_key
            assert read.ailing == kept.ailing
        stage.store.close()


def test_only_the_keys_that_changed_are_written(stage: Stage, watch_id: int) -> None:
    keys = frozenset(f"vast:{machine}:1" for machine in range(300))
    before = Episode(watch_id=watch_id, card="RTX 4090", number=1, opened_at=START, members=keys)
    after = before._replace(
        members=keys - {"vast:1:1"} | {"vast:900:1"}, missing={"vast:2:1": Missing(1, START, vast(2))}
    )
    with stage.store.write() as connection:
        put_episodes(connection, [before])
        first = connection.exec_driver_sql("SELECT total_changes()").scalar_one()
        put_episodes(connection, [after], {before.place: before})
        assert connection.exec_driver_sql("SELECT total_changes()").scalar_one() - first == 3


def test_episodes_that_are_not_known_replace_what_is_stored(stage: Stage, watch_id: int) -> None:
    one = Episode(watch_id=watch_id, card="RTX 4090", number=1, opened_at=START, members=frozenset({"a", "b"}))
    other = one._replace(number=2, members=frozenset({"b", "c"}))
    for episode in (one, other):
        with stage.store.write() as connection:
            put_episodes(connection, [episode])
    with stage.store.read() as connection:
        assert load_memory(connection).episodes == {other.place: other}
