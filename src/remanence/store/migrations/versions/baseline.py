"""The tables of the first version that can be published, as a new file is made: later steps start from here."""

from alembic import op

from remanence.store.sqlite.database_file import BASELINE_VERSION
from remanence.store.sqlite.upgrade import tables

revision = f"{BASELINE_VERSION:04}"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    run = op.get_bind().exec_driver_sql
    for statement in tables():
        run(statement)
