"""Keep the texts of calls as they are: PostgreSQL's own compression takes longer than the rest of a step's record."""

from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

TEXTS = ("request", "response")


def upgrade() -> None:
    store_texts("EXTERNAL")


def downgrade() -> None:
    store_texts("EXTENDED")


def store_texts(how: str) -> None:
    """Texts written from now on; those that stand stay as they are."""
    for text in TEXTS:
        op.execute(f"ALTER TABLE calls ALTER COLUMN {text} SET STORAGE {how}")
