"""Keep budgets, reservations, pauses, changed settings and redactions."""

import sqlalchemy as sa
from alembic import context, op
from sqlalchemy.dialects import postgresql

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

JSON = postgresql.JSONB(none_as_null=True, astext_type=sa.Text())


def upgrade() -> None:
    op.add_column("studies", sa.Column("budget", JSON, nullable=True))
    op.add_column("runs", sa.Column("budget", JSON, nullable=True))
    for table in ("runs", "calls"):
        op.add_column(table, sa.Column("tokens_reserved", sa.Integer(), nullable=False, server_default="0"))
        op.alter_column(table, "tokens_reserved", server_default=None)
    for name in ("cost_reserved", "cost_presumed"):
        op.add_column("runs", sa.Column(name, sa.Float(), nullable=False, server_default="0"))
        op.alter_column("runs", name, server_default=None)
    op.add_column("calls", sa.Column("cost_reserved", sa.Float(), nullable=True))
    op.add_column("steps", sa.Column("choice", JSON, nullable=True))
    op.add_column("steps", sa.Column("waits_for", sa.String(), nullable=True))
    op.add_column("steps", sa.Column("stopped_by", sa.String(), nullable=True))
    op.create_table(
        "pauses",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("account", sa.String(), nullable=False),
        sa.Column("model", sa.String(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("paused_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("resumed_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("resumed_by", sa.Uuid(), nullable=True),
        sa.ForeignKeyConstraint(["resumed_by"], ["users.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("pauses_open", "pauses", ["account"], unique=True, postgresql_where="resumed_at is null")
    op.create_table(
        "redactions",
        sa.Column("artifact_id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("step_id", sa.Uuid(), nullable=False),
        sa.Column("prints", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["artifact_id"], ["artifacts.id"]),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"]),
        sa.ForeignKeyConstraint(["step_id"], ["steps.id"]),
        sa.PrimaryKeyConstraint("artifact_id"),
    )
    op.create_index(op.f("ix_redactions_run_id"), "redactions", ["run_id"], unique=False)
    role = context.config.attributes.get("application_role")
    if role:  # what was taken out stays out
        op.execute(sa.text(f'REVOKE UPDATE, DELETE, TRUNCATE ON redactions FROM "{role}"'))


def downgrade() -> None:
    op.drop_table("redactions")
    op.drop_index("pauses_open", table_name="pauses", postgresql_where="resumed_at is null")
    op.drop_table("pauses")
    for name in ("choice", "waits_for", "stopped_by"):
        op.drop_column("steps", name)
    for name in ("tokens_reserved", "cost_reserved"):
        op.drop_column("calls", name)
    for name in ("budget", "tokens_reserved", "cost_reserved", "cost_presumed"):
        op.drop_column("runs", name)
    op.drop_column("studies", "budget")
