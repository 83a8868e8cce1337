"""What is said to a rule that cannot be read: the word, what is wrong with it, an example, and buttons that mend it."""

from __future__ import annotations

from bot.commands.drafts import Purpose
from bot.commands.keys import key, rows
from bot.commands.visit import Visit
from bot.conversation import Outcome, Reply
from bot.render.chat.problems import problem_text
from bot.render.html import bold, code, joined, phrase
from market.grammar.cursor import Cursor
from market.rule import RuleError

MOST_CHOICES = 12


def refused(
    visit: Visit, error: RuleError, purpose: Purpose, text: str, *, watch_id: int = 0, edits: bool = False
) -> Outcome:
    """The answer to a text that is no rule, or no card. A choice, pressed, completes it and does what was asked."""
    speech = visit.speech
    problem = problem_text(error.problem, speech)
    first = (
        phrase(speech, "I cannot read {word}: {problem}.", word=bold(error.word), problem=problem)
        if error.word
        else phrase(speech, "I cannot read this: {problem}.", problem=problem)
    )
    example = phrase(speech, "Example: {example}", example=code(error.example))
    choices = error.choices[:MOST_CHOICES]
    if not choices:
        return Outcome(replies=(Reply(html=joined([first, example]), edits=edits),))
    draft = visit.draft(purpose, text, word=error.word, choices=choices, watch_id=watch_id)
    keys = rows([key(choice, "draft", draft, str(index)) for index, choice in enumerate(choices)], 2)
    asked = phrase(speech, "Which one do you mean?")
    return Outcome(replies=(Reply(html=joined([first, example, asked]), keys=keys, edits=edits),))


def mended(text: str, word: str, choice: str) -> tuple[str, ...]:
    """The texts in which `choice` stands for one of the places where `word` stands, in order."""
    places = []
    read = Cursor(text).text
    at = read.find(word) if word else -1
    while at >= 0:
        places.append(f"{text[:at]}{choice}{text[at + len(word) :]}")
        at = read.find(word, at + 1)
    return tuple(places)
