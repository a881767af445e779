"""The registry of models: everybody reads it, operators try a model, admins add, edit and retire."""

from fastapi import APIRouter, Depends
from starlette.requests import Request
from starlette.responses import Response

from app.domain.auth import Right
from app.providers.compatible import SchemaMode
from app.services.errors import AlreadyThereError, NotFoundError
from app.services.model_forms import (
    ModelForm,
    UnfitEntryError,
    add_model,
    change_model,
    entry_from,
    form_of,
    retire_model,
)
from app.services.registry import RegisteredModel, UnknownModelError, registered_model
from app.services.registry_page import show_registry, show_versions
from app.services.trials import Trial, try_model
from app.services.unit_of_work import Reading as Look
from app.web.dependencies import Reading, Viewer, Work, needs
from app.web.forms import SentForm, fill
from app.web.pages import go_to, page

router = APIRouter()
administer = Depends(needs(Right.ADMINISTER))
operate = Depends(needs(Right.OPERATE))
PROVIDERS = ("anthropic", "openai", "openai_compatible")
LONGEST_VERSION = 10
FIRST = {"provider": "openai_compatible", "schema_mode": "json_schema", "temperature": "true"}


@router.get("/models", name="registry.index")
def index(request: Request) -> Response:
    """Every model there is, the shipped ones first."""
    return _models(request)


@router.get("/models/new", name="registry.new", dependencies=[administer])
def new(request: Request) -> Response:
    """The form of a new entry."""
    return _form(request, FIRST)


@router.post("/models", name="registry.add", dependencies=[administer])
def add(request: Request, work: Work, viewer: Viewer, sent: SentForm) -> Response:
    """Register a model."""
    form = fill(ModelForm, sent)
    if form.value is None:
        return _form(request, form.sent, form.problems, status=422)
    try:
        add_model(work, entry_from(form.value), viewer.user.id)
    except AlreadyThereError as taken:
        return _form(request, form.sent, {"name": str(taken)}, status=422)
    except UnfitEntryError as unfit:
        return _form(request, form.sent, unfit.problems, status=422)
    return go_to(request, "registry.index")


@router.get("/models/edit/{name:path}", name="registry.edit", dependencies=[administer])
def edit(request: Request, reading: Reading, name: str) -> Response:
    """The form of an entry, with its earlier versions."""
    model = _known(name)
    return _form(request, form_of(model.entry), model=model, look=reading)


@router.post("/models/edit/{name:path}", name="registry.change", dependencies=[administer])
def change(request: Request, work: Work, viewer: Viewer, name: str, sent: SentForm) -> Response:
    """Keep a new version of an entry."""
    model = _known(name)
    form = fill(ModelForm, sent)
    if form.value is None:
        return _form(request, form.sent, form.problems, model=model, look=work, status=422)
    try:
        entry = entry_from(form.value.model_copy(update={"name": name}))
    except UnfitEntryError as unfit:
        return _form(request, form.sent, unfit.problems, model=model, look=work, status=422)
    change_model(work, name, entry, based_on=_version(sent), by=viewer.user.id)
    return go_to(request, "registry.index")


@router.post("/models/retire/{name:path}", name="registry.retire", dependencies=[administer])
def retire(request: Request, work: Work, viewer: Viewer, name: str) -> Response:
    """Offer a model to new studies no longer."""
    retire_model(work, _known(name).entry.name, retired=True, by=viewer.user.id)
    return go_to(request, "registry.index")


@router.post("/models/offer/{name:path}", name="registry.offer", dependencies=[administer])
def offer(request: Request, work: Work, viewer: Viewer, name: str) -> Response:
    """Offer a retired model again."""
    retire_model(work, _known(name).entry.name, retired=False, by=viewer.user.id)
    return go_to(request, "registry.index")


@router.post("/models/try/{name:path}", name="registry.try", dependencies=[operate])
def attempt(request: Request, name: str) -> Response:
    """Send one small call and show what came back; no transaction is open meanwhile."""
    return _models(request, try_model(_known(name).entry.name))


def _known(name: str) -> RegisteredModel:
    try:
        return registered_model(name)
    except UnknownModelError as error:
        raise NotFoundError("model", name) from error


def _version(sent: SentForm) -> int:
    value = str(sent.get("based_on", ""))
    return int(value) if value.isdecimal() and len(value) < LONGEST_VERSION else -1


def _models(request: Request, trial: Trial | None = None) -> Response:
    return page(request, "registry/index.html", registry=show_registry(), trial=trial)


def _form(
    request: Request,
    sent: dict[str, str] | dict[str, str | list[str]],
    problems: dict[str, str] | None = None,
    *,
    model: RegisteredModel | None = None,
    look: Look | None = None,
    status: int = 200,
) -> Response:
    return page(
        request,
        "registry/form.html",
        status=status,
        sent={**dict.fromkeys(ModelForm.model_fields, ""), **sent, **_without_keys(problems or {})},
        problems={name: words.removeprefix(f"{name}: ") for name, words in (problems or {}).items()},
        model=model,
        versions=show_versions(look, model.entry.name) if model and look else (),
        providers=PROVIDERS,
        schema_modes=tuple(SchemaMode),
    )


def _without_keys(problems: dict[str, str]) -> dict[str, str]:
    """Fields that are shown empty again: what was refused there may be a key."""
    return {name: "" for name in ("key_variable", "endpoint") if name in problems}
