"""The bot's life: it waits for Telegram, goes on after everything, and never costs the product more than a line."""

from __future__ import annotations

import asyncio
import logging

import pytest
from pydantic import SecretStr

from bot.settings import ConfigError
from bot.telegram.line import TokenRejected, open_line
from tests.bot.telegram.cast import LISTED, OWNER
from tests.bot.telegram.stage import Stage
from tests.fakes.botapi import Drop, Gate, Page, refusals


def lines(caplog: pytest.LogCaptureFixture, part: str) -> list[str]:
    return [record.getMessage() for record in caplog.records if part in record.getMessage()]


async def polls_fail(stage: Stage, fault: Drop | Page | refusals.Refusal, times: int) -> None:
    """Return when so many polls in a row have failed."""
    await stage.api.all_read()
    before = len(stage.api.calls("getUpdates"))
    stage.api.inject("getUpdates", fault, times=times)
    stage.api.world.updates.wake()
    await stage.api.next_calls("getUpdates", before + times)


async def test_a_command_is_answered(playing: Stage) -> None:
    ana = playing.api.person(OWNER, "Ana")
    ana.tells("/watch RTX 4090 <=0.40")
    assert (await ana.chat.next_message()).text == "watch: RTX 4090 <=0.40"


async def test_a_bot_that_starts_while_telegram_is_away_answers_when_it_is_back(stage: Stage) -> None:
    ana = stage.api.person(OWNER, "Ana")
    await stage.api.stop()
    await stage.play()
    assert stage.bot.problem is not None
    ana.tells("/help")
    await stage.api.start()
    assert (await ana.chat.next_message()).text == "help:"
    await stage.api.all_read()
    assert stage.bot.problem is None


