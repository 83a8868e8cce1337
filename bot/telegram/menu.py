"""The list of commands that Telegram shows beside the input field, in each language."""

from __future__ import annotations

import logging
import re
from typing import Final

from telegram import Bot, BotCommand
from telegram.error import BadRequest

from bot.conversation import Desk
from bot.render.clean import clean
from bot.telegram.faults import told

log = logging.getLogger(__name__)

LANGUAGES: Final = {"en": None, "pt_BR": "pt"}
"""The product's languages, and Telegram's code for each; None is everybody else's."""
DESCRIPTION_UNITS: Final = 256
COMMANDS: Final = 100
_NAME: Final = re.compile(r"[a-z0-9_]{1,32}")


async def set_menu(bot: Bot, desk: Desk) -> None:
    """Make Telegram show what the desk knows. A list that Telegram does not take is logged; the bot works without.

    Raises TelegramError when Telegram cannot be reached.
    """
    for language, code in LANGUAGES.items():
        commands = [
            BotCommand(name, clean(description, DESCRIPTION_UNITS) or name)
            for name, description in desk.commands(language)
            if _NAME.fullmatch(name)
        ]
        try:
            await bot.set_my_commands(commands[:COMMANDS], language_code=code)
        except BadRequest as error:
            log.error("the list of commands was not taken: %s", told(error))
