"""The application on the test's own services, with its caches cleared before and after."""

from tests.services.stage import database_url_in_use, scripted, stage

__all__ = ["database_url_in_use", "scripted", "stage"]
