"""A Telegram Bot API on loopback: strict where Telegram is strict, and able to fail in the ways Telegram fails.

Tests start `BotApi`, act as `person`s in chats, and read what came in the chat. It knows one bot, and of the API what a
bot needs that sends, edits and answers taps. It is no client and no second Telegram: unknown methods are refused.
"""

from tests.fakes.botapi import refusals
from tests.fakes.botapi.bell import NothingCame
from tests.fakes.botapi.chats import Chat, Standing
from tests.fakes.botapi.clock import ManualClock
from tests.fakes.botapi.faults import Drop, Gate, Page, Slow
from tests.fakes.botapi.formatted import Entity, FormattedText, utf16_length
from tests.fakes.botapi.groups import Channel, Group
from tests.fakes.botapi.keyboards import Button
from tests.fakes.botapi.messages import Message, NoSuchButton
from tests.fakes.botapi.params import Call
from tests.fakes.botapi.people import Person
from tests.fakes.botapi.refusals import Refusal
from tests.fakes.botapi.server import BotApi
from tests.fakes.botapi.world import Tap, Toast

__all__ = [
    "BotApi",
    "Button",
    "Call",
    "Channel",
    "Chat",
    "Drop",
    "Entity",
    "FormattedText",
    "Gate",
    "Group",
    "ManualClock",
    "Message",
    "NoSuchButton",
    "NothingCame",
    "Page",
    "Person",
    "Refusal",
    "Slow",
    "Standing",
    "Tap",
    "Toast",
    "refusals",
    "utf16_length",
]
