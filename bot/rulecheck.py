"""What this version can watch. The grammar reads more; a rule that would stay silent is refused instead."""

from __future__ import annotations

from market.rule import Rule, RuleError


def check_supported(rule: Rule) -> None:
    """Raises RuleError for a kind of rule that is read but not watched yet."""
    wanted = {"drop:": rule.drop_ppm is not None, "low:": rule.low_days is not None, "shortage": rule.shortage}
    for word, asked in wanted.items():
        if asked:
            raise RuleError(word, "this kind of rule is not watched by this version yet; use a ceiling instead")
