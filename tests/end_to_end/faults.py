"""Faults that only these tests need: an answer of the simulated market, edited before it goes out."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from scanners.simulator.exchange import Answer
from scanners.simulator.faults import Delivery


@dataclass(frozen=True, slots=True)
class Edited:
    """The right answer after `edit` has changed its document."""

    edit: Callable[[Any], None]

    async def deliver(self, genuine: Answer) -> Delivery:
        """The changed answer."""
        document = json.loads(genuine.body)
        self.edit(document)
        return Delivery(answer=replace(genuine, body=json.dumps(document).encode()))
