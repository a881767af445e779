"""The rater's application, put together; it is mounted under its own address and shares no page with the rest."""

from fastapi import Depends, FastAPI

from app.web.addresses import AddressGuard
from app.web.rate import access, items, progress
from app.web.rate.errors import add_error_pages
from app.web.rate.session import check_request


def create_rate_app() -> FastAPI:
    """The application that answers below ``/rate``."""
    app = FastAPI(openapi_url=None, docs_url=None, redoc_url=None, dependencies=[AddressGuard, Depends(check_request)])
    for part in (access, progress, items):
        app.include_router(part.router)
    add_error_pages(app)
    return app
