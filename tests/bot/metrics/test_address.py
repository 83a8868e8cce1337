"""What may be written as the address of the metrics."""

from __future__ import annotations

import socket

import pytest

from bot.metrics.address import listen_address


@pytest.mark.parametrize("text", ["127.0.0.1:9109", "[::1]:9109", "0.0.0.0:0", "[::]:65535", "[fe80::1%lo]:9109"])
def test_an_address_is_written_as_it_is_read(text: str) -> None:
    assert str(listen_address(text)) == text


def test_localhost_is_looked_up_nowhere() -> None:
    assert str(listen_address("localhost:9109")) == "127.0.0.1:9109"


def test_brackets_mean_ipv6() -> None:
    assert listen_address("[::1]:1").family == socket.AF_INET6
    assert listen_address("127.0.0.1:1").family == socket.AF_INET


@pytest.mark.parametrize(
    "text",
    [
        "9109",
        ":9109",
        "127.0.0.1",
        "127.0.0.1:",
        "127.0.0.1:http",
        "127.0.0.1:-1",
        "127.0.0.1:+1",
        "127.0.0.1:65536",
        "127.0.0.1:999999",
        "127.0.0.1:٩١٠٩",
        "127.0.0.1 :9109",
        " 127.0.0.1:9109",
        "127.0.0.1:9109\n",
        "127.1:9109",
        "127.0.0.1:9109/metrics",
        "http://127.0.0.1:9109",
        "gpu.example.org:9109",
        "::1:9109",
        "[::1]",
        "[]:9109",
        "[::g]:9109",
        "[127.0.0.1]:9109",
        "[localhost]:9109",
    ],
)
def test_anything_else_is_refused_with_a_remedy(text: str) -> None:
    with pytest.raises(ValueError, match=r"127\.0\.0\.1:9109|the largest is 65535"):
        listen_address(text)


@pytest.mark.parametrize(
    ("text", "loopback"),
    [
        ("127.0.0.1:1", True),
        ("127.9.9.9:1", True),
        ("[::1]:1", True),
        ("[::ffff:127.0.0.1]:1", True),
        ("0.0.0.0:1", False),
        ("[::]:1", False),
        ("192.0.2.1:1", False),
        ("[::ffff:192.0.2.1]:1", False),
    ],
)
def test_it_is_known_whether_other_machines_can_reach_it(text: str, loopback: bool) -> None:
    assert listen_address(text).is_loopback is loopback
