"""Say of each worker what it takes from: auditors are listed beside those that make calls."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("workers", sa.Column("queues", sa.String(), nullable=False, server_default="steps"))
    op.alter_column("workers", "queues", server_default=None)


def downgrade() -> None:
    op.drop_column("workers", "queues")
