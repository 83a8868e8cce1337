"""GPU types as RunPod's two interfaces describe them, invented for the tests."""

from __future__ import annotations

import json
from typing import Any

import httpx

from scanners.client import Response


def rest_type(**changes: Any) -> dict[str, Any]:
    """A row of REST v2: a card in both clouds with some stock."""
    row: dict[str, Any] = {
        "id": "NVIDIA GeForce RTX 4090",
        "name": "RTX 4090",
        "pool": None,
        "manufacturer": "NVIDIA",
        "memory": 24,
        "secure": True,
        "community": True,
        "price": {"secure": 0.7, "community": 0.3, "serverless": 1.2},
        "maxCount": {"secure": 8, "community": 4},
        "availability": "LOW",
        "dataCenters": [
            {"id": "EU-RO-1", "name": "EU-RO-1", "availability": "LOW"},
            {"id": "US-KS-2", "name": "US-KS-2", "availability": "NONE"},
        ],
        "cudaVersions": [{"version": "12.4", "available": True}, {"version": "12.11", "available": True},
                         {"version": "13.0", "available": False}],
    }  # fmt: skip
    return row | changes


def graphql_type(**changes: Any) -> dict[str, Any]:
    """A row of GraphQL: the same card, asked for one pod size in one cloud."""
    row: dict[str, Any] = {
        "id": "NVIDIA GeForce RTX 4090",
        "displayName": "RTX 4090",
        "memoryInGb": 24,
        "secureCloud": True,
        "communityCloud": True,
        "securePrice": 0.7,
        "communityPrice": 0.3,
        "lowestPrice": {"stockStatus": "Low", "uninterruptablePrice": 0.7},
    }
    return row | changes


def answer(content: Any, *, status: int = 200, content_type: str = "application/json", **headers: str) -> Response:
    """An answer that has arrived."""
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    named = {"content-type": content_type} | {name.replace("_", "-"): value for name, value in headers.items()}
    return Response(status=status, headers=httpx.Headers(named), body=body, secret="runpod-" + "C" * 24)
