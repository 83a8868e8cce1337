"""What RunPod's answers without data mean, through both of its interfaces."""

from __future__ import annotations

from typing import Any

import pytest

from scanners.client import Response
from scanners.errors import KeyRejected, OddAnswer, RateLimited, Refused, Retired, ScanError
from scanners.markets.runpod import account, graphql, rest
from tests.scanners.pods import answer, graphql_type

KEY = "runpod-" + "C" * 24
PROBLEM = "application/problem+json"
TROUBLE = "Something went wrong. Please try again later or contact support."


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (answer({"title": "Unauthorized", "detail": f"bad {KEY}"}, status=401, content_type=PROBLEM), KeyRejected),
        (answer(b"", status=401), KeyRejected),
        (answer({"error": {}}, status=401), KeyRejected),
        (answer(b"<html>log in</html>", status=401, content_type="text/html"), Refused),
        (answer({"title": "Forbidden"}, status=403, content_type=PROBLEM), KeyRejected),
        (answer(b"error code: 1010", status=403, content_type="text/plain"), Refused),
        (answer(b"<html>Just a moment</html>", status=403, content_type="text/html"), Refused),
        (answer({"title": "Not Found"}, status=404, content_type=PROBLEM), Retired),
        (answer({}, status=410), Retired),
        (answer(b"<html>not found</html>", status=404, content_type="text/html"), Refused),
        (answer({"detail": "product is required"}, status=400, content_type=PROBLEM), Refused),
        (answer({"title": "Method Not Allowed"}, status=405, content_type=PROBLEM), Refused),
        (
            answer({"detail": "validation failed", "errors": ["$: odd"] * 999}, status=422, content_type=PROBLEM),
            Refused,
        ),
        (answer({}, status=429, content_type=PROBLEM), RateLimited),
        (answer(b"<html>slow down</html>", status=429, content_type="text/html"), RateLimited),
        (answer(b"<html>oops</html>" * 10_000, status=502, content_type="text/html"), Refused),
        (answer(b"<html>" + b"a" * 1_000_000, status=403, content_type="text/html"), Refused),
        (answer(b"<html>challenge</html>", status=403, content_type="application/json"), Refused),
        (answer({"title": "Internal Server Error"}, status=500, content_type=PROBLEM), Refused),
        (answer({"message": "Service Unavailable"}, status=503), Refused),
        (answer(b"", status=503), Refused),
        (answer(b"upstream connect error", status=504, content_type="text/plain"), Refused),
        (answer(b"", status=204), OddAnswer),
        (answer(b"", status=301), OddAnswer),
    ],
)
def test_a_refusal_of_the_catalogue_is_told_by_status_and_kind_of_content(given: Response, kind: type) -> None:
    error = account.refusal(given)
    assert type(error) is kind
    assert KEY not in str(error)
    assert len(str(error)) < 300


def test_what_a_server_complains_about_is_shown() -> None:
    assert "product is required" in str(account.refusal(answer({"detail": "product is required"}, status=400)))


@pytest.mark.parametrize(
    ("headers", "wait"),
    [
        ({}, None),
        ({"Retry_After": "12"}, 12.0),
        ({"Retry_After": "0"}, None),
        ({"Retry_After": "Wed, 21 Oct 2026 07:28:00 GMT"}, None),
        ({"RateLimit": '"minute";r=0;t=12, "hour";r=2800;t=1812'}, 12.0),
        ({"Retry_After": "12", "RateLimit": '"minute";r=0;t=12, "hour";r=0;t=1812, "day";r=49500;t=45012'}, 1812.0),
        ({"Retry_After": "90", "RateLimit": '"minute";r=0;t=12'}, 90.0),
        ({"RateLimit": "nonsense, ;;r=;t=, r=0"}, None),
        ({"RateLimit": '"day"; t=7 ; r=0'}, 7.0),
        ({"Retry_After": "-5", "RateLimit": '"minute";r=0;t=12'}, 12.0),
    ],
)
def test_the_longest_of_all_exhausted_windows_is_waited_for(headers: dict[str, str], wait: float | None) -> None:
    error = account.refusal(answer({}, status=429, **headers))
    assert isinstance(error, RateLimited)
    assert error.retry_after == wait


