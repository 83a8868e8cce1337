"""What Vast.ai's refusals mean: the words of the body count, not the status alone."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest

from market.gpu import CATALOGUE
from market.offer import Offer
from market.snapshot import Snapshot
from scanners.client import Response
from scanners.errors import KeyRejected, OddAnswer, QuotaExhausted, RateLimited, Refused, Retired, ScanError
from scanners.markets.vast import Settings, build
from scanners.markets.vast.link import link, model_name
from scanners.markets.vast.refusals import hidden_refusal, refusal
from tests.scanners.stage import http, sends, stage
from tests.scanners.vast_rows import ask, read

NOW = datetime(2026, 12, 1, 21, 30, tzinfo=UTC)
KEY = "vast-" + "B" * 24


def empty(**beside: object) -> Response:
    body = json.dumps(beside | {"offers": []}).encode()
    return Response(status=200, headers=httpx.Headers({"content-type": "application/json"}), body=body, secret=KEY)


def refused(status: int, body: object = b"", content_type: str = "application/json", **headers: str) -> ScanError:
    raw = body if isinstance(body, bytes) else json.dumps(body).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = Response(
        status=status, headers=httpx.Headers({"content-type": content_type} | named), body=raw, secret=KEY
    )
    error = refusal(answer, NOW)
    assert KEY not in str(error)
    return error


@pytest.mark.parametrize(
    ("status", "body"),
    [
        (404, {"success": False, "error": "auth_error", "msg": f"bad key {KEY}"}),
        (404, {"msg": "Invalid user key"}),
        (404, {"message": "Session expired"}),
        (401, {"error": "whatever"}),
        (401, b""),
        (403, {"success": False, "error": "auth_error"}),
        (403, {"success": False, "msg": "missing permission"}),
        (400, {"error": "auth_error"}),
        (200, {"success": False, "error": "auth_error", "msg": "bad key"}),
    ],
)
def test_a_rejected_key_is_known_by_the_words_whatever_the_status(status: int, body: object) -> None:
    assert type(refused(status, body)) is KeyRejected


def test_that_a_key_is_needed_is_said_when_none_was_sent() -> None:
    answer = Response(status=401, headers=httpx.Headers(), body=b"{}")
    assert "needed" in str(refusal(answer, NOW))


@pytest.mark.parametrize(
    ("status", "body", "content_type"),
    [
        (404, {"success": False, "error": "not_found"}, "application/json"),
        (404, b"", "text/plain"),
        (403, b"error code: 1010", "text/plain"),
        (403, b"<html>blocked: unauthorized</html>", "text/html"),
        (400, {"error": "invalid_request", "msg": "0 is not a valid search op"}, "application/json"),
        (500, b"oops", "text/plain"),
        (502, b"<html>bad gateway</html>", "text/html"),
        (503, b"", "text/plain"),
    ],
)
def test_any_other_failure_is_a_plain_refusal(status: int, body: object, content_type: str) -> None:
    assert type(refused(status, body, content_type)) is Refused


@pytest.mark.parametrize(
    "body",
    [
        b"API requests too frequent: endpoint threshold=2.0",
        {"detail": "API requests too frequent endpoint threshold=3.0"},
        {"error": "rate_limit_exceeded", "msg": "API requests too frequent"},
        b"",
    ],
)
def test_asking_too_often_is_understood_in_every_form_it_comes_in(body: object) -> None:
    error = refused(429, body)
    assert isinstance(error, RateLimited)
    assert error.retry_after is None


def test_a_wait_is_taken_from_the_server_if_it_names_one() -> None:
    error = refused(429, b"", Retry_After="17")
    assert isinstance(error, RateLimited)
    assert error.retry_after == 17.0


def quota(**headers: str) -> datetime | None:
    error = refused(429, {"error": "search_quota_exceeded", "msg": "…"}, **headers)
    assert isinstance(error, QuotaExhausted)
    return error.resets_at


def test_a_used_up_quota_names_its_reset() -> None:
    told = NOW + timedelta(hours=2)
    assert quota(X_RateLimit_Reset=str(int(told.timestamp()))) == told


@pytest.mark.parametrize("told", [None, "", "soon", "nan", "inf", "1e40", "0", "-5", "99999999999", "1764624600"])
def test_an_unbelievable_reset_is_the_next_midnight_utc(told: str | None) -> None:
    expected = datetime(2026, 12, 2, tzinfo=UTC)
    assert (quota() if told is None else quota(X_RateLimit_Reset=told)) == expected


@pytest.mark.parametrize(
    ("status", "body"), [(410, b""), (410, {"error": "deprecated_endpoint"}), (200, {"error": "deprecated_endpoint"})]
)
def test_a_shut_endpoint_is_not_an_empty_market(status: int, body: object) -> None:
    assert type(refused(status, body)) is Retired


@pytest.mark.parametrize(
    ("status", "body", "content_type"),
    [
        (200, b"", "application/json"),
        (200, b"<!doctype html><title>app</title>", "text/html"),
        (200, b"<!doctype html>", "application/json"),
        (200, {"success": True}, "application/json"),
        (204, b"", "application/json"),
        (302, b"", "text/html"),
    ],
)
def test_a_success_without_offers_is_odd(status: int, body: object, content_type: str) -> None:
    assert type(refused(status, body, content_type)) is OddAnswer


@pytest.mark.parametrize(
    ("beside", "kind"),
    [
        ({"success": False, "error": "invalid_args", "msg": "x"}, Refused),
        ({"success": False}, Refused),
        ({"success": 0}, Refused),
        ({"success": "false"}, Refused),
        ({"error": "invalid_args"}, Refused),
        ({"success": True, "error": {"code": 7}}, Refused),
        ({"success": False, "msg": f"no {KEY}"}, Refused),
        ({"success": False, "error": "auth_error"}, KeyRejected),
        ({"success": False, "error": "search_quota_exceeded"}, QuotaExhausted),
        ({"msg": "API requests too frequent"}, RateLimited),
        ({"error": "deprecated_endpoint"}, Retired),
        ({"success": False, "n": 10**4200}, Refused),
    ],
)
def test_a_refusal_with_an_empty_list_beside_it_is_no_empty_market(beside: dict[str, Any], kind: type) -> None:
    error = hidden_refusal(empty(**beside), NOW)
    assert type(error) is kind
    assert KEY not in str(error)


@pytest.mark.parametrize(
    "beside",
    [{}, {"success": True}, {"success": 1}, {"success": None}, {"error": None, "msg": ""}, {"error": ""},
     {"success": True, "error": None, "total": 0}],
)  # fmt: skip
def test_an_empty_list_without_a_complaint_is_an_empty_market(beside: dict[str, Any]) -> None:
    assert hidden_refusal(empty(**beside), NOW) is None


async def answered(client: httpx.AsyncClient, body: object) -> Snapshot:
    async with stage(sends(http(body))) as server:
        market = build(Settings(url=server.url), client, CATALOGUE, lambda: NOW)
        return await market.scan(market.heartbeat())


async def test_a_scan_believes_in_an_empty_market_only_without_a_complaint(client: httpx.AsyncClient) -> None:
    assert (await answered(client, {"success": True, "offers": []})).complete
    with pytest.raises(Refused, match="invalid_args"):
        await answered(client, {"success": False, "error": "invalid_args", "msg": "x", "offers": []})


def test_a_huge_body_is_shown_in_one_short_line() -> None:
    assert len(str(refused(500, b"x\n" * 100_000, "text/plain"))) < 300


def offer(**changes: object) -> Offer:
    (made,) = read(ask(**changes)).offers
    return made


def test_the_link_is_a_search_narrowed_to_the_offer() -> None:
    address = httpx.URL(link(offer(hosting_type=1, reliability2=0.9876)))
    assert (address.scheme, address.host, address.path) == ("https", "cloud.vast.ai", "/create/")
    assert dict(address.params) == {
        "gpuModelNames": "rtx4090",
        "offerGpuNumMin": "1",
        "offerGpuNumMax": "1",
        "priceInstanceHourlyMin": "0.3900",
        "priceInstanceHourlyMax": "0.4100",
        "instanceDiskSizeMin": "8",
        "instanceType": "onDemand",
        "isOfferAvailable": "true",
        "isOfferVerified": "true",
        "isHostSecure": "true",
        "machineReliabilityMin": "0.98",
        "sorts": "priceInstanceHourly-asc",
    }


@pytest.mark.parametrize(
    ("card", "name"),
    [("RTX 4090", "rtx4090"), ("RTX 4080 Super", "rtx4080Super"), ("RTX 3090 Ti", "rtx3090Ti"), ("H200 NVL", "h200Nvl"),
     ("H100 SXM", "h100Sxm"), ("RTX A6000", "rtxA6000"), ("RTX 6000 Ada", "rtx6000Ada")],
)  # fmt: skip
def test_cards_are_named_as_the_page_names_them(card: str, name: str) -> None:
    assert model_name(card) == name


def test_no_text_of_a_host_can_break_out_of_a_link() -> None:
    evil = link(offer(gpu_name='A"><script>&x=1#'))
    assert not set('"<># ') & set(evil)
