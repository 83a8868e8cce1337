"""Keys, pace and quota of the simulated Vast.ai."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from random import Random

from scanners.simulator.exchange import Answer
from scanners.simulator.market import SimulatedMarket
from scanners.simulator.vast import VastPolicy, VastService
from tests.simulator.asking import KEY, START, asked, document

OTHER = "another-key-for-tests"


def service(machines: int = 5, **policy: int) -> VastService:
    market = SimulatedMarket.empty(START)
    for _ in range(machines):
        market.vast.add_machine()
    return VastService(market.vast, keys={KEY, OTHER}, policy=VastPolicy(**policy), chance=Random(5))


def search(vast: VastService, *, key: str | None = KEY, at: datetime = START, address: str = "127.0.0.1") -> Answer:
    return vast.answer(asked("/api/v0/bundles/", method="POST", body={}, key=key, at=at, address=address))


def test_a_wrong_key_is_told_with_status_404() -> None:
    answer = search(service(), key="wrong")
    assert answer.status == 404
    assert document(answer) == {"success": False, "error": "auth_error", "msg": "Invalid user key"}


def test_asking_too_often_is_told_in_plain_text_without_a_time_to_wait() -> None:
    vast = service()
    answers = [search(vast) for _ in range(4)]
    assert [answer.status for answer in answers] == [200, 200, 429, 429]
    assert answers[2].content_type == "text/plain"
    assert answers[2].body.decode() == "API requests too frequent: endpoint threshold=6.0"
    assert not answers[2].headers


def test_one_request_each_six_seconds_is_never_refused_and_one_each_five_is() -> None:
    patient, hasty = service(), service()
    assert all(search(patient, at=START + timedelta(seconds=6 * turn)).status == 200 for turn in range(50))
    assert any(search(hasty, at=START + timedelta(seconds=5 * turn)).status == 429 for turn in range(50))


def test_refused_requests_do_not_prolong_the_wait() -> None:
    vast = service(burst=1)
    search(vast)
    for tenth in range(1, 59):
        assert search(vast, at=START + timedelta(seconds=tenth / 10)).status == 429
    assert search(vast, at=START + timedelta(seconds=6)).status == 200


def test_each_key_and_each_address_has_a_pace_of_its_own() -> None:
    vast = service(burst=1)
    assert search(vast, key=KEY).status == 200
    assert search(vast, key=OTHER).status == 200
    assert search(vast, key=None).status == 200
    assert search(vast, key=None, address="127.0.0.2").status == 200
    assert search(vast, key=None).status == 429


def test_the_rows_of_a_day_run_out_and_come_back_at_midnight_utc() -> None:
    vast = service(rows_per_day=12)
    answers = [search(vast, at=START + timedelta(minutes=turn)) for turn in range(4)]
    assert [answer.status for answer in answers] == [200, 200, 200, 429]
    body, midnight = document(answers[3]), datetime(2026, 11, 3, tzinfo=UTC)
    assert (body["success"], body["error"]) == (False, "search_quota_exceeded")
    assert answers[3].headers["X-RateLimit-Reset"] == str(int(midnight.timestamp()))
    assert search(vast, at=midnight - timedelta(seconds=1)).status == 429
    assert search(vast, at=midnight).status == 200


def test_empty_answers_cost_no_rows_and_other_keys_have_their_own() -> None:
    empty = service(machines=0, rows_per_day=1)
    assert all(search(empty, at=START + timedelta(minutes=turn)).status == 200 for turn in range(10))
    vast = service(rows_per_day=5)
    assert [search(vast, at=START + timedelta(minutes=turn)).status for turn in range(2)] == [200, 429]
    assert search(vast, key=OTHER).status == 200
