"""Keep what the leakage audit counts and finds, and what people decide about passages it leaves open."""

import sqlalchemy as sa
from alembic import context, op
from sqlalchemy.dialects import postgresql

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

JSON = postgresql.JSONB(none_as_null=True, astext_type=sa.Text())


def upgrade() -> None:
    op.create_table(
        "probe_counts",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("artifact_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("era", sa.String(), nullable=False),
        sa.Column("probe", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("words", sa.Integer(), nullable=False),
        sa.Column("hits", sa.Integer(), nullable=False),
        sa.Column("numbers", JSON, nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["artifact_id"], ["artifacts.id"]),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("artifact_id", "probe", "version"),
    )
    op.create_index(op.f("ix_probe_counts_run_id"), "probe_counts", ["run_id"], unique=False)
    op.create_table(
        "findings",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("artifact_id", sa.Uuid(), nullable=False),
        sa.Column("probe", sa.String(), nullable=False),
        sa.Column("version", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("starts_at", sa.Integer(), nullable=False),
        sa.Column("ends_at", sa.Integer(), nullable=False),
        sa.Column("quote", sa.Text(), nullable=False),
        sa.Column("about", sa.Text(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["artifact_id"], ["artifacts.id"]),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_findings_run_id"), "findings", ["run_id"], unique=False)
    op.create_index(op.f("ix_findings_artifact_id"), "findings", ["artifact_id"], unique=False)
    op.create_table(
        "finding_decisions",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("artifact_id", sa.Uuid(), nullable=False),
        sa.Column("probe", sa.String(), nullable=False),
        sa.Column("path", sa.String(), nullable=False),
        sa.Column("starts_at", sa.Integer(), nullable=False),
        sa.Column("ends_at", sa.Integer(), nullable=False),
        sa.Column("is_hit", sa.Boolean(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("author_id", sa.Uuid(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["artifact_id"], ["artifacts.id"]),
        sa.ForeignKeyConstraint(["author_id"], ["users.id"]),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_finding_decisions_run_id"), "finding_decisions", ["run_id"], unique=False)
    passage = ["artifact_id", "probe", "path", "starts_at", "ends_at"]
    op.create_index("finding_decisions_of_passage", "finding_decisions", passage, unique=False)
    op.create_table(
        "run_audits",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("versions", sa.String(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"]),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("run_id", "versions"),
    )
    _keep_for_ever()


def _keep_for_ever() -> None:
    role = context.config.attributes.get("application_role")
    if role:  # counts and decisions stay as they were made; findings lose their quote when their text is taken out
        op.execute(sa.text(f'REVOKE UPDATE, DELETE, TRUNCATE ON probe_counts, finding_decisions FROM "{role}"'))
        op.execute(sa.text(f'REVOKE DELETE, TRUNCATE ON findings FROM "{role}"'))


def downgrade() -> None:
    op.drop_table("run_audits")
    op.drop_table("finding_decisions")
    op.drop_table("findings")
    op.drop_table("probe_counts")
