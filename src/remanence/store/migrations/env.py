"""What alembic runs before each step."""

from alembic import context

from remanence.store.schema import differs, is_schema_table, metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_as_batch=True,
    include_name=is_schema_table,
    compare_type=differs,
    compare_server_default=True,
)
with context.begin_transaction():
    context.run_migrations()
