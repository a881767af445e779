"""Keep judgings: runs of a kind of their own, whose plan says which stored decisions are judged again."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

JSON = postgresql.JSONB(none_as_null=True, astext_type=sa.Text())


def upgrade() -> None:
    op.add_column("runs", sa.Column("kind", sa.String(), nullable=False, server_default="play"))
    op.alter_column("runs", "kind", server_default=None)
    op.add_column("runs", sa.Column("plan", JSON, nullable=True))
    op.create_check_constraint("runs_kind", "runs", "kind in ('play', 'judging')")


def downgrade() -> None:
    op.drop_constraint("runs_kind", "runs")
    op.drop_column("runs", "plan")
    op.drop_column("runs", "kind")
