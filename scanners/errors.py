"""Everything that can go wrong while a marketplace is asked.

    ScanError
    ├── Unreachable        no answer: refused, timed out, cut off, name not found
    ├── OddAnswer          an answer that is not one: HTML, broken compression, no list, too short a list
    ├── Refused            the server failed or did not like the question (4xx, 5xx, GraphQL errors)
    │   ├── KeyRejected    the key is wrong, dead or lacks the permission; asking again does not help
    │   └── Retired        the endpoint is gone for good
    ├── RateLimited        asked too often; `retry_after` seconds when the server said so
    └── QuotaExhausted     the day's rows are used up; `resets_at` when the server said so

`scanners.client` maps foreign exceptions to these once and chains them; no text here ever carries a key.
"""

from __future__ import annotations

from datetime import datetime


class ScanError(Exception):
    """A marketplace gave no usable answer. Nothing is known from it: it closes and alerts nothing."""

    def __init__(self, market: str, problem: str) -> None:
        self.market = market
        self.problem = problem
        super().__init__(f"{market}: {problem}")


class Unreachable(ScanError):
    """No answer came in time. `asked`: the question may have arrived all the same, and may have been charged."""

    def __init__(self, market: str, problem: str, *, asked: bool = True) -> None:
        super().__init__(market, problem)
        self.asked = asked


class OddAnswer(ScanError):
    """An answer came that cannot be what was asked for."""


class Refused(ScanError):
    """The server answered with an error."""


class KeyRejected(Refused):
    """The API key was not accepted. A person has to act."""


class Retired(Refused):
    """The endpoint has been shut down. A new release has to act."""


class RateLimited(ScanError):
    """Asked too often. `retry_after` is in seconds, None when the server did not say."""

    def __init__(self, market: str, problem: str, retry_after: float | None = None) -> None:
        super().__init__(market, problem)
        self.retry_after = retry_after


class QuotaExhausted(ScanError):
    """The quota of rows or requests is used up. `resets_at` is aware UTC, None when unknown."""

    def __init__(self, market: str, problem: str, resets_at: datetime | None = None) -> None:
        super().__init__(market, problem)
        self.resets_at = resets_at
