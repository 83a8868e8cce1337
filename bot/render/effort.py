"""What a rule costs, in a line for each market, and what all rules together are too many for."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bot.language import Speech
from bot.render.facts import market_name
from market.effort import Effort, Strain


def effort_record(effort: Effort, name: str, speech: Speech) -> dict[str, Any]:
    """The cost of a rule on one market for programs; warnings are sentences."""
    return {
        "asked_every_s": effort.asked_every_s,
        "rows_per_day": effort.rows_per_day,
        "warnings": [warning(name, each, speech) for each in effort.strains],
    }


def cost_lines(efforts: Mapping[str, Effort], speech: Speech) -> list[str]:
    """What a rule costs, one line a market."""
    return [_cost(market_name(name), each, speech) for name, each in efforts.items()]


def warnings(efforts: Mapping[str, Effort], speech: Speech) -> list[str]:
    """What is too much, and what to do about it."""
    return [warning(name, strain, speech) for name, each in efforts.items() for strain in each.strains]


def warning(name: str, strain: Strain, speech: Speech) -> str:
    """One thing that is too much on a market."""
    market, each, wanted = market_name(name), _span(strain.each_s, speech), _span(strain.wanted_s, speech)
    key = f"marketplaces.{name}.{'rows_per_day' if strain.limit == 'rows' else 'requests_per_minute'}"
    match strain.what:
        case "round":
            said = speech.plural(
                "{market}: the request limit lets its {n} question be asked only every {span}.",
                "{market}: {n} questions take turns, so that each is asked only every {span}.",
                strain.questions,
                market=market,
                span=each,
            )
            remedy = speech.text("Fewer numbers of GPUs help, such as x1 instead of x1+.")
        case "pictures":
            said = speech.text(
                "{market}: the full picture of a card is taken only every {span} instead of every {wanted}.",
                market=market,
                span=each,
                wanted=wanted,
            )
            remedy = speech.text("Fewer cards help.")
        case "rest":
            said = speech.text(
                "{market}: so many offers are known that questions rest {span} instead of {wanted}.",
                market=market,
                span=each,
                wanted=wanted,
            )
            remedy = speech.text("Fewer cards or a lower ceiling help.")
    higher = speech.text("A higher {key} in the configuration helps, if the account has one.", key=key)
    # of a single question or card there are no fewer
    return " ".join([said, *([remedy] if strain.questions > 1 or strain.what == "rest" else []), higher])


def _cost(market: str, effort: Effort, speech: Speech) -> str:
    span = _span(effort.asked_every_s, speech)
    if not effort.charged:
        return speech.text("{market}: asked every {span} while scarce.", market=market, span=span)
    if effort.rows_per_day is None:
        return speech.text(
            "{market}: asked every {span} while scarce; the first full picture will tell what rows it costs.",
            market=market,
            span=span,
        )
    if effort.rows_per_day == 0:
        return speech.text("{market}: no further rows, asked every {span} while scarce.", market=market, span=span)
    if effort.looks_per_day:
        return speech.plural(
            "{market}: about {n} row a day ({again} to look again at what matches), asked every {span} while scarce.",
            "{market}: about {n} rows a day ({again} to look again at what matches), asked every {span} while scarce.",
            effort.rows_per_day,
            market=market,
            again=speech.count(effort.looks_per_day),
            span=span,
        )
    return speech.plural(
        "{market}: about {n} row a day, asked every {span} while scarce.",
        "{market}: about {n} rows a day, asked every {span} while scarce.",
        effort.rows_per_day,
        market=market,
        span=span,
    )


def _span(seconds: float, speech: Speech) -> str:
    """Never less than a second: a shorter time is no news to a person."""
    return speech.span(max(seconds, 1.0))
