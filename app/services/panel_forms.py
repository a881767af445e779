"""The forms of a panel: where its items come from, and its design, read from text and shown again as text."""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any
from uuid import UUID

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from app.domain.misfits import problems_of
from app.domain.naming import WrittenName
from app.domain.protocol.rubrics import RubricId
from app.domain.rating.allocation import Allocation
from app.domain.rating.answers import WHOLE_NUMBER
from app.domain.rating.designs import CONSENT, AnalysisPlan, PanelDesign, SourceKind
from app.domain.rating.mask_terms import company_terms
from app.domain.rating.packets import Packet, Section
from app.domain.rating.scales import RatingRubric, rubric_for_raters
from app.domain.rating.training import TrainingItem, TrainingPlan
from app.imports.bundles import BundleError
from app.imports.item_tables import ItemTableError, TableItem, read_items
from app.imports.published.runs import parse_published_run
from app.imports.published.values import PublishedRunError
from app.imports.rating_rubrics import EXAMPLE, RubricFileError, read_rubric
from app.imports.run_folders import read_run_folder
from app.library.reader import rubric
from app.services.errors import RefusedError
from app.services.frame_items import SourceItem
from app.services.published_frames import published_items
from app.services.study_frames import study_items
from app.services.unit_of_work import Reading, Work

RUBRIC_EXAMPLE = EXAMPLE
RUBRIC_FIRST = re.compile("^rubric[:,] ")
USUAL_STRATA = (("era", "condition"), ("mode", "condition"), ("condition",))


class NewPanelForm(BaseModel):
    """What the page for a new panel asks for."""

    model_config = ConfigDict(frozen=True)

    name: Annotated[WrittenName, Field(min_length=1, max_length=120)]
    source: SourceKind
    rubric: str = RubricId.RECORD
    rubric_text: Annotated[str, Field(max_length=60_000)] = ""
    studies: tuple[UUID, ...] = ()
    blind_to_condition: bool = True


class DesignForm(BaseModel):
    """What a draft's page asks for; an empty number of repeats means the usual one."""

    model_config = ConfigDict(frozen=True)

    name: Annotated[WrittenName, Field(min_length=1, max_length=120)]
    strata: tuple[str, ...] = ()
    items: int = 30
    allocation: Allocation = Allocation.PROPORTIONAL
    minimum: int = 1
    cap: int = 1
    seed: int = 1
    raters: int = 3
    repeats: str = ""
    reliability: float = 0.65
    short_packets: bool = False
    with_interventions: bool = False
    guesses: int = 5
    consent: str = CONSENT
    most_missed: float = 0.3
    headline: str = "alpha_interval"
    interval: str = "jackknife over runs"
    epsilon: float = 0.2
    margin_points: float = 1.0
    notes: str = ""


def first_design(
    work: Work, form: NewPanelForm, upload: tuple[str, bytes] | None
) -> tuple[PanelDesign, tuple[SourceItem, ...]]:
    """The draft's design and its frame. Raises RefusedError, naming the field and the mend."""
    chosen = _rubric(form)
    work.studies.hold(form.studies)  # what is taken out of them meanwhile would stay in the panel
    items = tuple(_items(work, form, upload))
    training = tuple(item.training for item in items if item.training)
    places = max(1, min(30, len(items) - len(training)))
    design = PanelDesign(
        name=form.name,
        source=form.source,
        source_ids=tuple(str(one) for one in form.studies),
        rubric=chosen,
        strata=_first_strata(items, places),
        items=places,
        cap=1 if form.source is SourceKind.STUDIES else 0,
        training=TrainingPlan(items=training),
        blind_to_condition=form.blind_to_condition,
    )
    return design, items


def _first_strata(items: Sequence[SourceItem], places: int) -> tuple[str, ...]:
    """The finest usual strata whose cells each find a place in the sample."""
    for names in USUAL_STRATA:
        known = tuple(name for name in names if any(name in item.strata for item in items))
        if len({tuple(item.strata.get(name, "none") for name in known) for item in items}) <= places:
            return known
    return ()


