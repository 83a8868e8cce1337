"""Who shares a message? One a chat and event; each topic of a chat has its own."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from market.alert import SHOWN, Alert, AlertKind, Part
from market.alerting.desk import Finding
from market.alerting.ranking import ranked
from market.offer import Offer
from market.watch import Watch


def grouped(findings: list[Finding]) -> Iterable[Alert]:
    """One message a chat, topic and event: findings of one kind for one of them are told together, best first."""
    shared: dict[tuple[str, str | None, AlertKind, datetime | None], list[Finding]] = {}
    for finding in findings:
        watch = finding.watch
        shared.setdefault((watch.chat, watch.topic, finding.kind, finding.not_before), []).append(finding)
    for (chat, topic, kind, not_before), group in shared.items():
        by_watch: dict[int, tuple[Watch, list[Offer]]] = {}
        for finding in group:
            by_watch.setdefault(finding.watch.id, (finding.watch, []))[1].extend(finding.offers)
        parts = [part_of(watch, offers) for watch, offers in by_watch.values()]
        yield Alert(
            kind=kind,
            chat=chat,
            topic=topic,
            parts=tuple(sorted(parts, key=lambda part: (part.price_per_gpu(), part.watch_id))),
            seen_at=min(finding.seen_at for finding in group),
            dedup_key=" ".join(sorted(finding.dedup for finding in group)),
            reason=group[0].reason,
            not_before=not_before,
        )


def part_of(watch: Watch, offers: list[Offer]) -> Part:
    """What a watch has to say about these matches."""
    rule, best_first = watch.rule, ranked(watch, offers)
    return Part(
        watch_id=watch.id,
        name=watch.name,
        rule=watch.text,
        terms=rule.terms,
        disk_gb=rule.disk_gb,
        offers=tuple(best_first[:SHOWN]),
        count=len(best_first),
    )
