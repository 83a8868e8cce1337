"""The first schema."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None

BIG = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    """Make every table in an empty file."""
    op.create_table(
        "chat",
        sa.Column("chat", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("language", sa.Text(), nullable=True),
        sa.Column("timezone", sa.Text(), nullable=True),
        sa.Column("settings", sa.Text(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.CheckConstraint("state IN ('active', 'blocked')", name=op.f("ck_chat_state")),
        sa.PrimaryKeyConstraint("chat"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "counter",
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("value", BIG, nullable=False),
        sa.PrimaryKeyConstraint("name"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "coverage",
        sa.Column("coverage_id", sa.Integer(), nullable=False),
        sa.Column("market", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("last_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("coverage_id"),
        sa.UniqueConstraint("text"),
        sqlite_strict=True,
    )
    op.create_table(
        "draft",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("chat", sa.Text(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("made_at", BIG, nullable=False),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("draft_chat", "draft", ["chat"], unique=False)

    op.create_table(
        "floor",
        sa.Column("market_id", sa.Integer(), nullable=False),
        sa.Column("terms", sa.Integer(), nullable=False),
        sa.Column("class", sa.Integer(), nullable=False),
        sa.Column("at", BIG, nullable=False),
        sa.Column("price", BIG, nullable=True),
        sa.CheckConstraint("class IN (0, 95)", name=op.f("ck_floor_class")),
        sa.CheckConstraint("terms IN (0, 1)", name=op.f("ck_floor_terms")),
        sa.PrimaryKeyConstraint("market_id", "terms", "class", "at"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "inbox",
        sa.Column("number", BIG, nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
        sa.Column("taken_at", BIG, nullable=False),
        sa.Column("tries", sa.Integer(), nullable=False),
        sa.Column("done", sa.Integer(), nullable=False),
        sa.CheckConstraint("done IN (0, 1)", name=op.f("ck_inbox_done")),
        sa.PrimaryKeyConstraint("number"),
        sqlite_strict=True,
    )
    op.create_table(
        "market",
        sa.Column("market_id", sa.Integer(), nullable=False),
        sa.Column("provider", sa.Text(), nullable=False),
        sa.Column("gpu", sa.Text(), nullable=False),
        sa.Column("vram_gb", sa.Integer(), nullable=False),
        sa.Column("tier", sa.Text(), nullable=False),
        sa.CheckConstraint("tier IN ('datacenter', 'secure', 'community')", name=op.f("ck_market_tier")),
        sa.PrimaryKeyConstraint("market_id"),
        sa.UniqueConstraint("provider", "gpu", "vram_gb", "tier"),
        sqlite_strict=True,
    )
    op.create_table(
        "meta",
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("value", sa.Text(), nullable=False),
        sa.PrimaryKeyConstraint("key"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "outbox",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("dedup_key", sa.Text(), nullable=False),
        sa.Column("chat", sa.Text(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=True),
        sa.Column("kind", sa.Text(), nullable=False),
        sa.Column("watch_ids", sa.Text(), nullable=False),
        sa.Column("gpu", sa.Text(), nullable=True),
        sa.Column("market", sa.Text(), nullable=True),
        sa.Column("key", sa.Text(), nullable=True),
        sa.Column("price_per_gpu", BIG, nullable=True),
        sa.Column("parts", sa.Text(), nullable=False),
        sa.Column("seen_at", BIG, nullable=False),
        sa.Column("queued_at", BIG, nullable=False),
        sa.Column("not_before", BIG, nullable=True),
        sa.Column("lease_until", BIG, nullable=True),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("counted", sa.Integer(), nullable=False),
        sa.Column("was_held", sa.Integer(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("last_error", sa.Text(), nullable=True),
        sa.Column("message_id", sa.Text(), nullable=True),
        sa.Column("sent_at", BIG, nullable=True),
        sa.Column("ended_at", BIG, nullable=True),
        sa.CheckConstraint(
            "state IN ('queued', 'held', 'sent', 'expired', 'suppressed', 'failed')", name=op.f("ck_outbox_state")
        ),
        sa.CheckConstraint("counted IN (0, 1)", name=op.f("ck_outbox_counted")),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("dedup_key"),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index(
        "outbox_open", "outbox", ["chat", "id"], unique=False, sqlite_where=sa.text("state IN ('queued', 'held')")
    )
    op.create_index("outbox_queued_at", "outbox", ["queued_at"], unique=False)

    op.create_table(
        "pulse",
        sa.Column("market", sa.Text(), nullable=False),
        sa.Column("last_at", BIG, nullable=False),
        sa.Column("last_ok_at", BIG, nullable=True),
        sa.Column("last_complete_at", BIG, nullable=True),
        sa.Column("failures", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.PrimaryKeyConstraint("market"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "span",
        sa.Column("market_id", sa.Integer(), nullable=False),
        sa.Column("t1", BIG, nullable=False),
        sa.Column("offer_id", BIG, nullable=False),
        sa.Column("dur", sa.Integer(), nullable=False),
        sa.Column("price", BIG, nullable=False),
        sa.Column("rel_bp", sa.Integer(), nullable=True),
        sa.Column("stock", sa.Integer(), nullable=True),
        sa.Column("unverified", sa.Integer(), nullable=False),
        sa.CheckConstraint("dur >= 1", name=op.f("ck_span_dur")),
        sa.PrimaryKeyConstraint("market_id", "t1", "offer_id"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "usage",
        sa.Column("market", sa.Text(), nullable=False),
        sa.Column("day", sa.Text(), nullable=False),
        sa.Column("requests", sa.Integer(), nullable=False),
        sa.Column("rows", sa.Integer(), nullable=False),
        sa.Column("reserved", sa.Integer(), nullable=False),
        sa.CheckConstraint("requests >= 0", name=op.f("ck_usage_requests")),
        sa.CheckConstraint("reserved >= 0", name=op.f("ck_usage_reserved")),
        sa.CheckConstraint("rows >= 0", name=op.f("ck_usage_rows")),
        sa.PrimaryKeyConstraint("market", "day"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "offer",
        sa.Column("offer_id", sa.Integer(), nullable=False),
        sa.Column("market_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("machine", sa.Text(), nullable=False),
        sa.Column("gpu_count", sa.Integer(), nullable=False),
        sa.Column("spelling", sa.Text(), nullable=False),
        sa.Column("disk_gb", sa.Integer(), nullable=False),
        sa.Column("storage_price", BIG, nullable=True),
        sa.Column("country", sa.Text(), nullable=True),
        sa.Column("place", sa.Text(), nullable=True),
        sa.Column("data_centers", sa.Text(), nullable=True),
        sa.Column("gpu_ids", sa.Text(), nullable=True),
        sa.Column("machine_gpus", sa.Integer(), nullable=True),
        sa.Column("disk_space_gb", sa.Integer(), nullable=True),
        sa.Column("down_mbps", sa.Integer(), nullable=True),
        sa.Column("ram_gb", sa.Integer(), nullable=True),
        sa.Column("cuda", sa.Integer(), nullable=True),
        sa.Column("ends_at", BIG, nullable=True),
        sa.Column("first_at", BIG, nullable=False),
        sa.CheckConstraint("gpu_count >= 1", name=op.f("ck_offer_gpu_count")),
        sa.ForeignKeyConstraint(
            ["market_id"],
            ["market.market_id"],
        ),
        sa.PrimaryKeyConstraint("offer_id"),
        sa.UniqueConstraint("market_id", "key"),
        sqlite_strict=True,
    )
    op.create_table(
        "scan",
        sa.Column("coverage_id", sa.Integer(), nullable=False),
        sa.Column("at", BIG, nullable=False),
        sa.Column("status", sa.Integer(), nullable=False),
        sa.Column("rows", sa.Integer(), nullable=False),
        sa.Column("ms", sa.Integer(), nullable=False),
        sa.Column("error", sa.Text(), nullable=True),
        sa.CheckConstraint("status IN (0, 1, 2)", name=op.f("ck_scan_status")),
        sa.ForeignKeyConstraint(
            ["coverage_id"],
            ["coverage.coverage_id"],
        ),
        sa.PrimaryKeyConstraint("coverage_id", "at"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "watch",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("chat", sa.Text(), nullable=False),
        sa.Column("topic", sa.Text(), nullable=True),
        sa.Column("name", sa.Text(), nullable=True),
        sa.Column("author", sa.Text(), nullable=True),
        sa.Column("rule", sa.Text(), nullable=False),
        sa.Column("origin", sa.Text(), nullable=False),
        sa.Column("state", sa.Text(), nullable=False),
        sa.Column("set_at", BIG, nullable=False),
        sa.Column("passed", sa.Text(), nullable=False),
        sa.Column("answered", sa.Text(), nullable=False),
        sa.Column("created_at", BIG, nullable=False),
        sa.Column("barred", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.CheckConstraint("barred IN (0, 1)", name=op.f("ck_watch_barred")),
        sa.CheckConstraint("origin IN ('chat', 'cli', 'file')", name=op.f("ck_watch_origin")),
        sa.CheckConstraint("state IN ('active', 'paused', 'snoozed', 'done', 'ended')", name=op.f("ck_watch_state")),
        sa.ForeignKeyConstraint(["chat"], ["chat.chat"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id"),
        sqlite_autoincrement=True,
        sqlite_strict=True,
    )
    op.create_index("watch_chat", "watch", ["chat"], unique=False)
    op.create_index("watch_file_name", "watch", ["name"], unique=True, sqlite_where=sa.text("origin = 'file'"))

    op.create_table(
        "cur",
        sa.Column("offer_id", sa.Integer(), nullable=False),
        sa.Column("market_id", sa.Integer(), nullable=False),
        sa.Column("since", BIG, nullable=False),
        sa.Column("t0", BIG, nullable=False),
        sa.Column("ask", sa.Text(), nullable=False),
        sa.Column("price", BIG, nullable=False),
        sa.Column("interruptible_price", BIG, nullable=True),
        sa.Column("reliability_ppm", sa.Integer(), nullable=True),
        sa.Column("verified", sa.Integer(), nullable=True),
        sa.Column("stock", sa.Integer(), nullable=True),
        sa.Column("coverage_id", sa.Integer(), nullable=True),
        sa.Column("seen_at", BIG, nullable=True),
        sa.CheckConstraint("(coverage_id IS NULL) <> (seen_at IS NULL)", name=op.f("ck_cur_seen")),
        sa.CheckConstraint("price >= 1", name=op.f("ck_cur_price")),
        sa.CheckConstraint("reliability_ppm BETWEEN 0 AND 1000000", name=op.f("ck_cur_reliability_ppm")),
        sa.CheckConstraint("stock IN (1, 2, 3)", name=op.f("ck_cur_stock")),
        sa.CheckConstraint("verified IN (0, 1)", name=op.f("ck_cur_verified")),
        sa.ForeignKeyConstraint(
            ["coverage_id"],
            ["coverage.coverage_id"],
        ),
        sa.ForeignKeyConstraint(
            ["market_id"],
            ["market.market_id"],
        ),
        sa.ForeignKeyConstraint(
            ["offer_id"],
            ["offer.offer_id"],
        ),
        sa.PrimaryKeyConstraint("offer_id"),
        sqlite_strict=True,
    )
    op.create_index("cur_coverage", "cur", ["coverage_id"], unique=False)

    op.create_table(
        "episode",
        sa.Column("watch_id", sa.Integer(), nullable=False),
        sa.Column("card", sa.Text(), nullable=False),
        sa.Column("number", BIG, nullable=False),
        sa.Column("opened_at", BIG, nullable=False),
        sa.Column("told_price", BIG, nullable=True),
        sa.ForeignKeyConstraint(["watch_id"], ["watch.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("watch_id", "card"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "member",
        sa.Column("watch_id", sa.Integer(), nullable=False),
        sa.Column("card", sa.Text(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("misses", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("missing_since", BIG, nullable=True),
        sa.Column("last", sa.Text(), nullable=True),
        sa.CheckConstraint("(misses = 0) = (missing_since IS NULL)", name=op.f("ck_member_missing_since")),
        sa.CheckConstraint("(misses = 0) = (last IS NULL)", name=op.f("ck_member_last")),
        sa.ForeignKeyConstraint(["watch_id", "card"], ["episode.watch_id", "episode.card"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("watch_id", "card", "key"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
    op.create_table(
        "told",
        sa.Column("watch_id", sa.Integer(), nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("told_at", BIG, nullable=False),
        sa.Column("wait_ms", BIG, nullable=False),
        sa.ForeignKeyConstraint(["watch_id"], ["watch.id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("watch_id", "key"),
        sqlite_strict=True,
        sqlite_with_rowid=False,
    )
