"""The broker's door: Celery tasks that call services."""