@pytest.mark.parametrize(
    "content",
    [
        {},
        {"gpus": None},
        {"gpus": {}},
        {"gpus": []},
        {"gpus": [None, 3]},
        [],
        None,
        b"",
        b"<html>",
        b"{",
        b"[" * 99_999,
    ],
)
def test_a_catalogue_without_types_is_odd_and_never_a_sold_out_market(content: Any) -> None:
    with pytest.raises(OddAnswer):
        rest.read(answer(content), "secure")


def test_a_web_page_is_odd_even_where_it_could_be_read() -> None:
    with pytest.raises(OddAnswer):
        rest.read(answer({"gpus": []}, content_type="text/html; charset=utf-8"), "secure")


def graphql_error(content: Any) -> ScanError:
    with pytest.raises(ScanError) as caught:
        graphql.read(answer(content), "secure")
    return caught.value


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        ({"errors": [{"message": "Something went wrong"}], "data": None}, Refused),
        ({"errors": [{"message": TROUBLE, "extensions": {"code": "INTERNAL_SERVER_ERROR"}}]}, Refused),
        ({"errors": [{"message": TROUBLE}], "data": {"gpuTypes": []}}, Refused),
        ({"errors": [None], "data": None}, Refused),
        ({"errors": TROUBLE * 500}, Refused),
        ({"errors": [{"message": "Something went wrong"}]}, Refused),
        ({"errors": ["bare"], "data": {"gpuTypes": None}}, Refused),
        ({"errors": {"message": "no list"}, "data": None}, Refused),
        ({"errors": [{}], "data": None}, Refused),
        ({"errors": [{"message": 'Cannot query field "securePrice" on type "GpuType".'}]}, Retired),
        ({"data": None}, OddAnswer),
        ({"data": {"gpuTypes": []}}, OddAnswer),
        ({"data": {"gpuTypes": None}, "errors": []}, OddAnswer),
        ({"data": []}, OddAnswer),
        ({}, OddAnswer),
        ([], OddAnswer),
        (b"<html></html>", OddAnswer),
        (b"", OddAnswer),
    ],
)
def test_success_of_the_transport_says_nothing_about_graphql(content: Any, kind: type) -> None:
    assert type(graphql_error(content)) is kind


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (answer({"error": {}}, status=401), KeyRejected),
        (answer({"message": "Service Unavailable"}, status=503), Refused),
        (answer(b"", status=429, Retry_After="5"), RateLimited),
        (answer(b"<html>slow down</html>" * 9_999, status=429, content_type="text/html"), RateLimited),
        (answer(b"<html>bad gateway</html>" * 9_999, status=502, content_type="text/html"), Refused),
        (answer({"message": "Method Not Allowed"}, status=405), Refused),
        (answer(b"<html></html>", status=403, content_type="text/html"), Refused),
        (answer(b"error code: 1010", status=403, content_type="text/plain"), Refused),
        (answer({"errors": [{"message": "Cannot query field"}]}, status=400), Retired),
        (answer({"errors": [{"message": "syntax"}]}, status=400), Refused),
        (answer({"message": "Not Found"}, status=404), Retired),
        (answer(b"gone", status=410), Retired),
        (answer(b"", status=302), OddAnswer),
    ],
)
def test_a_refusal_of_graphql_is_told_by_status_and_words(given: Response, kind: type) -> None:
    error = graphql.refusal(given)
    assert type(error) is kind
    assert len(str(error)) < 300


def test_the_row_that_all_this_is_about_can_be_read() -> None:
    listings, skipped, complaint = graphql.read(answer({"data": {"gpuTypes": [graphql_type()]}}), "secure")
    assert (len(listings), skipped, complaint) == (1, 0, None)
