"""What `/metrics` and `/healthz` say, asked over HTTP."""

from __future__ import annotations

from datetime import timedelta

import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as openmetrics

from bot.metrics.families import families
from bot.metrics.reading import Reading
from bot.pace import note_pace
from bot.product import Product
from bot.questions import problems
from scanners.errors import Unreachable
from scanners.poller import Pace
from tests.bot.metrics.scraping import Scraper
from tests.end_to_end.clock import ManualClock
from tests.storage.queueing import put
from tests.storage.stage import PROBE, SECURE, START, Stage, alert, runpod, vast

UNITS = ("seconds", "bytes", "info", "alerts", "rules", "failures", "requests", "rows", "offers", "problems", "fds")


async def test_every_metric_is_described_and_its_name_ends_with_a_unit(scraper: Scraper) -> None:
    text = (await scraper.ask("/metrics")).text
    found = await scraper.families()
    for name, family in found.items():
        assert family.documentation, name
        assert family.type in ("gauge", "counter", "histogram"), name
        assert name.rpartition("_")[2] in UNITS, name
        shown = f"{name}_total" if family.type == "counter" and f"{name}_total" in text else name
        assert f"# HELP {shown} " in text
        assert f"# TYPE {shown} {family.type}\n" in text
    own = {family.name + ("_info" if family.type == "info" else "") for family in families(Reading(at=START))}
    assert own == {name for name in found if name.startswith("atalaia_")}


async def test_a_market_is_told_as_the_store_knows_it(
    scraper: Scraper, product: Product, stage: Stage, clock: ManualClock
) -> None:
    product.usage.begin("vast", clock.now(), 64)
    stage.scan(vast(1), vast(2), coverage=PROBE, reserved=40)
    note_pace(product.chats, "vast", Pace(wait_s=30.0, reason="x", error=None), clock.now())
    clock.move(seconds=10)
    stage.fail()
    stage.fail()
    assert await scraper.values(market="vast") == {
        "atalaia_market_last_good_answer_timestamp_seconds": START.timestamp(),
        "atalaia_market_consecutive_failures": 2,
        "atalaia_market_today_requests": 1,
        "atalaia_market_today_rows": 2,
        "atalaia_market_today_reserved_rows": 24,
        "atalaia_market_today_limit_rows": 20_000,
        "atalaia_market_next_poll_seconds": 20,
        "atalaia_market_planned_gap_seconds": 30,
        "atalaia_market_open_offers": 2,
    }


async def test_what_is_not_known_has_no_sample(scraper: Scraper) -> None:
    assert (await scraper.values(market="runpod")).keys() == {
        "atalaia_market_consecutive_failures",
        "atalaia_market_today_requests",
        "atalaia_market_today_rows",
        "atalaia_market_today_reserved_rows",
        "atalaia_market_open_offers",
    }
    assert "atalaia_outbox_oldest_age_seconds" not in await scraper.values(state="queued")


async def test_a_question_that_is_overdue_is_due_and_not_in_the_past(
    scraper: Scraper, product: Product, clock: ManualClock
) -> None:
    note_pace(product.chats, "vast", Pace(wait_s=5.0, reason="x", error=Unreachable("vast", "timed out")), clock.now())
    clock.move(seconds=60)
    values = await scraper.values(market="vast")
    assert values["atalaia_market_next_poll_seconds"] == 0
    assert "atalaia_market_planned_gap_seconds" not in values


async def test_alerts_and_rules_are_told_by_state(
    scraper: Scraper, product: Product, stage: Stage, clock: ManualClock
) -> None:
    paused = product.watches.add(chat="111", text="L4", now=START)
    active = product.watches.add(chat="111", text="RTX 4090", now=START).id
    product.watches.pause(paused.id)
    kinds = {"held": "available", "late": "available", "sent": "cheaper"}
    alerts = [alert(vast(), dedup=name, kind=kind, watch_ids=(active,)) for name, kind in kinds.items()]
    held_id, late_id, sent_id = put(stage, *alerts)
    product.outbox.hold(held_id, START + timedelta(hours=1), "quiet")
    product.outbox.close(late_id, "expired", "late")
    clock.move(seconds=90)
    product.outbox.sent(sent_id, START + timedelta(seconds=1.5), alert=alert(vast()), message_id="7")
    rules = {state: (await scraper.values(state=state))["atalaia_rules"] for state in ("active", "paused", "done")}
    assert rules == {"active": 1, "paused": 1, "done": 0}
    assert (await scraper.values(state="queued"))["atalaia_outbox_alerts"] == 0
    held = await scraper.values(state="held")
    assert (held["atalaia_outbox_alerts"], held["atalaia_outbox_oldest_age_seconds"]) == (1, 90)
    assert (await scraper.values(kind="available", outcome="expired"))["atalaia_alerts_total"] == 1
    assert (await scraper.values(kind="cheaper", outcome="sent"))["atalaia_alerts_total"] == 1
    assert (await scraper.values(kind="new_low", outcome="failed"))["atalaia_alerts_total"] == 0
    assert (await scraper.values(le="1.0"))["atalaia_alert_delay_seconds_bucket"] == 0
    assert (await scraper.values(le="2.0"))["atalaia_alert_delay_seconds_bucket"] == 1
    assert (await scraper.values())["atalaia_alert_delay_seconds_sum"] == 1.5


