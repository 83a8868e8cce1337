"""Whether a token is good is asked once, and no answer to that ever shows the token."""

from __future__ import annotations

import pytest
from pydantic import SecretStr

from bot.telegram import greeting
from bot.telegram.greeting import Unanswered, Unusable, bot_name
from tests.fakes.botapi import BotApi, Gate, refusals


async def test_a_good_token_is_answered_with_the_name_of_the_bot(api: BotApi) -> None:
    assert (await bot_name(SecretStr(api.token), api.url)).startswith("@")


@pytest.mark.parametrize("refusal", [refusals.unauthorized(), refusals.invalid_token(), refusals.not_found()])
async def test_a_token_that_telegram_rejects_is_unusable(api: BotApi, refusal: refusals.Refusal) -> None:
    api.inject("getMe", refusal, times=None)
    with pytest.raises(Unusable, match="rejects this bot token") as caught:
        await bot_name(SecretStr(api.token), api.url)
    assert api.token not in str(caught.value)


@pytest.mark.parametrize("token", ["nonsense", "12:", "12:a b"])
async def test_what_is_no_token_is_not_even_sent(api: BotApi, token: str) -> None:
    with pytest.raises(Unusable, match=r"telegram\.token"):
        await bot_name(SecretStr(token), api.url)
    assert not api.calls("getMe")


async def test_a_telegram_that_is_away_leaves_the_token_in_doubt_and_is_named(api: BotApi) -> None:
    await api.stop()
    with pytest.raises(Unanswered, match=r"^127\.0\.0\.1 gives no answer") as caught:
        await bot_name(SecretStr(api.token), api.url)
    assert api.token not in str(caught.value)


async def test_a_telegram_that_is_silent_is_not_waited_for_long(api: BotApi, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(greeting, "PATIENCE_S", 0.05)
    gate = Gate()
    api.inject("getMe", gate)
    with pytest.raises(Unanswered, match="does not answer within"):
        await bot_name(SecretStr(api.token), api.url)
    gate.open()
