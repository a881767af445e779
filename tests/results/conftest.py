"""Browsers and studies for the tests of results."""

from tests.web.conftest import admin, auditor, launch, operator, perform, services, stranger

__all__ = ["admin", "auditor", "launch", "operator", "perform", "services", "stranger"]
