"""Rules kept in the configuration file: `name` identifies them, editing the file edits them."""

from __future__ import annotations

from bot.product import Product
from bot.rulecheck import check_supported
from bot.settings import ConfigError
from market.rule import RuleError
from storage.watches import FileRule


def sync_file_rules(product: Product) -> bool:
    """Bring the stored watches in line with the file; whether anything changed. Raises ConfigError naming the rule."""
    rules = []
    for watch in product.settings.watches:
        try:
            rule = product.rules.read(watch.rule)
            check_supported(rule)
        except RuleError as error:
            raise ConfigError(f"watches.{watch.name}.rule: {error}") from error
        rules.append(FileRule(name=watch.name, chat=watch.chat, text=product.rules.write(rule)))
    return product.watches.sync_file(rules, product.clock.now())
