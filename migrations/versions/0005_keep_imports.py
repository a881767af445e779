"""Keep imported studies, what was not parsed of them, and uploads that wait for a yes."""

import sqlalchemy as sa
from alembic import context, op
from sqlalchemy.dialects import postgresql

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

JSON = postgresql.JSONB(astext_type=sa.Text())


def upgrade() -> None:
    op.create_table(
        "import_drafts",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("file", sa.String(), nullable=False),
        sa.Column("mend", sa.Boolean(), nullable=False),
        sa.Column("texts", JSON, nullable=False),
        sa.Column("unread", JSON, nullable=False),
        sa.Column("made_by", sa.Uuid(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["made_by"], ["users.id"]),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_table(
        "imports",
        sa.Column("study_id", sa.Uuid(), nullable=False),
        sa.Column("fingerprint", sa.String(), nullable=False),
        sa.Column("file", sa.String(), nullable=False),
        sa.Column("notes", JSON, nullable=False),
        sa.Column("made_by", sa.Uuid(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(["made_by"], ["users.id"]),
        sa.ForeignKeyConstraint(["study_id"], ["studies.id"]),
        sa.PrimaryKeyConstraint("study_id"),
        sa.UniqueConstraint("fingerprint"),
    )
    op.create_table(
        "imported_runs",
        sa.Column("run_id", sa.Uuid(), nullable=False),
        sa.Column("study_id", sa.Uuid(), nullable=False),
        sa.Column("playbook", JSON, nullable=False),
        sa.Column("unparsed", JSON, nullable=False),
        sa.Column("texts", JSON, nullable=False),
        sa.ForeignKeyConstraint(["run_id"], ["runs.id"]),
        sa.ForeignKeyConstraint(["study_id"], ["imports.study_id"]),
        sa.PrimaryKeyConstraint("run_id"),
    )
    op.create_index(op.f("ix_imported_runs_study_id"), "imported_runs", ["study_id"], unique=False)
    role = context.config.attributes.get("application_role")
    if role:  # what was imported stays; texts of a run change only where one of its documents is taken out
        op.execute(sa.text(f'REVOKE UPDATE, DELETE, TRUNCATE ON imports FROM "{role}"'))
        op.execute(sa.text(f'REVOKE DELETE, TRUNCATE ON imported_runs FROM "{role}"'))


def downgrade() -> None:
    op.drop_table("imported_runs")
    op.drop_table("imports")
    op.drop_table("import_drafts")
