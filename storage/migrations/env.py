"""Runs migrations on the connection it is handed; there is no other way to start one.

SQLite keeps schema changes inside a transaction as long as nobody commits behind its back, so an interrupted
migration leaves nothing and can simply be run again.
"""

from __future__ import annotations

from alembic import context

from storage.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    transactional_ddl=True,
    compare_type=True,
)
with context.begin_transaction():
    context.run_migrations()
