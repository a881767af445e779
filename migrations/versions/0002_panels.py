"""Make the tables of human rating."""

import sqlalchemy as sa
from alembic import context, op
from sqlalchemy.dialects import postgresql

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "panels",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("design", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("locked", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("locked_hash", sa.String(), nullable=True),
        sa.Column("made_by", sa.Uuid(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("locked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("closed_at", sa.DateTime(timezone=True), nullable=True),
        sa.CheckConstraint("state in ('draft', 'open', 'paused', 'closed')", name="panels_state"),
        sa.ForeignKeyConstraint(
            ["made_by"],
            ["users.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index(op.f("ix_panels_made_at"), "panels", ["made_at"], unique=False)
    op.create_table(
        "panel_amendments",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("panel_id", sa.Uuid(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("field", sa.String(), nullable=False),
        sa.Column("before", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("after", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Uuid(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["made_by"],
            ["users.id"],
        ),
        sa.ForeignKeyConstraint(
            ["panel_id"],
            ["panels.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("panel_id", "number"),
    )
    op.create_table(
        "panel_items",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("panel_id", sa.Uuid(), nullable=False),
        sa.Column("key", sa.String(), nullable=False),
        sa.Column("unit", sa.String(), nullable=False),
        sa.Column("strata", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("terms", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("source", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("judge", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("intervened", sa.Boolean(), nullable=False),
        sa.Column("words", sa.Integer(), nullable=False),
        sa.Column("use", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=True),
        sa.Column("probability", sa.Float(), nullable=True),
        sa.Column("packet", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("stand_ins", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.CheckConstraint("use in ('frame', 'sample', 'training')", name="panel_items_use"),
        sa.ForeignKeyConstraint(
            ["panel_id"],
            ["panels.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("panel_id", "key"),
    )
    op.create_table(
        "raters",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("panel_id", sa.Uuid(), nullable=False),
        sa.Column("slot", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=True),
        sa.Column("erased_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("consent_hash", sa.String(), nullable=True),
        sa.Column("consented_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("released_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("return_code_hash", sa.String(), nullable=True),
        sa.Column("questions_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("remarks", sa.Text(), nullable=True),
        sa.Column("finished_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["panel_id"],
            ["panels.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("panel_id", "slot"),
        sa.UniqueConstraint("return_code_hash"),
    )
    op.create_table(
        "adjudications",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.Column("dimension", sa.String(), nullable=False),
        sa.Column("value", sa.Integer(), nullable=False),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("made_by", sa.Uuid(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["item_id"],
            ["panel_items.id"],
        ),
        sa.ForeignKeyConstraint(
            ["made_by"],
            ["users.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("item_id", "dimension"),
    )
    op.create_table(
        "assignments",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("rater_id", sa.Uuid(), nullable=False),
        sa.Column("item_id", sa.Uuid(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("occasion", sa.Integer(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("draft", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.Column("version", sa.Integer(), nullable=False),
        sa.Column("tab", sa.String(), nullable=False),
        sa.Column("key", sa.Uuid(), nullable=False),
        sa.Column("locked", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("locked_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("opened_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("answered_at", sa.DateTime(timezone=True), nullable=True),
        sa.Column("wall_ms", sa.BigInteger(), nullable=True),
        sa.CheckConstraint("kind in ('training', 'main')", name="assignments_kind"),
        sa.CheckConstraint("status in ('open', 'submitted', 'skipped')", name="assignments_status"),
        sa.ForeignKeyConstraint(
            ["item_id"],
            ["panel_items.id"],
        ),
        sa.ForeignKeyConstraint(
            ["rater_id"],
            ["raters.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("rater_id", "kind", "item_id", "occasion"),
        sa.UniqueConstraint("rater_id", "kind", "position"),
    )
    op.create_index(op.f("ix_assignments_item_id"), "assignments", ["item_id"], unique=False)
    op.create_table(
        "rater_claims",
        sa.Column("rater_id", sa.Uuid(), nullable=False),
        sa.Column("claimed_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["rater_id"],
            ["raters.id"],
        ),
        sa.PrimaryKeyConstraint("rater_id"),
    )
    op.create_table(
        "rater_invitations",
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("rater_id", sa.Uuid(), nullable=False),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("revoked_at", sa.DateTime(timezone=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["rater_id"],
            ["raters.id"],
        ),
        sa.PrimaryKeyConstraint("token_hash"),
    )
    op.create_index(op.f("ix_rater_invitations_rater_id"), "rater_invitations", ["rater_id"], unique=False)
    op.create_table(
        "rater_sessions",
        sa.Column("token_hash", sa.String(), nullable=False),
        sa.Column("rater_id", sa.Uuid(), nullable=False),
        sa.Column("csrf_token", sa.String(), nullable=False),
        sa.Column("expires_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["rater_id"],
            ["raters.id"],
        ),
        sa.PrimaryKeyConstraint("token_hash"),
    )
    op.create_index(op.f("ix_rater_sessions_rater_id"), "rater_sessions", ["rater_id"], unique=False)
    op.create_table(
        "blinding_guesses",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("assignment_id", sa.Uuid(), nullable=False),
        sa.Column("about", sa.String(), nullable=False),
        sa.Column("guess", sa.String(), nullable=True),
        sa.Column("made_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment_id"],
            ["assignments.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("assignment_id", "about"),
    )
    op.create_table(
        "rating_activity",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("assignment_id", sa.Uuid(), nullable=False),
        sa.Column("visit", sa.String(), nullable=False),
        sa.Column("events", postgresql.JSONB(astext_type=sa.Text()), nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment_id"],
            ["assignments.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
    )
    op.create_index("rating_activity_of", "rating_activity", ["assignment_id"], unique=False)
    op.create_table(
        "ratings",
        sa.Column("id", sa.Uuid(), nullable=False),
        sa.Column("assignment_id", sa.Uuid(), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("key", sa.Uuid(), nullable=False),
        sa.Column("answer", postgresql.JSONB(astext_type=sa.Text()), nullable=True),
        sa.Column("skip_reason", sa.String(), nullable=True),
        sa.Column("skip_note", sa.Text(), nullable=False),
        sa.Column("rubric_version", sa.String(), nullable=False),
        sa.Column("active_ms", sa.BigInteger(), nullable=True),
        sa.Column("active_reason", sa.String(), nullable=True),
        sa.Column("wall_ms", sa.BigInteger(), nullable=False),
        sa.Column("submitted_at", sa.DateTime(timezone=True), nullable=False),
        sa.ForeignKeyConstraint(
            ["assignment_id"],
            ["assignments.id"],
        ),
        sa.PrimaryKeyConstraint("id"),
        sa.UniqueConstraint("assignment_id", "key"),
        sa.UniqueConstraint("assignment_id", "revision"),
    )
    role = context.config.attributes.get("application_role")
    if role:  # ratings are kept in every revision, and amendments for good
        for table in ("ratings", "panel_amendments"):
            op.execute(sa.text(f'REVOKE UPDATE, DELETE, TRUNCATE ON {table} FROM "{role}"'))


def downgrade() -> None:
    op.drop_table("ratings")
    op.drop_index("rating_activity_of", table_name="rating_activity")
    op.drop_table("rating_activity")
    op.drop_table("blinding_guesses")
    op.drop_index(op.f("ix_rater_sessions_rater_id"), table_name="rater_sessions")
    op.drop_table("rater_sessions")
    op.drop_index(op.f("ix_rater_invitations_rater_id"), table_name="rater_invitations")
    op.drop_table("rater_invitations")
    op.drop_table("rater_claims")
    op.drop_index(op.f("ix_assignments_item_id"), table_name="assignments")
    op.drop_table("assignments")
    op.drop_table("adjudications")
    op.drop_table("raters")
    op.drop_table("panel_items")
    op.drop_table("panel_amendments")
    op.drop_index(op.f("ix_panels_made_at"), table_name="panels")
    op.drop_table("panels")
