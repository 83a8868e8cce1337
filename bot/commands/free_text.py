"""What is said without a command: a rule that somebody just writes down is offered as one."""

from __future__ import annotations

from typing import Final

from bot.commands.keys import key
from bot.commands.refusal import refused
from bot.commands.visit import Visit
from bot.conversation import Outcome, Reply
from bot.render.html import code, joined, phrase
from market.grammar import problems
from market.rule import RuleError

_NO_RULE: Final = frozenset({problems.EMPTY, problems.TOO_LONG, problems.NO_CARD, problems.UNKNOWN_WORD})
"""Problems of texts that were most likely not meant as a rule."""


def answer(visit: Visit, text: str) -> Outcome:
    """Offer to watch what a text says; say what is wrong with what is almost a rule; else point to the help."""
    try:
        rule = visit.rule(text)
    except RuleError as error:
        if error.problem in _NO_RULE and not error.choices:
            return _hint(visit)
        return refused(visit, error, "watch", text)
    canonical, speech = visit.product.rules.write(rule), visit.speech
    draft = visit.draft("watch", canonical)
    keys = (
        key(speech.text("Yes, watch"), "draft", draft),
        key(speech.text("Only show offers"), "page", visit.draft("now", canonical)),
    )
    html = joined([phrase(speech, "Shall I watch this?"), code(canonical)])
    return Outcome(replies=(Reply(html=html, keys=(keys,)),))


def _hint(visit: Visit) -> Outcome:
    said = phrase(
        visit.speech,
        "I know rules and commands. {help} lists the commands; a rule looks like this: {example}",
        help=visit.slash("help"),
        example=code("RTX 4090 <=0.40"),
    )
    return Outcome(replies=(Reply(html=said),))
