"""Alembic's entry: upgrades over the connection that libs.runtime.db passes in."""

from alembic import context

context.configure(connection=context.config.attributes["connection"], render_as_batch=True)
context.run_migrations()
