"""A panel over the runs of a study: the judge's own packets, blind, with the strata of the design."""

import json
import re
from collections.abc import Callable
from threading import Thread
from typing import Any

import pytest
from sqlalchemy import text

from app.domain.auth import Role
from app.domain.engine.quotations import REDACTED
from app.domain.ids import StudyId
from app.domain.protocol.artifacts import Decision
from app.domain.protocol.conditions import Condition
from app.domain.protocol.rubrics import RubricId
from app.domain.rating.designs import SourceKind
from app.domain.study import StudyDesign
from app.library.reader import schedule
from app.services.marks import Wish
from app.services.panel_exports import FILES, export_panel
from app.services.panel_forms import NewPanelForm, first_design
from app.services.panels import create_panel, lock_panel
from app.services.performing import Desk, perform_steps
from app.services.redactions import redact_artifact
from app.services.studies import choose_model, launch_study
from app.services.unit_of_work import reading, unit_of_work
from app.services.users import add_user
from tests.services.test_leases import wait_for_a_lock

Make = Callable[..., Any]
READY = "select id from steps where state = 'ready' order by ready_at"


@pytest.fixture
def study(services: None) -> StudyId:
    """A finished rehearsal of two runs over the short schedule."""
    design = StudyDesign(
        name="Autumn rehearsal",
        schedules=(schedule("history-short"),),
        conditions=(Condition.FULL, Condition.SINGLE_PROMPT),
        players=(choose_model("rehearsal/steady", 1.0),),
        judge=choose_model("rehearsal/strict", 1.0),
        author=choose_model("rehearsal/author", 1.0),
    )
    with unit_of_work() as work:
        made = launch_study(work, design, None)
    desk = Desk("test")
    while True:
        with reading() as look:
            ready = look.session.execute(text(READY)).scalars().all()
        if not ready:
            return made
        for step in ready:
            perform_steps(step, desk)


def test_a_panel_over_a_study_shows_the_judges_packet_and_none_of_its_names(study: StudyId, rater: Make):
    form = NewPanelForm(name="Over a study", source=SourceKind.STUDIES, rubric=RubricId.RECORD, studies=(study,))
    with unit_of_work() as work:
        design, items = first_design(work, form, None)
        names = {term.text for item in items for term in item.terms if term.kind == "company"}
        eras = {item.strata["era"] for item in items}
        assert {item.strata["condition"] for item in items} == {"full", "single_prompt"}
        assert all(item.judge for item in items)
        wide = design.model_copy(update={"cap": 0, "items": len(items), "raters": 1})
        made = create_panel(work, wide, items, None)
    with unit_of_work() as work:
        lock_panel(work, made)
    one = rater(made)
    for _ in range(len(items)):
        one.rate(5)
    bodies = "\n".join(answer.text for answer in one.seen if answer.url.path != "/rate/questions")
    before = re.sub(r'<section id="part-(?:outcome|briefing)".*?</section>', "", bodies, flags=re.DOTALL)
    for word in (*names, "Autumn rehearsal", "rehearsal/", "single_prompt", "single prompt", "full r01"):
        assert word not in before, word
    assert "What happened" in bodies
    assert len(items) == 2 * len(eras)
    with reading() as look:
        body = json.loads(look.session.execute(text("select locked::text from panels")).scalar_one())
    assert len(body["sample"]) == len(items)


def test_what_is_redacted_afterwards_leaves_every_packet_and_export(study: StudyId, rater: Make):
    form = NewPanelForm(name="Over a study", source=SourceKind.STUDIES, rubric=RubricId.RECORD, studies=(study,))
    with unit_of_work() as work:
        design, items = first_design(work, form, None)
        wide = design.model_copy(update={"cap": 0, "items": len(items), "raters": 1, "repeats": 0})
        made, draft = (create_panel(work, wide, items, None) for _ in range(2))
    with unit_of_work() as work:
        lock_panel(work, made)
        run = next(one for one in work.runs.of_study(study) if one.condition == "full")
        step = next(one for one in work.steps.of_run(run.id) if one.key == "E1/decision")
        kept = work.artifacts.of_step(step.id).artifact
        author = add_user(work, name="Ada", role=Role.ADMIN).id
    assert isinstance(kept, Decision)
    key = next(item.key for item in items if f"|{run.number:04d}|E1" in item.key)
    secrets = [" ".join(line.split()[:6]) for line in (*kept.plan, *kept.keep, kept.wedge) if len(line.split()) > 6]
    with reading() as look:
        everywhere = json.dumps([item.source.model_dump(mode="json") for item in look.panels.items(made)])
    assert secrets
    assert all(secret in everywhere for secret in secrets)
    with unit_of_work() as work:
        redact_artifact(work, step.id, Wish(author=author, reason="private"))
    one = rater(made)
    one.rate(5)
    with reading() as look:
        found = [item for panel in (made, draft) for item in look.panels.items(panel)]
        texts = [item.model_dump_json() for kept in found for item in (kept.source, kept.packet) if item]
        texts += [export_panel(look, made, name) for name in FILES]
        (own,) = look.panels.items(made, [key])
    assert not [secret for secret in secrets for text in texts if secret in text]
    assert own.packet
    assert REDACTED in next(section.text for section in own.packet.sections if section.id == "decision")


def test_an_empty_frame_is_refused_by_name(study: StudyId):
    form = NewPanelForm(name="No", source=SourceKind.STUDIES, rubric=RubricId.AUDITOR, studies=(study,))
    with unit_of_work() as work:
        _, items = first_design(work, form, None)
    assert all(item.strata["mode"] in {"live", "forecast"} for item in items)


def test_a_panel_made_while_a_text_is_taken_out_or_afterwards_shows_nothing_of_it(study: StudyId):
    form = NewPanelForm(name="Over a study", source=SourceKind.STUDIES, rubric=RubricId.RECORD, studies=(study,))
    drafts: list[str] = []

    def draft() -> None:
        with unit_of_work() as work:
            drafts.append(repr(first_design(work, form, None)[1]))

    draft()  # what this process read of the runs, it keeps
    with unit_of_work() as work:
        run = next(one for one in work.runs.of_study(study) if one.condition == "full")
        step = next(one for one in work.steps.of_run(run.id) if one.key == "E2/decision")
        kept = work.artifacts.of_step(step.id).artifact
        author = add_user(work, name="Ada", role=Role.ADMIN).id
    assert isinstance(kept, Decision)
    with unit_of_work() as work:
        redact_artifact(work, step.id, Wish(author, "it names a person"))
        thread = Thread(target=draft)
        thread.start()
        wait_for_a_lock(work)
    thread.join()
    draft()
    words = " ".join(kept.rationale.split()[-8:])
    assert [words in one for one in drafts] == [True, False, False]
