"""What a button carries."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bot.buttons import ACTIONS, BYTES, LARGEST_ID, Button, decode, encode

buttons = st.builds(
    Button,
    action=st.sampled_from(sorted(ACTIONS)),
    id=st.integers(0, LARGEST_ID),
    argument=st.from_regex(r"[A-Za-z0-9_.+-]{0,24}", fullmatch=True),
)


@given(buttons)
def test_every_button_fits_and_comes_back_as_it_was(button: Button) -> None:
    data = encode(button)
    assert len(data.encode()) <= BYTES
    assert decode(data) == button


def test_the_longest_button_there_can_be_fits() -> None:
    longest: Any = max(ACTIONS, key=len)
    assert len(encode(Button(action=longest, id=LARGEST_ID, argument="x" * 24)).encode()) <= BYTES
    assert all(len(action) <= 16 for action in ACTIONS)


def test_buttons_under_messages_of_years_ago_still_work() -> None:
    assert decode("v1:got_it:42") == Button(action="got_it", id=42)
    assert decode("v1:snooze:42:3600") == Button(action="snooze", id=42, argument="3600")
    assert decode("v1:history:1") == Button(action="history", id=1)
    assert decode("v1:pause:9") == Button(action="pause", id=9)
    assert decode("v1:never:9223372036854775807") == Button(action="never", id=LARGEST_ID)


@pytest.mark.parametrize(
    "data",
    [
        "",
        "v1",
        "v1:got_it",
        "v1:got_it:",
        "v1:got_it:-1",
        "v1:got_it:01",
        "v1:got_it:٣",
        "v1:got_it:1:",
        "v1:got_it:1:a:b",
        "v1:got_it:1\n",
        "v1:GOT_IT:1",
        "v1:unheard_of:1",
        "v2:got_it:1",
        "v1:got_it:9223372036854775808",
        "v1:snooze:1:ação",
        "v1:snooze:1:" + "x" * 25,
        "1' OR 1=1 --",
    ],
)
def test_what_is_no_button_of_ours_is_nothing(data: str) -> None:
    assert decode(data) is None


@given(st.text(max_size=80) | st.from_regex(r"v[12]:[a-z_]{1,20}:[0-9]{1,30}(:[ -~]*)?", fullmatch=True))
def test_any_data_at_all_is_read_without_an_error_and_never_guessed(data: str) -> None:
    button = decode(data)
    assert button is None or encode(button) == data


@pytest.mark.parametrize(
    "fields",
    [
        {"action": "unheard_of", "id": 1},
        {"action": "page", "id": -1},
        {"action": "page", "id": 2**63},
        {"action": "page", "id": 1, "argument": "a:b"},
        {"action": "page", "id": 1, "argument": "NVIDIA RTX PRO 6000 Blackwell Max-Q"},
        {"action": "page", "id": 1, "argument": "é"},
    ],
)
def test_what_cannot_be_carried_is_refused_when_the_button_is_made(fields: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"button|id of a row"):
        Button(**fields)
