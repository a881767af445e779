"""Who may do what: three roles, and what each of them is allowed."""

from enum import StrEnum


class Right(StrEnum):
    """What a page or an action asks for."""

    READ = "read"
    OPERATE = "operate"
    ADMINISTER = "administer"


class Role(StrEnum):
    """Auditors read, operators also launch and mend, admins also manage people and models."""

    AUDITOR = "auditor"
    OPERATOR = "operator"
    ADMIN = "admin"

    def may(self, right: Right) -> bool:
        """Whether the role has a right."""
        return right in _RIGHTS[self]


_RIGHTS = {
    Role.AUDITOR: frozenset({Right.READ}),
    Role.OPERATOR: frozenset({Right.READ, Right.OPERATE}),
    Role.ADMIN: frozenset(Right),
}
