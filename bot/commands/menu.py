"""Every command there is, in the order in which a newcomer meets them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from bot.commands.command import Command
from bot.commands.delete import DELETE
from bot.commands.edit import EDIT
from bot.commands.help import START, detail, help_words, named, overview
from bot.commands.history import HISTORY
from bot.commands.now import NOW
from bot.commands.pause import PAUSE, RESUME
from bot.commands.sample import TEST
from bot.commands.status import STATUS
from bot.commands.visit import Visit
from bot.commands.watch import WATCH
from bot.commands.watches import WATCHES
from bot.commands.why import WHY
from bot.conversation import Outcome


def _help(visit: Visit, argument: str) -> Outcome:
    name = named(argument)
    return overview(visit, MENU) if name is None else detail(visit, COMMANDS[name])


HELP: Final = Command(name="help", words=help_words, example="watch", answer=_help)
MENU: Final = (WATCH, WATCHES, NOW, HISTORY, WHY, EDIT, PAUSE, RESUME, DELETE, STATUS, TEST, HELP, START)
COMMANDS: Final[Mapping[str, Command]] = {command.name: command for command in MENU}
