"""Which messages the code speaks, and what a catalogue lacks of them.

The keywords below are the only place that says which calls carry a message.
"""

from __future__ import annotations

from pathlib import Path
from string import Formatter
from typing import Final

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir

KEYWORDS: Final = {"text": (1,), "plural": (1, 2), "phrase": (2,), "phrases": (2, 3)}
"""Name of the called function or method, and which of its arguments are messages: `speech.text("Hello")`,
`speech.plural("{n} offer", "{n} offers", n)`, `phrase(speech, "Hello")`, `phrases(speech, "{n} offer", …)`."""

COMMENT_TAG: Final = "Translators:"
"""A comment that starts so, right above a message, is shown to translators."""


def template_of(folder: Path) -> Catalog:
    """Every message that the Python files under the folder speak, as an empty catalogue."""
    template = Catalog(project="atalaia", charset="utf-8")
    found = extract_from_dir(folder, [("**.py", "python")], keywords=KEYWORDS, comment_tags=[COMMENT_TAG])
    for file, _line, msgid, comments, context in found:
        template.add(msgid, None, [(f"{folder.name}/{file}", 0)], auto_comments=comments, context=context)
    return template


def problems(catalogue: Catalog, template: Catalog) -> list[str]:
    """What is wrong with a catalogue, one sentence each: missing, fuzzy, empty, obsolete, other `{places}`."""
    found = [
        f"not spoken any more: {message.id!r}" for message in catalogue if message.id and message.id not in template
    ]
    found += [f"obsolete entry: {msgid!r}" for msgid in catalogue.obsolete]
    for wanted in template:
        if not wanted.id:
            continue
        message = catalogue.get(_key(wanted))
        if message is None:
            found.append(f"missing: {wanted.id!r}")
        elif message.fuzzy:
            found.append(f"fuzzy: {wanted.id!r}")
        else:
            found += _translation_problems(message, wanted, catalogue.num_plurals)
    return found


def _translation_problems(message: Message, wanted: Message, num_plurals: int) -> list[str]:
    if isinstance(message.id, str) != isinstance(wanted.id, str):
        return [f"singular in one, plural in the other: {wanted.id!r}"]
    forms = [message.string] if isinstance(message.string, str) else list(message.string or ())
    if len(forms) != (1 if isinstance(wanted.id, str) else num_plurals) or not all(forms):
        return [f"empty or with too few plural forms: {wanted.id!r}"]
    sources = [wanted.id] if isinstance(wanted.id, str) else list(wanted.id)
    expected = set().union(*(places(source) for source in sources))
    return [f"places differ: {wanted.id!r} and {form!r}" for form in forms if places(form) != expected]


def places(text: str) -> frozenset[str]:
    """The names in braces of a message; broken braces raise ValueError."""
    return frozenset(name for _, name, _, _ in Formatter().parse(text) if name is not None)


def _key(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]
