"""The language of watch rules: text becomes a `Rule`, and a rule its canonical text.

Rules come from strangers: any text either gives a rule or a `RuleError` that names the offending word. Nothing is
ignored silently, nothing is guessed, and reading takes time in proportion to the text.
"""

from market.grammar.reader import read_card, read_rule
from market.grammar.writer import write_rule

__all__ = ["read_card", "read_rule", "write_rule"]
