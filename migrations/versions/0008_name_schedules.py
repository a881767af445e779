"""Name the schedule of every run, now that a design may have several."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("runs", sa.Column("schedule", sa.String(), nullable=False, server_default=""))
    op.alter_column("runs", "schedule", server_default=None)
    op.execute(
        "update runs set schedule = studies.design -> 'schedule' ->> 'id' "
        "from studies where studies.id = runs.study_id and runs.kind = 'play' "
        "and studies.design -> 'schedule' ->> 'id' is not null"
    )


def downgrade() -> None:
    op.drop_column("runs", "schedule")
