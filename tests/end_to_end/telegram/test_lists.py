"""People and groups come and go on the lists of the configuration: what is sent to them follows."""

from __future__ import annotations

from tests.end_to_end.telegram.conftest import BuildHome
from tests.end_to_end.telegram.home import GROUP, SECOND, Home, alerts_in

RULE = "/watch RTX 4090 <=0.40 vast"


def set_lists(home: Home, *, users: list[int], chats: list[int]) -> None:
    """Edit the configuration, for the next start."""
    lines = home.config.read_text(encoding="utf-8").splitlines()
    edited = {"allowed_users": users, "allowed_chats": chats}
    lines = [
        next((f"{key} = {value}" for key, value in edited.items() if line.startswith(key)), line) for line in lines
    ]
    home.config.write_text("\n".join(lines), encoding="utf-8")


async def test_who_is_taken_off_hears_nothing_and_goes_on_when_put_back(build_home: BuildHome) -> None:
    home = await build_home(users=(SECOND,), chats=(GROUP,))
    second, group = home.person(SECOND, "Eva"), home.api.group(GROUP)
    async with home.running("vast") as life:
        await life.asks(second, RULE)
        await life.asks(home.owner, RULE, group)
        await life.passes(minutes=2)

    set_lists(home, users=[], chats=[])
    async with home.running("vast") as life:
        assert "2 rules rest" in (await home.owner.chat.next_message()).text
        home.market.vast.add_machine(price=0.35)
        await life.passes(minutes=5)
        assert alerts_in(second.chat) == alerts_in(group) == []
        assert "not on this bot's list any more" in (await life.asks(second, "/now 4090")).text
        assert "no longer allowed" in (await life.asks(second, "/watches")).text
        assert "2 rules rest: no longer allowed" in (await life.asks(home.owner, "/status")).text
    listed = (await home.ask("watch", "list", "--json")).json["watches"]
    assert [(each["state"], each["allowed"]) for each in listed] == [("paused", False)] * 2
    assert (await home.ask("watch", "list")).out.count("no longer allowed") == 2
    assert "no longer allowed: 2 rules rest" in (await home.ask("status")).out

    set_lists(home, users=[SECOND], chats=[GROUP])
    async with home.running("vast") as life:
        await life.passes(minutes=5)
        assert len(alerts_in(second.chat)) == len(alerts_in(group)) == 1


async def test_who_is_taken_off_can_still_pause_by_the_button_of_an_old_alert(build_home: BuildHome) -> None:
    home = await build_home(users=(SECOND,))
    second = home.person(SECOND, "Eva")
    async with home.running("vast") as life:
        await life.asks(second, RULE)
        home.market.vast.add_machine(price=0.35)
        await life.passes(minutes=2)
        (alert,) = alerts_in(second.chat)

    set_lists(home, users=[], chats=[])
    async with home.running("vast"):
        toast = await second.taps(alert, "Pause").answered()
        assert toast.text == "Rule 1 is paused."
        refused = await second.taps(alert, "History").answered()
        assert "list" in refused.text
