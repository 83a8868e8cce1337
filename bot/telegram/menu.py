"""The list of commands that Telegram shows beside the input field, in each language.

It is decoration: nothing waits for it, and a Telegram that does not take it is asked again later, less and less often.
"""

from __future__ import annotations

import logging
import re
from typing import Final

from telegram import Bot, BotCommand
from telegram.error import BadRequest

from bot.clock import Clock
from bot.conversation import Desk
from bot.render.clean import clean
from bot.telegram.faults import FOREIGN, fault_of, told
from bot.telegram.line import Line

log = logging.getLogger(__name__)

LANGUAGES: Final = {"en": None, "pt_BR": "pt"}
"""The product's languages, and Telegram's code for each; None is everybody else's."""
DESCRIPTION_UNITS: Final = 256
COMMANDS: Final = 100
FIRST_WAIT_S: Final = 10.0
LONGEST_WAIT_S: Final = 3600.0
_NAME: Final = re.compile(r"[a-z0-9_]{1,32}")


async def keep_menu(line: Line, desk: Desk, clock: Clock) -> None:
    """Set the menu, trying for as long as it takes; returns when it is set or the line is of no use any more."""
    wait_s = FIRST_WAIT_S
    while not line.closing.is_set() and not line.revoked:
        try:
            await set_menu(line.bot, desk)
        except FOREIGN as error:
            fault = fault_of(error)
            log.info("the list of commands is not set yet: %s", fault.text)
            await clock.wait(line.closing, max(wait_s, fault.wait_s or 0.0))
            wait_s = min(2.0 * wait_s, LONGEST_WAIT_S)
        else:
            return


async def set_menu(bot: Bot, desk: Desk) -> None:
    """Make Telegram show what the desk knows. A list that Telegram will never take is logged; the bot works without.

    What stands there already is not set again: Telegram allows that rarely. Raises TelegramError.
    """
    for language, code in LANGUAGES.items():
        commands = tuple(
            BotCommand(name, clean(description, DESCRIPTION_UNITS) or name)
            for name, description in desk.commands(language)
            if _NAME.fullmatch(name)
        )[:COMMANDS]
        if await bot.get_my_commands(language_code=code) == commands:
            continue
        try:
            await bot.set_my_commands(commands, language_code=code)
        except BadRequest as error:
            log.error("the list of commands was not taken: %s", told(error))
