"""A strict reader of Telegram HTML: what Telegram would show, or why it would refuse."""

from __future__ import annotations

import html
import re
from dataclasses import dataclass

TAGS = frozenset({"b", "i", "u", "s", "code", "pre", "a"})
PIECE = re.compile(
    r"<(?P<close>/?)(?P<tag>[a-z]+)(?P<href> href=\"[^\"<>]*\")?>|&(?:lt|gt|amp|quot|#\d+|#x[0-9a-f]+);|[^<&]"
)


class RefusedError(Exception):
    """Telegram would not parse it, or would not take it."""


@dataclass(frozen=True)
class Seen:
    """A message as a person sees it."""

    text: str
    entities: int
    links: tuple[str, ...]


def read(markup: str) -> Seen:
    """Parse one message; raises RefusedError."""
    position, stack, text = 0, list[str](), list[str]()
    entities, links = 0, list[str]()
    while position < len(markup):
        piece = PIECE.match(markup, position)
        if piece is None:
            raise RefusedError(f"cannot parse at {position}: {markup[position : position + 20]!r}")
        position = piece.end()
        tag = piece["tag"]
        if tag is None:
            text.append(html.unescape(piece[0]))
        elif piece["close"]:
            if not stack or stack.pop() != tag:
                raise RefusedError(f"unexpected end tag {tag}")
        else:
            if tag not in TAGS or (piece["href"] is not None) != (tag == "a") or {"code", "pre"} & set(stack):
                raise RefusedError(f"tag {piece[0]} not allowed here")
            stack.append(tag)
            entities += 1
            links += [html.unescape(piece["href"][7:-1])] if piece["href"] else []
    if stack:
        raise RefusedError(f"no end tag for {stack[-1]}")
    seen = "".join(text)
    if not seen.strip():
        raise RefusedError("message text is empty")
    if len(seen.encode("utf-16-le")) // 2 > 4096:
        raise RefusedError("message is too long")
    if entities > 100:
        raise RefusedError("formatting would be dropped")
    if len(markup.encode()) > 35_000:
        raise RefusedError("markup would be cut")
    return Seen(text=seen, entities=entities, links=tuple(links))
