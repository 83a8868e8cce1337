"""Alerts on Telegram: in the chat's words, at Telegram's pace, and what each of its failures means for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from bot.buttons import Button, decode
from bot.channels import DeliveryError, Outgoing, TooSoon
from bot.conversation import Key
from market.alert import Part
from storage.chats import Chat
from tests.bot.samples import NOW, RUNPOD, VAST, alert, part
from tests.bot.telegram.cast import GROUP, LISTED, OWNER
from tests.bot.telegram.stage import Stage
from tests.fakes.botapi import Drop, Page, Person, Refusal, refusals

HOSTILE = "São Paulo, BR (rack_#1) [x]! a.b-c=d|{e}~f>g+h <b>&amp; US_East"


def outgoing(chat: int | str = OWNER, *, number: int = 41, in_doubt: bool = False, place: str = "BR") -> Outgoing:
    told = replace(alert(part(VAST._replace(place=place))), chat=str(chat))
    return Outgoing(id=number, alert=told, now=NOW, in_doubt=in_doubt)


@pytest.fixture
def built(stage: Stage) -> Stage:
    """A channel whose bot has not been started: alerts need no greeting."""
    stage.build()
    return stage


@pytest.fixture
def ana(built: Stage) -> Person:
    return built.api.person(OWNER, "Ana")


async def failure(stage: Stage, message: Outgoing) -> DeliveryError:
    with pytest.raises(DeliveryError) as caught:
        await stage.channel.send(message)
    return caught.value


async def test_an_alert_arrives_with_its_sound_its_buttons_and_its_number(built: Stage, ana: Person) -> None:
    message_id = await built.channel.send(outgoing())
    message = await ana.chat.next_message()
    assert str(message.number) == message_id
    assert message.sounded
    assert "alert 41" in message.text
    assert "RTX 4090" in message.text
    assert message.rows == [["Open", "History", "Pause"]]
    assert (message.button("Open").url or "").startswith("https://cloud.example/")


async def test_the_buttons_carry_numbers_of_rows_that_outlive_a_restart(built: Stage, ana: Person) -> None:
    await built.channel.send(outgoing())
    message = await ana.chat.next_message()
    assert decode(message.button("History").data or "") == Button(action="history", id=41)
    assert decode(message.button("Pause").data or "") == Button(action="pause", id=7)


async def test_an_alert_for_several_rules_can_pause_each_by_name(built: Stage, ana: Person) -> None:
    name = "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition é <b>"
    parts = (part(VAST, watch_id=1, name=name), part(RUNPOD, watch_id=2, name="lora"), *_parts(3, 6))
    told = replace(alert(*parts), chat=str(OWNER))
    await built.channel.send(Outgoing(id=1, alert=told, now=NOW))
    message = await ana.chat.next_message()
    *pauses, rest = [decode(row[0].data or "") for row in message.keyboard.rows[1:]]
    assert pauses == [Button(action="pause", id=number) for number in (1, 2, 3)]
    assert rest == Button(action="more", id=1), "the other rules are there too"
    assert message.rows[2] == ["Pause lora"]


def _parts(first: int, last: int) -> list[Part]:
    return [part(VAST, watch_id=number, name=f"rule {number}") for number in range(first, last)]


async def test_an_alert_speaks_the_chats_language(built: Stage, ana: Person) -> None:
    built.chats.chats[str(OWNER)] = Chat(chat=str(OWNER), language="pt_BR", timezone="America/Sao_Paulo")
    await built.channel.send(outgoing())
    message = await ana.chat.next_message()
    assert message.rows == [["Abrir", "Histórico", "Pausar"]]
    assert "0,3500" in message.text


async def test_a_damaged_time_zone_of_a_chat_costs_no_alert(built: Stage, ana: Person) -> None:
    built.chats.chats[str(OWNER)] = Chat(chat=str(OWNER), timezone="Mars/Olympus")
    assert await built.channel.send(outgoing())


async def test_hostile_text_of_a_host_arrives_at_the_first_attempt_as_it_is(built: Stage, ana: Person) -> None:
    await built.channel.send(outgoing(place=HOSTILE))
    assert HOSTILE in (await ana.chat.next_message()).text
    assert len(built.api.calls("sendMessage")) == 1


async def test_markup_that_telegram_does_not_take_goes_once_as_plain_text(built: Stage, ana: Person) -> None:
    built.api.inject("sendMessage", refusals.unparsable("Unclosed start tag at byte offset 2"))
    await built.channel.send(outgoing(place=HOSTILE))
    message = await ana.chat.next_message()
    assert HOSTILE in message.text
    assert message.entities == ()
    assert len(built.api.calls("sendMessage")) == 2


async def test_plain_text_that_is_refused_too_is_not_tried_a_third_time(built: Stage, ana: Person) -> None:
    built.api.inject("sendMessage", refusals.unparsable("x"), times=None)
    assert (await failure(built, outgoing())).permanent
    assert len(built.api.calls("sendMessage")) == 2


@pytest.mark.parametrize("problem", ["message is too long", "BUTTON_DATA_INVALID", "something new of tomorrow"])
async def test_a_request_that_can_never_work_is_made_exactly_once(built: Stage, ana: Person, problem: str) -> None:
    built.api.inject("sendMessage", refusals.bad_request(problem), times=None)
    error = await failure(built, outgoing())
    assert (error.permanent, error.maybe_sent) == (True, False)
    assert len(built.api.calls("sendMessage")) == 1


@pytest.mark.parametrize("seconds", [34, 1128])
async def test_a_flood_limit_is_waited_out_in_that_chat_only(built: Stage, ana: Person, seconds: int) -> None:
    eva = built.api.person(LISTED, "Eva")
    built.api.inject("sendMessage", refusals.too_many_requests(seconds))
    error = await failure(built, outgoing())
    assert (error.retry_after, error.permanent, error.maybe_sent) == (float(seconds), False, False)
    assert await built.channel.send(outgoing(LISTED))
    assert len(eva.chat.from_bot) == 1

    built.clock.advance(seconds - 1)
    assert isinstance(await failure(built, outgoing()), TooSoon)
    assert len(built.api.calls("sendMessage")) == 2, "nothing is asked before the time"
    built.clock.advance(1)
    assert await built.channel.send(outgoing())


GONE: dict[str, Callable[[Stage, Person], None]] = {
    "blocked": lambda stage, person: person.blocks_bot(),
    "deactivated": lambda stage, person: person.deactivates(),
    "kicked": lambda stage, person: stage.api.inject("sendMessage", refusals.kicked(), times=None, chat_id=LISTED),
    "left": lambda stage, person: stage.api.inject("sendMessage", refusals.not_a_member(), times=None, chat_id=LISTED),
    "never started": lambda stage, person: stage.api.inject(
        "sendMessage", refusals.cannot_initiate(), times=None, chat_id=LISTED
    ),
    "not found": lambda stage, person: stage.api.inject(
        "sendMessage", refusals.chat_not_found(), times=None, chat_id=LISTED
    ),
}


@pytest.mark.parametrize("happens", GONE.values(), ids=GONE.keys())
async def test_a_chat_that_is_gone_is_tried_once_paused_and_told_to_the_owner_once(
    built: Stage, ana: Person, happens: Callable[[Stage, Person], None]
) -> None:
    happens(built, built.api.person(LISTED, "Eva"))
    first = await failure(built, outgoing(LISTED))
    second = await failure(built, outgoing(LISTED))
    assert first.permanent
    assert second.permanent
    assert len(built.api.calls("sendMessage")) == 1
    assert built.chats.chats[str(LISTED)].state == "blocked"
    assert len(built.told) == 1
    assert await built.channel.send(outgoing(OWNER)), "the others get theirs"


async def test_start_brings_a_chat_back_that_was_gone(playing: Stage) -> None:
    eva = playing.api.person(LISTED, "Eva")
    eva.blocks_bot()
    await failure(playing, outgoing(LISTED))
    eva.unblocks_bot()
    eva.tells("/start")
    await eva.chat.next_message()
    assert playing.chats.chats[str(LISTED)].state == "active"
    assert await playing.channel.send(outgoing(LISTED))


@pytest.mark.parametrize(
    "refusal",
    [refusals.no_rights(), refusals.bad_request("CHAT_WRITE_FORBIDDEN"), Refusal(403, "Forbidden: CHAT_RESTRICTED")],
)
async def test_a_bot_that_may_not_write_tries_again_a_day_later_and_pauses_nothing(
    built: Stage, ana: Person, refusal: Refusal
) -> None:
    built.api.inject("sendMessage", refusal)
    error = await failure(built, outgoing())
    assert (error.retry_after, error.permanent) == (86_400.0, False)
    assert built.chats.writes == 0
    assert await built.channel.send(outgoing())


async def test_a_revoked_token_stops_all_sending_after_one_attempt(built: Stage, ana: Person) -> None:
    built.api.revoke_token()
    for _ in range(10):
        error = await failure(built, outgoing())
        assert (error.permanent, error.retry_after) == (False, 60.0)
    assert len(built.api.calls()) == 1
    assert built.bot.problem == "the bot token was rejected"


async def test_an_alert_follows_a_group_to_its_new_id_at_once_and_the_old_id_is_not_used_again(built: Stage) -> None:
    built.chats.chats[str(GROUP)] = Chat(chat=str(GROUP), language="pt_BR")
    group = built.api.group(GROUP)
    new = group.migrates(-1005)
    await built.channel.send(outgoing(GROUP))
    await built.channel.send(outgoing(GROUP, number=42))
    assert [message.rows[0][0] for message in new.from_bot] == ["Abrir", "Abrir"]
    assert [call.chat_id for call in built.api.calls("sendMessage")] == [GROUP, -1005, -1005]
    assert set(built.chats.chats) == {"-1005"}
    assert built.access.right(LISTED, -1005, is_group=True) == built.access.right(LISTED, GROUP, is_group=True)


@pytest.mark.parametrize("fault", [Page(), Page(status=503), refusals.server_error(), refusals.not_found()])
async def test_an_answer_that_says_no_leaves_no_doubt_and_is_tried_again(
    built: Stage, ana: Person, fault: Page | Refusal
) -> None:
    built.api.inject("sendMessage", fault)
    error = await failure(built, outgoing())
    assert (error.permanent, error.maybe_sent, error.retry_after) == (False, False, None)
    assert await built.channel.send(outgoing())


async def test_a_telegram_that_cannot_be_connected_to_leaves_no_doubt(built: Stage, ana: Person) -> None:
    await built.api.stop()
    error = await failure(built, outgoing())
    assert (error.permanent, error.maybe_sent) == (False, False)


@pytest.mark.parametrize(
    "fault",
    [
        Drop(),
        Page(status=504),
        Page(status=200, body="<html>"),
        Page(status=200, body='{"ok": true, "result": {}}', content_type="application/json"),
        Page(status=200, body='{"ok": true, "result": null}', content_type="application/json"),
    ],
)
async def test_a_lost_or_odd_answer_leaves_the_alert_in_doubt(built: Stage, ana: Person, fault: Drop | Page) -> None:
    built.api.inject("sendMessage", fault, when="after")
    error = await failure(built, outgoing())
    assert (error.permanent, error.maybe_sent) == (False, True)
    assert len(ana.chat.from_bot) == 1


async def test_an_alert_in_doubt_is_sent_again_only_when_telegram_answers(built: Stage, ana: Person) -> None:
    built.api.inject("getMe", Drop())
    error = await failure(built, outgoing(in_doubt=True))
    assert (error.permanent, error.maybe_sent) == (False, False)
    assert built.api.calls("sendMessage") == []
    assert await built.channel.send(outgoing(in_doubt=True))


async def test_the_library_is_told_to_wait_longer_than_telegram_is_slow(built: Stage) -> None:
    assert (built.line.bot.request.read_timeout or 0) >= 20


async def test_four_alerts_may_follow_each_other_in_a_chat_and_then_one_a_second(built: Stage, ana: Person) -> None:
    built.api.limits.enabled = True
    sent = 0
    while sent < 30:
        try:
            await built.channel.send(outgoing())
            sent += 1
        except TooSoon as early:
            built.clock.advance(early.retry_after or 0)
    assert built.clock.elapsed == pytest.approx(26)
    assert len(ana.chat.from_bot) == 30


async def test_what_is_no_chat_of_telegram_is_a_permanent_failure(built: Stage) -> None:
    for chat in ("terminal", "", "-", "12x", "１２"):
        assert (await failure(built, outgoing(chat))).permanent
    assert built.api.calls() == []


async def test_a_sent_alert_is_edited_in_place_without_a_sound(built: Stage, ana: Person) -> None:
    message_id = await built.channel.send(outgoing())
    assert message_id is not None
    message = await ana.chat.next_message()
    keys = ((Key(label="History", data="v1:history:41"),),)
    await built.channel.edit(str(OWNER), message_id, "<b>gone</b> after 12 min", keys)
    await built.channel.edit(str(OWNER), message_id, "<b>gone</b> after 12 min", keys)
    assert (message.text, message.rows, message.edits) == ("gone after 12 min", [["History"]], 1)
    assert ana.chat.sounds == 1


@pytest.mark.parametrize("refusal", [refusals.nothing_to_edit(), refusals.bad_request("message can't be edited")])
async def test_a_message_that_cannot_be_edited_is_given_up(built: Stage, ana: Person, refusal: Refusal) -> None:
    built.api.inject("editMessageText", refusal)
    with pytest.raises(DeliveryError) as caught:
        await built.channel.edit(str(OWNER), "5", "gone")
    assert caught.value.permanent


async def test_messages_of_a_group_that_moved_are_not_edited_in_the_new_one(built: Stage) -> None:
    built.api.group(GROUP).migrates(-1005)
    with pytest.raises(DeliveryError) as caught:
        await built.channel.edit(str(GROUP), "5", "gone")
    assert caught.value.permanent
    assert built.life.current(str(GROUP)) == "-1005"
