"""What can be watched. The grammar reads more; a rule that would stay silent is refused instead."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from market.grammar.figures import duration_text
from market.rule import Rule, RuleError
from market.verdict import unsatisfiable


def check_supported(rule: Rule) -> None:
    """Raises RuleError for a kind of rule that is read but not watched yet, and for one that nothing can ever match."""
    wanted = {"drop:": rule.drop_ppm is not None, "low:": rule.low_days is not None, "shortage": rule.shortage}
    for word, asked in wanted.items():
        if asked:
            raise RuleError(word, "this kind of rule is not watched by this version yet; use a ceiling instead")
    _check_satisfiable(rule)


def _check_satisfiable(rule: Rule) -> None:
    """At least one marketplace and tier of the rule has to publish all that the rule asks for."""
    excluded = unsatisfiable(rule)
    if not excluded or not all(market in excluded or f"{market} {tier}" in excluded for market, tier in rule.places):
        return
    reason = next(iter(excluded.values()))
    word = next((word for word, freed in _without_each(rule) if unsatisfiable(freed) != excluded), ", ".join(excluded))
    raise RuleError(word, reason, f"RTX 4090 vast {word}")


def _without_each(rule: Rule) -> Iterator[tuple[str, Rule]]:
    """Each option that a market may be unable to satisfy, as it is written, and the rule without it."""
    if rule.min_down_mbps is not None:
        yield f"down>={rule.min_down_mbps}", replace(rule, min_down_mbps=None)
    if rule.min_ram_gb is not None:
        yield f"ram>={rule.min_ram_gb}", replace(rule, min_ram_gb=None)
    if rule.min_duration_s is not None:
        yield f"dur>={duration_text(rule.min_duration_s)}", replace(rule, min_duration_s=None)
    if rule.countries:
        yield f"in:{','.join(sorted(rule.countries))}", replace(rule, countries=frozenset())
