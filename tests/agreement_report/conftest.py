"""Browsers for the tests of the report's pages."""

from tests.web.conftest import auditor, operator, services, stranger

__all__ = ["auditor", "operator", "services", "stranger"]
