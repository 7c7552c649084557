"""Contradictions are found by an index of their own, and what memories from before version 4 claim is read."""

from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

INDEX = "CREATE INDEX links_contradicts ON links (scope) WHERE relation = 3"
# What memories claim that came before texts were read for claims is read bit by bit, when they are consolidated.
UNREAD = (
    "INSERT INTO settings (scope, name, value)"
    """ SELECT scope, 'claims/unread', '{"after":0,"to":' || max(seq) || '}' FROM states GROUP BY scope"""
)
# The sums of what is changed here are made anew where no mark says that they were made.
UNSUMMED = "DELETE FROM meta WHERE name = 'sums'"


def upgrade() -> None:
    run = op.get_bind().exec_driver_sql
    run(INDEX)
    run(UNREAD)
    run(UNSUMMED)