async def test_a_telegram_that_never_answers_delays_the_start_only_so_long(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("bot.telegram.polling.FIRST_CONTACT_S", 0.05)
    gate = Gate()
    stage.api.inject("getMe", gate)
    await stage.play()
    assert stage.bot.problem is not None
    gate.open()


@pytest.mark.parametrize("refusal", [refusals.unauthorized(), refusals.invalid_token(), refusals.not_found()])
async def test_a_token_that_telegram_rejects_at_the_start_is_a_configuration_error(
    stage: Stage, refusal: refusals.Refusal
) -> None:
    stage.api.inject("getMe", refusal, times=None)
    with pytest.raises(ConfigError, match=r"^telegram\.token: ") as caught:
        await stage.play()
    assert isinstance(caught.value, TokenRejected)
    assert stage.api.token not in str(caught.value)
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


@pytest.mark.parametrize("token", ["", "hello", "12:34 56", "12:34/56", "1:é", "bot1:abc"])
def test_what_is_no_token_is_a_configuration_error_before_anything_is_asked(token: str) -> None:
    with pytest.raises(ConfigError, match=r"^telegram\.token: "):
        open_line(SecretStr(token), "https://api.telegram.org", lambda: 0.0)


@pytest.mark.parametrize("url", ["", "api.telegram.org", "ftp://x", "https://", "https://x/?a=1", "https://x:port/"])
def test_what_is_no_address_is_a_configuration_error(url: str) -> None:
    with pytest.raises(ConfigError, match=r"^telegram\.api_url: "):
        open_line(SecretStr("1:abc"), url, lambda: 0.0)


@pytest.mark.parametrize("name", ["ALL_PROXY", "HTTPS_PROXY", "HTTP_PROXY"])
@pytest.mark.parametrize("address", ["socks://user:secret@127.0.0.1:9", "socks5://127.0.0.1:9", "http://", "x://["])
def test_a_proxy_that_cannot_be_used_is_one_line_that_names_the_variable(
    monkeypatch: pytest.MonkeyPatch, name: str, address: str
) -> None:
    monkeypatch.setenv(name, address)
    with pytest.raises(ConfigError, match=f"^{name}: ") as caught:
        open_line(SecretStr("1:abc"), "https://api.telegram.org", lambda: 0.0)
    assert "secret" not in str(caught.value)


async def test_this_machine_is_reached_without_the_proxy_of_the_environment(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ALL_PROXY", "http://127.0.0.1:9")
    await stage.play()
    assert stage.bot.problem is None


async def test_a_token_revoked_later_stops_the_asking_and_is_said_once(
    playing: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    api = playing.api
    await api.all_read()
    api.revoke_token()
    api.world.updates.wake()
    ana = api.person(OWNER, "Ana")
    ana.tells("/help")
    await api.next_calls("getUpdates", 2)
    polling = next(task for task in asyncio.all_tasks() if task.get_name() == "telegram:polling")
    await asyncio.wait_for(polling, 2)
    assert playing.bot.problem == "the bot token was rejected"
    assert len(lines(caplog, "rejects the bot token")) == 1


async def test_a_404_in_the_middle_is_an_outage_and_not_the_end(playing: Stage) -> None:
    ana = playing.api.person(OWNER, "Ana")
    await polls_fail(playing, refusals.not_found(), 3)
    ana.tells("/help")
    assert (await ana.chat.next_message()).text == "help:"


@pytest.mark.parametrize(
    "fault",
    [
        Drop(),
        Page(),
        Page(status=200, body="<html>hotel wifi</html>"),
        Page(status=200, body="{}", content_type="application/json"),
        Page(status=200, body='{"ok": true, "result": 7}', content_type="application/json"),
        Page(status=200, body='{"ok": true, "result": [7, {"update_id": "x"}]}', content_type="application/json"),
        refusals.server_error(),
        refusals.bad_request("something new"),
        refusals.too_many_requests(3),
    ],
)
async def test_polling_outlives_every_failure_and_says_little(
    playing: Stage, caplog: pytest.LogCaptureFixture, fault: Drop | Page | refusals.Refusal
) -> None:
    ana = playing.api.person(OWNER, "Ana")
    await polls_fail(playing, fault, 5)
    ana.tells("/help")
    assert (await ana.chat.next_message()).text == "help:"
    troubles = [record for record in caplog.records if record.levelno >= logging.WARNING]
    assert len(troubles) == 1
    assert not [record for record in troubles if record.exc_info]
    assert "\n" not in "".join(record.getMessage() for record in troubles)


async def test_waits_between_failed_polls_grow_and_stay_bounded(playing: Stage) -> None:
    await polls_fail(playing, Page(), 12)
    await playing.api.all_read()
    waits = playing.clock.waits
    assert len(waits) == 12
    assert waits[0] == 1.0
    assert waits == sorted(waits)
    assert max(waits) == 15.0


async def test_another_reader_with_the_same_token_is_one_clear_line_and_no_exit(
    playing: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    ana = playing.api.person(OWNER, "Ana")
    await polls_fail(playing, refusals.conflict(), 40)
    ana.tells("/help")
    assert (await ana.chat.next_message()).text == "help:"
    assert len(lines(caplog, "another program reads this bot's messages")) == 1
    assert min(playing.clock.waits) >= 5


async def test_a_webhook_left_behind_is_removed_and_no_message_is_lost(stage: Stage) -> None:
    ana = stage.api.person(OWNER, "Ana")
    stage.api.world.webhook = "https://example.org/hook"
    ana.tells("/help")
    await stage.play()
    assert (await ana.chat.next_message()).text == "help:"
    assert stage.api.calls("deleteWebhook")[0].flag("drop_pending_updates") is False


async def test_a_webhook_set_while_the_bot_runs_is_removed(playing: Stage, caplog: pytest.LogCaptureFixture) -> None:
    ana = playing.api.person(OWNER, "Ana")
    await playing.api.all_read()
    playing.api.world.webhook = "https://example.org/hook"
    playing.api.world.updates.wake()
    ana.tells("/help")
    assert (await ana.chat.next_message()).text == "help:"
    assert lines(caplog, "webhook")
    assert not lines(caplog, "example.org")


async def test_an_update_that_cannot_be_read_hides_no_other(playing: Stage, caplog: pytest.LogCaptureFixture) -> None:
    ana = playing.api.person(OWNER, "Ana")
    ana.tells("/help one")
    playing.api.push_update({"message": {"message_id": "no", "chat": 7}})
    playing.api.push_update({"callback_query": {"id": "1"}})
    ana.tells("/help two")
    texts = [(await ana.chat.next_message()).text for _ in range(2)]
    assert texts == ["help: one", "help: two"]
    await playing.api.all_read()
    assert len(playing.api.calls("getUpdates")) < 10
    assert len(lines(caplog, "cannot be read and is left out")) == 2


async def test_what_was_said_while_the_bot_was_away_is_answered(stage: Stage) -> None:
    ana = stage.api.person(OWNER, "Ana")
    for number in range(3):
        ana.tells(f"/help {number}")
    await stage.play()
    assert [(await ana.chat.next_message()).text for _ in range(3)] == ["help: 0", "help: 1", "help: 2"]


async def test_stopping_lets_an_answer_under_way_out_and_confirms_what_was_read(stage: Stage) -> None:
    await stage.play()
    ana = stage.api.person(OWNER, "Ana")
    working, done = asyncio.Event(), asyncio.Event()

    async def slowly() -> None:
        working.set()
        await done.wait()

    stage.desk.before = slowly
    ana.tells("/now 4090")
    await asyncio.wait_for(working.wait(), 2)
    stopping = asyncio.create_task(stage.bot.stop())
    await asyncio.sleep(0)
    done.set()
    await asyncio.wait_for(stopping, 2)
    assert (await ana.chat.next_message()).text == "now: 4090"
    assert len(stage.api.world.updates) == 0
    others = asyncio.all_tasks() - {asyncio.current_task()}
    assert not [task for task in others if task.get_name().startswith(("telegram", "lane"))]


async def test_stopping_does_not_wait_for_a_telegram_that_is_away(stage: Stage) -> None:
    await stage.play()
    await stage.api.stop()
    await asyncio.wait_for(stage.bot.stop(), 3)


async def test_the_token_is_in_no_log_line_at_any_level(stage: Stage, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    stage.api.inject("getMe", Page(body=f"<html>no /bot{stage.api.token}/getMe here</html>"))
    await stage.play()
    ana, eva = stage.api.person(OWNER, "Ana"), stage.api.person(LISTED, "Eva")
    stage.api.inject("sendMessage", Drop(), chat_id=OWNER)
    stage.api.inject("sendMessage", Page(), chat_id=LISTED)
    ana.tells("/help")
    eva.tells("/help")
    await ana.chat.next_message()
    await eva.chat.next_message()
    stage.api.revoke_token()
    stage.api.world.updates.wake()
    await stage.bot.stop()
    secret = stage.api.token.partition(":")[2]
    everything = "\n".join(
        logging.Formatter("%(name)s %(message)s").format(record) for record in caplog.get_records("call")
    )
    assert everything
    assert secret not in everything


async def test_owners_are_told_what_they_should_know(playing: Stage) -> None:
    ana = playing.api.person(OWNER, "Ana")
    playing.notices.tell(lambda speech, zone: "vast: the API key was <rejected> & rests")
    assert (await ana.chat.next_message()).text == "vast: the API key was <rejected> & rests"
