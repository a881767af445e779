"""Browsers for the tests of imports."""

from tests.web.conftest import admin, auditor, launch, operator, perform, services, stranger

__all__ = ["admin", "auditor", "launch", "operator", "perform", "services", "stranger"]