async def test_the_process_and_the_database_are_told(scraper: Scraper, product: Product) -> None:
    values = await scraper.values()
    assert values["atalaia_database_bytes"] == product.store.bytes()
    assert values["process_resident_memory_bytes"] > 1_000_000
    (build,) = (await scraper.families())["atalaia_build_info"].samples
    assert set(build.labels) == {"version", "python"}


async def test_those_who_ask_often_are_given_one_reading_a_second(
    scraper: Scraper, stage: Stage, clock: ManualClock
) -> None:
    name = "atalaia_market_open_offers"
    assert (await scraper.values(market="vast"))[name] == 0
    stage.scan(vast())
    clock.move(seconds=0.9)
    assert (await scraper.values(market="vast"))[name] == 0
    clock.move(seconds=0.2)
    assert (await scraper.values(market="vast"))[name] == 1


async def test_the_other_format_of_prometheus_is_spoken_too(scraper: Scraper) -> None:
    answer = await scraper.ask("/metrics", Accept="application/openmetrics-text; version=1.0.0")
    assert answer.headers["content-type"].startswith("application/openmetrics-text")
    found = {family.name for family in openmetrics(answer.text)}  # type: ignore[no-untyped-call] # the library's
    assert {"atalaia_rules", "atalaia_alerts"} <= found


async def test_single_metrics_can_be_asked_for(scraper: Scraper) -> None:
    answer = await scraper.ask("/metrics?name[]=atalaia_database_bytes&name[]=nonsense")
    assert [line.split()[0] for line in answer.text.splitlines() if line[0] != "#"] == ["atalaia_database_bytes"]


async def test_healthz_judges_as_the_health_command_does(
    scraper: Scraper, product: Product, stage: Stage, clock: ManualClock
) -> None:
    stage.fail(error="not reachable")
    answer = await scraper.ask("/healthz")
    assert answer.status_code == 503
    assert answer.text.splitlines() == problems(product)
    assert "vast: no good answer yet (not reachable)" in answer.text
    assert (await scraper.values())["atalaia_health_problems"] == 2
    stage.scan(vast())
    stage.scan(runpod(), coverage=SECURE)
    clock.move(seconds=60)
    answer = await scraper.ask("/healthz")
    assert (answer.status_code, answer.text) == (200, "ok\n")
    assert (await scraper.values())["atalaia_health_problems"] == 0


async def test_no_secret_no_chat_and_no_rule_is_told(
    scraper: Scraper, product: Product, stage: Stage, clock: ManualClock
) -> None:
    token = product.settings.telegram.token
    assert token is not None
    watch = product.watches.add(chat="987654321", text="RTX 4090 <=0.77", name="my rule", now=START)
    assert put(stage, alert(vast(), chat="987654321", watch_ids=(watch.id,)))
    stage.fail(error=f"secret-of-vast was refused, as was {token.get_secret_value()}")
    clock.move(hours=1)
    said = (await scraper.ask("/metrics")).text + (await scraper.ask("/healthz")).text
    assert "*** was refused, as was ***" in said
    for word in ("secret-of", "987654321", "0.77", "my rule", "RTX", token.get_secret_value()):
        assert word not in said


async def test_there_is_nothing_else(scraper: Scraper) -> None:
    for path in ("/", "/metrics/", "/healthz/x", "/favicon.ico", "/%2e%2e/metrics", "/metricsx", "//metrics"):
        assert (await scraper.ask(path)).status_code == 404, path


@pytest.mark.parametrize("path", ["/metrics", "/healthz"])
async def test_nothing_can_be_changed(scraper: Scraper, path: str) -> None:
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH"):
        answer = await scraper.ask(path, method)
        assert (answer.status_code, answer.headers["allow"]) == (405, "GET, HEAD"), method


@pytest.mark.parametrize("path", ["/metrics", "/healthz"])
async def test_head_has_the_headers_and_no_body(scraper: Scraper, path: str) -> None:
    answer, whole = await scraper.ask(path, "HEAD"), await scraper.ask(path)
    assert answer.content == b""
    assert answer.status_code == whole.status_code
    assert answer.headers["content-type"] == whole.headers["content-type"]
    assert int(answer.headers["content-length"]) > 0


async def test_a_database_that_cannot_be_read_is_said_without_its_path(scraper: Scraper, stage: Stage) -> None:
    with stage.store.write() as connection:
        connection.exec_driver_sql("DROP TABLE pulse")
    for path in ("/metrics", "/healthz"):
        answer = await scraper.ask(path)
        assert answer.status_code == 503
        assert answer.text.startswith("database: the database refused")
        assert str(stage.path.parent) not in answer.text
