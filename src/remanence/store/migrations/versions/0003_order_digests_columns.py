"""Order by scope, digests of what is stored, and the columns that rules ask for."""

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Change nothing."""
