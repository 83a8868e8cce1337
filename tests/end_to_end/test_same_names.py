"""Names of rules on the command line: within a chat, one name is one rule."""

from __future__ import annotations

from tests.end_to_end.house import House


async def test_a_second_rule_of_a_taken_name_is_refused_in_one_line_that_names_the_first(house: House) -> None:
    await house.ask("watch", "add", "RTX 4090 <=0.40", "--name", "lora")
    refused = await house.ask("watch", "add", "RTX 5090 <=0.90", "--name", "LoRA")
    assert refused.code == 2
    assert refused.err.strip() == "atalaia: --name: 'lora' is taken by rule 1: RTX 4090 <=0.40"
    elsewhere = await house.ask("watch", "add", "RTX 5090 <=0.90", "--name", "lora", "--chat", "7")
    assert elsewhere.code == 0