def changed_design(design: PanelDesign, form: DesignForm) -> PanelDesign:
    """The design with what the form holds. Raises ValidationError (pydantic's) with the design's field names."""
    body: dict[str, Any] = design.model_dump(mode="json")
    plain = form.model_dump(mode="json", exclude={"repeats", "most_missed", *AnalysisPlan.model_fields})
    body.update(plain)
    body["repeats"] = form.repeats.strip() or None
    body["training"] = {**body["training"], "most_missed": form.most_missed}
    body["plan"] = {name: getattr(form, name) for name in AnalysisPlan.model_fields}
    return PanelDesign.model_validate(body)


def sent_of(design: PanelDesign) -> dict[str, Any]:
    """A design as its form shows it."""
    plan = design.plan.model_dump()
    shown = {name: getattr(design, name) for name in DesignForm.model_fields if hasattr(design, name)}
    repeats = "" if design.repeats is None else str(design.repeats)
    return {**shown, **plan, "repeats": repeats, "most_missed": design.training.most_missed}


def with_training(design: PanelDesign, key: str, values: Mapping[str, str], reasons: Mapping[str, str]) -> PanelDesign:
    """The design with this training item in place of an earlier one; without any value the item leaves training."""
    known = {one.id: one.scale for one in design.rubric.dimensions}
    consensus = {}
    for name, text in values.items():
        if not text.strip():
            continue
        value = int(text) if WHOLE_NUMBER.fullmatch(text.strip()) else None
        if name not in known or value not in known[name].values:
            raise RefusedError(f"{name[:80]}: {text[:20]} is not on the scale")
        consensus[name] = value
    others = tuple(item for item in design.training.items if item.key != key)
    written = {name: text.strip() for name, text in reasons.items() if text.strip()}
    new = (*others, _training_item(key, consensus, written)) if consensus else others
    return design.model_copy(update={"training": design.training.model_copy(update={"items": new})})


def _training_item(key: str, consensus: dict[str, int], reasons: dict[str, str]) -> TrainingItem:
    try:
        return TrainingItem(key=key, consensus=consensus, reasons=reasons)
    except ValidationError as error:
        field, words = next(iter(first_problem(error).items()))
        raise RefusedError(f"{field}: {words}") from error


def first_problem(error: ValidationError) -> dict[str, str]:
    """A design's problems by the form's field names."""
    found: dict[str, str] = {}
    for place, words in problems_of(error):
        found.setdefault(next((part for part in reversed(place) if isinstance(part, str)), "form"), words)
    return found


def _rubric(form: NewPanelForm) -> RatingRubric:
    if form.rubric in set(RubricId):
        return rubric_for_raters(rubric(RubricId(form.rubric)))
    try:
        return read_rubric(form.rubric_text)
    except RubricFileError as error:
        raise RefusedError(f"rubric: {RUBRIC_FIRST.sub('', str(error))}") from error


def _items(reading: Reading, form: NewPanelForm, upload: tuple[str, bytes] | None) -> Iterable[SourceItem]:
    judged_by = RubricId(form.rubric) if form.rubric in set(RubricId) else RubricId.RECORD
    if form.source is SourceKind.STUDIES:
        if not form.studies:
            raise RefusedError("studies: choose at least one study")
        return study_items(reading, form.studies, judged_by, blind=form.blind_to_condition)
    if upload is None or not upload[1]:
        raise RefusedError("file: choose a file with the items")
    name, content = upload
    try:
        if form.source is SourceKind.PUBLISHED:
            run, files = read_run_folder(content, name)
            return published_items(parse_published_run(files, run), judged_by)
        return [_from_table(item) for item in read_items(content, name)]
    except (ItemTableError, PublishedRunError, BundleError) as error:
        raise RefusedError(f"file: {error}") from error


def _from_table(item: TableItem) -> SourceItem:
    sections = tuple(
        Section(id=f"part_{number}", title=title, text=text, outcome=is_outcome)
        for number, (title, text, is_outcome) in enumerate(item.texts, start=1)
    )
    training = TrainingItem(key=item.key, consensus=item.consensus, reasons=item.reasons) if item.consensus else None
    return SourceItem(
        key=item.key,
        unit=item.unit,
        strata=item.strata,
        packet=Packet(sections=sections),
        terms=company_terms(item.names),
        judge=item.judge,
        training=training,
    )
