"""Studies whose models all speak to the fake provider, through each of the three APIs."""

from tests.faults.rehearsed import bench
from tests.services.stage import database_url_in_use, stage

__all__ = ["bench", "database_url_in_use", "stage"]
