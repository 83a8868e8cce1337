"""What to say, and what to keep silent about: the judgement on one stored snapshot.

The pipeline, each step answering one question: does an episode go on or end (`upkeep`), is something news or already
told, and may it be told again yet (`news`), is this the first pass of a new rule (`first_pass`), and who shares one
message (`messages`).

Pure: `decide` changes nothing, it returns what the store has to write. Every alert carries its reason.
"""

from __future__ import annotations

from collections.abc import Mapping

from market.alerting.desk import Desk, told_again
from market.alerting.first_pass import first_passes
from market.alerting.messages import grouped, part_of
from market.alerting.news import episodes_of, judge_news
from market.alerting.terms import Decision, Event, Pass, Policy
from market.alerting.upkeep import keep_up
from market.matching import WatchIndex
from market.watch import Memory

__all__ = ["Decision", "Event", "Pass", "Policy", "decide", "episodes_of", "part_of", "told_again"]


def decide(
    event: Event,
    *,
    index: WatchIndex,
    memory: Memory,
    policy: Policy,
    passes: Mapping[int, Pass],
) -> Decision:
    """Judge one snapshot against all watches. `passes` tells by watch id what a first pass asks of this market."""
    desk = Desk(event=event, index=index, memory=memory, policy=policy)
    keep_up(desk)
    judge_news(desk)
    first_passes(desk, passes)
    return desk.decision(grouped(desk.findings))
