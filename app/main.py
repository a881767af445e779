"""The web application, put together."""

from fastapi import Depends, FastAPI
from starlette.staticfiles import StaticFiles

from app.domain.auth import Right
from app.logs import configure_logs
from app.settings import get_settings
from app.templating import STATIC
from app.web import (
    account,
    agreement,
    archives,
    audits,
    calls,
    eras,
    exports,
    health,
    home,
    imports,
    interventions,
    judgings,
    live,
    manual,
    panel_actions,
    panels,
    pauses,
    record,
    registry,
    results,
    run_marks,
    runs,
    sign_in,
    steps,
    studies,
    users,
    worlds,
)
from app.web.answers import HeadAnswers
from app.web.csrf import GUARDS
from app.web.dependencies import needs
from app.web.errors import add_error_pages
from app.web.headers import SecurityHeaders
from app.web.rate import create_rate_app

OPEN = (sign_in.router, health.watched)
FOR_READERS = (
    home,
    studies,
    imports,
    results,
    runs,
    run_marks,
    eras,
    calls,
    steps,
    pauses,
    exports,
    interventions,
    record,
    registry,
    health,
    account,
    live,
    manual,
    panels,
    agreement,
    audits,
    judgings,
    worlds,
)
FOR_OPERATORS = (panel_actions,)
FOR_ADMINS = (users, archives)


def create_app() -> FastAPI:
    """The application; no database is touched until the first request."""
    settings = get_settings()
    configure_logs(settings.log_level, settings.log_format)
    app = FastAPI(title="Frontier Autolab", openapi_url=None, docs_url=None, redoc_url=None, dependencies=[*GUARDS])
    for router in OPEN:
        app.include_router(router)
    for noun in FOR_READERS:
        app.include_router(noun.router, dependencies=[Depends(needs(Right.READ))])
    for noun in FOR_OPERATORS:
        app.include_router(noun.router, dependencies=[Depends(needs(Right.OPERATE))])
    for noun in FOR_ADMINS:
        app.include_router(noun.router, dependencies=[Depends(needs(Right.ADMINISTER))])
    app.mount("/rate", create_rate_app())
    app.mount("/static", StaticFiles(directory=STATIC), name="static")
    add_error_pages(app)
    app.add_middleware(HeadAnswers)
    app.add_middleware(SecurityHeaders, secure=settings.secure_cookies)
    return app
