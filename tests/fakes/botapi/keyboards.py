"""Reply markup: what the server accepts below a message, and the buttons a person can press."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tests.fakes.botapi.refusals import bad_request

DATA_BYTES = 64
COPY_CHARACTERS = 256
_LINKS = ("http://", "https://", "tg://")


@dataclass(frozen=True, slots=True)
class Button:
    """One inline button; exactly one of data, url and copy is there."""

    text: str
    data: str | None = None
    url: str | None = None
    copy: str | None = None

    def as_json(self) -> dict[str, Any]:
        body: dict[str, Any] = {"text": self.text}
        if self.data is not None:
            body["callback_data"] = self.data
        if self.url is not None:
            body["url"] = self.url
        if self.copy is not None:
            body["copy_text"] = {"text": self.copy}
        return body


@dataclass(frozen=True, slots=True)
class Keyboard:
    """Inline rows, or one of the kinds that live below the input field, kept as they came."""

    rows: tuple[tuple[Button, ...], ...] = ()
    below_input: dict[str, Any] | None = None

    def buttons(self) -> list[Button]:
        return [button for row in self.rows for button in row]

    def as_json(self) -> dict[str, Any] | None:
        """What the server shows of it in a message: inline keyboards only."""
        if not self.rows:
            return None
        return {"inline_keyboard": [[button.as_json() for button in row] for row in self.rows]}


def read_keyboard(raw: Any) -> Keyboard:
    """The keyboard of a `reply_markup` parameter. Raises Refusal."""
    if raw is None:
        return Keyboard()
    if not isinstance(raw, dict):
        raise bad_request("object expected as reply markup")
    if "inline_keyboard" not in raw:
        if not {"keyboard", "remove_keyboard", "force_reply"} & raw.keys():
            return Keyboard()
        return Keyboard(below_input=raw)
    rows = raw["inline_keyboard"]
    if not isinstance(rows, list) or not all(isinstance(row, list) for row in rows):
        raise bad_request('field "inline_keyboard" of the InlineKeyboardMarkup must be an Array of Arrays')
    return Keyboard(tuple(tuple(_button(one) for one in row) for row in rows if row))


def _button(raw: Any) -> Button:
    if not isinstance(raw, dict):
        raise bad_request("can't parse inline keyboard button: InlineKeyboardButton must be an Object")
    text = raw.get("text")
    if not isinstance(text, str) or not text.strip():
        raise bad_request("inline keyboard button text must be non-empty")
    if (data := raw.get("callback_data")) is not None:
        if not 1 <= len(str(data).encode()) <= DATA_BYTES:
            raise bad_request("BUTTON_DATA_INVALID")
        return Button(text, data=str(data))
    if (url := raw.get("url")) is not None:
        if not str(url).startswith(_LINKS) or any(character.isspace() for character in str(url)):
            raise bad_request(f"inline keyboard button URL '{url}' is invalid: Wrong HTTP URL")
        return Button(text, url=str(url))
    if isinstance(copy := raw.get("copy_text"), dict):
        copied = str(copy.get("text", ""))
        if not 1 <= len(copied) <= COPY_CHARACTERS:
            raise bad_request("BUTTON_COPY_TEXT_INVALID")
        return Button(text, copy=copied)
    raise bad_request("can't parse inline keyboard button: Text buttons are unallowed in the inline keyboard")
