"""Forget how many calls a worker held at its last heartbeat: pages count live leases."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.drop_column("workers", "calls_in_flight")


def downgrade() -> None:
    op.add_column("workers", sa.Column("calls_in_flight", sa.Integer(), nullable=False, server_default="0"))
    op.alter_column("workers", "calls_in_flight", server_default=None)
