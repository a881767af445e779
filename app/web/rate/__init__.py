"""The rater's own small world: an application beside the operator's, with its own session, pages and errors."""

from app.web.rate.application import create_rate_app

__all__ = ["create_rate_app"]
