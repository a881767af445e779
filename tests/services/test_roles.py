"""Roles: each may do what the one before it may, and something more."""

from app.domain.auth import Right, Role


def test_rights_grow_from_role_to_role():
    may = {role: {right for right in Right if role.may(right)} for role in Role}
    assert may[Role.AUDITOR] == {Right.READ}
    assert may[Role.OPERATOR] == {Right.READ, Right.OPERATE}
    assert may[Role.ADMIN] == set(Right)
