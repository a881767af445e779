"""The rater's application, put together; it is mounted under its own address and shares no page with the rest."""

from fastapi import Depends, FastAPI

from app.web.csrf import check_origin
from app.web.rate import access, items, progress
from app.web.rate.errors import add_error_pages
from app.web.rate.session import check_token


def create_rate_app() -> FastAPI:
    """The application that answers below ``/rate``."""
    guards = [Depends(check_origin), Depends(check_token)]
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, dependencies=guards)
    for part in (access, progress, items):
        app.include_router(part.router)
    add_error_pages(app)
    return app
