"""The chat commands, one module a command or a pair, for every channel alike.

A command is a plain function from a `Visit` and what was written to an `Outcome`; it may block, and runs in a worker
thread. Nothing here knows Telegram, and nothing here asks a marketplace.
"""

from bot.commands.desk import Commands

__all__ = ["Commands"]
