"""What makes the product unhealthy, and that no secret is told with it."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest

from bot.cli.check import status_json, status_text
from bot.questions import problems, status
from scanners.errors import Refused
from tests.bot.commands.parlour import CENSUS, SECURE, Parlour, parlour, vast

KEY = "k3y-of-the-vast-account-0123456789"
HOURS_8 = 8 * 3600.0


async def one_alert(room: Parlour) -> int:
    await room.answered()
    await room.asks("/watch 4090 <=0.40 vast")
    await room.answered(vast(1, 0.35))
    ((_, _, number),) = room.alerts()
    return number


async def about_alerts(room: Parlour) -> list[str]:
    """What is said of alerts once the markets are well."""
    await room.answered(vast(1, 0.35))
    await room.answered(coverage=SECURE)
    return problems(room.product)


async def test_an_alert_that_is_held_back_is_no_trouble_however_long(room: Parlour) -> None:
    number = await one_alert(room)
    room.product.outbox.hold(number, room.clock.now() + timedelta(seconds=HOURS_8 + 60), "quiet hours")
    room.clock.pass_time(HOURS_8)
    assert await about_alerts(room) == []
    said = status(room.product)
    assert (said.queued, said.held, said.oldest_at) == (0, 1, None)
    record = status_json(said)
    assert (record["outbox"], record["alerts"]) == ({"queued": 0, "oldest_s": None}, {"held": 1})
    assert "0 alerts waiting, 1 held back" in status_text(room.product, said)
    assert "1 alert is held back" in await room.asks("/status")


async def test_an_alert_that_stays_held_long_after_its_time_is_trouble(room: Parlour) -> None:
    number = await one_alert(room)
    room.product.outbox.hold(number, room.clock.now() + timedelta(seconds=HOURS_8), "quiet hours")
    room.clock.pass_time(HOURS_8 + 10)
    assert await about_alerts(room) == []
    assert status(room.product).queued == 1
    room.clock.pass_time(3600)
    (problem,) = await about_alerts(room)
    assert problem.startswith("outbox: an alert has been waiting since 2026-12-01 20:00")


async def test_an_alert_that_is_queued_for_too_long_is_trouble(room: Parlour) -> None:
    await one_alert(room)
    room.clock.pass_time(1700)
    assert await about_alerts(room) == []
    room.clock.pass_time(200)
    (problem,) = await about_alerts(room)
    assert problem.startswith("outbox: an alert has been waiting since 2026-12-01 12:00")


async def test_an_alert_on_its_way_after_a_hold_is_no_trouble(room: Parlour) -> None:
    number = await one_alert(room)
    room.product.outbox.hold(number, room.clock.now() + timedelta(seconds=HOURS_8), "quiet hours")
    room.clock.pass_time(HOURS_8 + 1)
    (claimed,) = room.product.outbox.claim(room.clock.now(), lease_s=60, limit=9)
    assert claimed.id == number
    assert await about_alerts(room) == []


@pytest.fixture
def settings() -> dict[str, object]:
    return {"marketplaces": {"vast": {"api_key": KEY}}}


async def test_what_a_market_says_of_a_failure_is_told_without_the_key(
    tmp_path: Path, blank: bytes, settings: dict[str, object]
) -> None:
    (tmp_path / "atalaia.db").write_bytes(blank)
    async with parlour(tmp_path, **settings) as room:
        assert KEY in room.product.settings.secrets()
        await room.failed(CENSUS, Refused("vast", f"refused (500 your key {KEY} is on holiday)"))
        told = [
            *problems(room.product),
            str(status_json(status(room.product))),
            status_text(room.product, status(room.product)),
            await room.asks("/status"),
        ]
        assert ["on holiday" in each for each in (told[1], *told[-3:])] == [True] * 4, told
        assert not any(KEY in each for each in told)
