"""Archived memories are found by full text: what stood for their words goes."""

from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run = op.get_bind().exec_driver_sql
    for table in ("archive_words", "archive_waiting"):
        run(f"DROP TABLE IF EXISTS {table}")
    run("DELETE FROM meta WHERE name = 'archive words'")
