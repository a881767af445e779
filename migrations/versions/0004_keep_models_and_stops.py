"""Keep edited models, why models stopped, tokens written to caches, and web searches."""

import sqlalchemy as sa
from alembic import context, op
from sqlalchemy.dialects import postgresql

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None

STOPS = "stop in ('complete', 'truncated', 'refused')"


def upgrade() -> None:
    op.add_column("calls", sa.Column("stop", sa.String(), nullable=True))
    op.add_column("calls", sa.Column("tokens_cache_written", sa.Integer(), nullable=True))
    op.add_column("calls", sa.Column("searches", sa.Integer(), nullable=True))
    op.create_check_constraint("calls_stop", "calls", STOPS)
    op.create_index("calls_stopped", "calls", ["run_id"], postgresql_where="stop <> 'complete'")
    op.create_table(
        "model_versions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("entry", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("retired", sa.Boolean(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("made_by", sa.Uuid(), nullable=True),
        sa.ForeignKeyConstraint(["made_by"], ["users.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("name", "number"),
    )
    role = context.config.attributes.get("application_role")
    if role:  # what an entry said while calls were made stays known
        op.execute(sa.text(f'REVOKE UPDATE, DELETE, TRUNCATE ON model_versions FROM "{role}"'))


def downgrade() -> None:
    op.drop_table("model_versions")
    op.drop_index("calls_stopped", table_name="calls", postgresql_where="stop <> 'complete'")
    op.drop_constraint("calls_stop", "calls")
    for name in ("stop", "tokens_cache_written", "searches"):
        op.drop_column("calls", name)
