"""Studies: the list, the launch page with its estimate, and a study's own page."""

from dataclasses import replace
from typing import Annotated
from uuid import UUID

from fastapi import APIRouter, Depends, Query
from starlette.datastructures import FormData, UploadFile
from starlette.requests import Request
from starlette.responses import Response

from app.domain.auth import Right
from app.services.boards import list_studies, show_study
from app.services.interventions_list import show_interventions
from app.services.own_schedules import LARGEST_EVENTS
from app.services.studies import launch_study, study_file
from app.services.study_copies import copied_form, studies_with_events, with_events_of
from app.services.study_forms import BUDGET_FIELDS, StudyForm, Weighed, choices, first_form, weigh
from app.services.unit_of_work import Reading as Look
from app.web.addresses import PageNumber, StudyPath
from app.web.dependencies import Reading, Viewer, Work, needs
from app.web.forms import Filled, SentForm, fill, id_in, sending_of
from app.web.pages import go_to, page

router = APIRouter()
operate = Depends(needs(Right.OPERATE))
EVENTS_FILE = "events_file"


@router.get("/studies", name="studies.index")
def index(request: Request, reading: Reading, number: PageNumber = 1) -> Response:
    """Every study, the last launched first."""
    return page(request, "studies/index.html", studies=list_studies(reading, page=number))


@router.get("/studies/new", name="studies.new", dependencies=[operate])
def new(
    request: Request,
    reading: Reading,
    source: Annotated[str, Query(alias="from", max_length=40)] = "",
    events: UUID | None = None,
) -> Response:
    """The launch page; ``from`` a study it is filled with that study's design, with ``events`` of one with those."""
    copied = id_in(source)
    form = copied_form(reading, copied) if copied else first_form(source, choices())
    if events:
        form = with_events_of(reading, events, form)
    return _launch_page(request, reading, Filled(form, as_sent(form)), weigh(form, must_be_named=False))


@router.post("/studies/estimate", name="studies.estimate", dependencies=[operate])
def estimate(request: Request, reading: Reading, sent: SentForm) -> Response:
    """The estimate of a form as it stands; the whole page again for browsers without scripts."""
    return _launch_page(request, reading, *_weighed(sent, must_be_named=False))


@router.post("/studies", name="studies.launch", dependencies=[operate])
def launch(request: Request, work: Work, viewer: Viewer, sent: SentForm) -> Response:
    """Freeze the design and start its runs."""
    form, weighed = _weighed(sent)
    if weighed.design is None:
        return _launch_page(request, work, form, weighed, status=422)
    study_id = launch_study(work, weighed.design, viewer.user.id, sending=sending_of(sent))
    return go_to(request, "studies.show", study_id=study_id)


@router.get("/studies/{study_id}", name="studies.show")
def show(
    request: Request,
    reading: Reading,
    study_id: StudyPath,
    number: PageNumber = 1,
    condition: str = "",
    schedule: str = "",
) -> Response:
    """The grid of runs and eras; as a fragment when something changed."""
    study = show_study(reading, study_id, page=number, condition=condition, schedule=schedule)
    return page(request, "studies/show.html", fragment="studies/_now.html", view=study, tab="runs")


@router.get("/studies/{study_id}/interventions", name="studies.interventions")
def interventions(request: Request, reading: Reading, study_id: StudyPath, number: PageNumber = 1) -> Response:
    """What people did to this study's runs."""
    study = show_study(reading, study_id)
    made = show_interventions(reading, study_id=study_id, page=number)
    return page(request, "studies/interventions.html", view=study, made=made, tab="interventions")


@router.get("/studies/{study_id}/study.toml", name="studies.file")
def file(reading: Reading, study_id: StudyPath) -> Response:
    """The study file, which launches the same study again."""
    study = reading.studies.get(study_id)
    disposition = f'attachment; filename="study-{study.design_hash[:12]}.toml"'
    return Response(
        study_file(study.design), media_type="application/toml", headers={"Content-Disposition": disposition}
    )


def as_sent(form: StudyForm) -> dict[str, str | list[str]]:
    """A form's values as a browser would send them."""
    values = form.model_dump(mode="json")
    return {
        name: [str(item) for item in value] if isinstance(value, list) else "" if value is None else str(value)
        for name, value in values.items()
    }


def _weighed(sent: FormData, *, must_be_named: bool = True) -> tuple[Filled[StudyForm], Weighed]:
    may_be_empty = {"temperature", *BUDGET_FIELDS}
    items = [(name, value) for name, value in sent.multi_items() if name not in {*may_be_empty, EVENTS_FILE} or value]
    name, content = _uploaded(sent)
    try:
        items += [("own_events", content.decode("utf-8-sig"))] if name else []
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        problem = f"{name}, line {line}: byte 0x{content[error.start]:02x} is not UTF-8 text"
        form = fill(StudyForm, FormData(items))
        return form, Weighed(None, None, {"own_events": f"{problem}. Save the file as CSV in UTF-8."})
    kept = FormData(items)
    form = fill(StudyForm, kept)
    if form.value is None:
        return form, Weighed(None, None, {name.split(".")[0]: words for name, words in form.problems.items()})
    value = form.value if "temperature" in kept else form.value.model_copy(update={"temperature": None})
    return Filled(value, form.sent), _named_after(name, weigh(value, must_be_named=must_be_named))


def _named_after(name: str, weighed: Weighed) -> Weighed:
    """The same with the uploaded file's name before what is wrong in it."""
    if not name or "own_events" not in weighed.problems:
        return weighed
    problems = {**weighed.problems, "own_events": f"{name}, {weighed.problems['own_events']}"}
    return replace(weighed, problems=problems)


def _uploaded(sent: FormData) -> tuple[str, bytes]:
    """Name and bytes of an uploaded file of events, in place of what is written; no name where there is none.

    Of one that is too large, a little more than may be is read.
    """
    file = sent.get(EVENTS_FILE)
    if isinstance(file, UploadFile) and file.filename:
        return file.filename, file.file.read(LARGEST_EVENTS + 1)
    return "", b""


def _launch_page(
    request: Request, look: Look, form: Filled[StudyForm], weighed: Weighed, status: int = 200
) -> Response:
    return page(
        request,
        "studies/new.html",
        fragment="studies/_estimate.html",
        status=status,
        sent={**as_sent(StudyForm(temperature=None)), **form.sent},
        offered=choices(),
        weighed=weighed,
        problems=weighed.problems,
        earlier=studies_with_events(look),
    )
