"""Two rules of one chat with one name: neither could be found by it, so the second is refused."""

from __future__ import annotations

import pytest

from tests.bot.commands.parlour import Parlour


@pytest.mark.parametrize("name", ["lora", "LORA", '"Lora"'])
async def test_a_name_that_is_taken_is_refused_and_its_rule_named(room: Parlour, name: str) -> None:
    await room.asks("/watch RTX 4090 <=0.40 name:lora")
    text = await room.asks(f"/watch RTX 5090 <=0.90 name:{name}")
    assert "The name lora is taken by rule 1" in text
    assert "RTX 4090 <=0.40 name:lora" in text
    assert len(room.product.watches.list("111")) == 1


async def test_another_name_and_no_name_are_free(room: Parlour) -> None:
    await room.asks("/watch RTX 4090 <=0.40 name:lora")
    await room.asks("/watch RTX 5090 <=0.90 name:lora2")
    await room.asks("/watch RTX 5090 <=0.80")
    await room.asks("/watch RTX 5090 <=0.70")
    assert len(room.product.watches.list("111")) == 4


async def test_a_rule_keeps_its_own_name_when_it_is_edited_and_takes_no_others(room: Parlour) -> None:
    await room.asks("/watch RTX 4090 <=0.40 name:lora")
    await room.asks("/watch RTX 5090 <=0.90 name:big")
    assert "is now" in await room.asks("/edit 1 RTX 4090 <=0.35 name:lora")
    assert "The name big is taken by rule 2" in await room.asks("/edit 1 RTX 4090 <=0.35 name:BIG")
    assert [watch.name for watch in room.product.watches.list("111")] == ["lora", "big"]
