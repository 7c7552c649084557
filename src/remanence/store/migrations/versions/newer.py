"""Links may say that one memory is newer than another: a relation more, which the table has to let in."""

from alembic import op

from remanence.store.sqlite.upgrade import tables

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    run = op.get_bind().exec_driver_sql
    indexes = run(
        "SELECT name FROM sqlite_schema WHERE tbl_name = 'links' AND type = 'index' AND sql IS NOT NULL"
    )
    for (name,) in indexes.fetchall():
        run(f"DROP INDEX {name}")
    run("ALTER TABLE links RENAME TO links_before")
    table, *rest = [one for one in tables() if "CREATE TABLE links " in one or " ON links " in one]
    run(table)
    run("INSERT INTO links SELECT * FROM links_before")
    run("DROP TABLE links_before")
    for index in rest:
        run(index)
