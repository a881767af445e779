"""A study set in a fictional history runs on that world's events, layers and eras alone."""

import pytest

from app.domain.engine.steps import plan_steps
from app.domain.protocol.eras import Era, Mode, Schedule
from app.domain.study import StudyDesign
from app.library.reader import UnknownScheduleError, events
from app.services import worlds
from app.services.studies import choose_model, estimate_study, read_study_file
from app.services.unit_of_work import reading
from app.services.worlds import WorldChangedError, fictional_world, find_schedule, library, library_of
from tests.services.stage import Stage

pytestmark = [pytest.mark.services, pytest.mark.usefixtures("stage")]


def fictional(seed: int = 7) -> StudyDesign:
    return StudyDesign(
        name="elsewhere",
        schedules=(find_schedule(f"fictional-{seed}"),),
        players=(choose_model("rehearsal/steady", 1.0),),
        judge=choose_model("rehearsal/strict", 1.0),
        author=choose_model("rehearsal/author", 1.0),
    )


def test_a_seed_names_a_schedule_and_the_full_name_finds_it_again():
    schedule = find_schedule("fictional-7")
    assert {era.mode for era in schedule.eras} == {Mode.FICTIONAL}
    assert find_schedule(schedule.id) == schedule
    assert find_schedule("history-short").eras[0].mode is Mode.TRAINING
    with pytest.raises(UnknownScheduleError):
        find_schedule("fictional-x")


def test_a_study_set_in_a_world_of_the_first_version_is_still_read():
    old = find_schedule("fictional-1-7")
    assert old.id == "fictional-1-7"
    assert library_of(old).events == fictional_world(7, "1").events
    with pytest.raises(UnknownScheduleError, match="version 1 or 2"):
        find_schedule("fictional-9-7")


def test_its_library_holds_nothing_of_the_record():
    made = library_of(fictional().schedules[0])
    real = {event.text for event in events()}
    assert not real & {event.text for event in made.events}
    assert made.layers.ids == tuple(layer.id for layer in fictional_world(7).layers)
    assert library_of(fictional().schedules[0]) is made


def test_a_world_that_can_no_longer_be_made_is_refused():
    design = fictional()
    first = design.schedules[0].eras[0]
    moved = first.model_copy(update={"title": "another"})
    other = Schedule(id=design.schedules[0].id, title="t", eras=(moved, *design.schedules[0].eras[1:]))
    with pytest.raises(WorldChangedError, match="another world"):
        library_of(other)
    foreign = Schedule(id="mine", title="t", eras=(Era(**{**first.model_dump(), "id": "F1"}),))
    with pytest.raises(WorldChangedError):
        library_of(foreign)


def test_a_study_file_may_name_a_fictional_schedule():
    text = (
        'name = "f"\nschedule = "fictional-3"\nplayers = ["rehearsal/steady"]\n'
        'judge = "rehearsal/strict"\nauthor = "rehearsal/author"\n'
    )
    design = read_study_file(text)
    assert design.schedules[0] == find_schedule("fictional-3")
    plan = plan_steps(design, design.conditions[0], design.schedules[0])
    assert estimate_study(design).calls == sum(not step.by_code for step in plan)
    assert worlds.library() is library()


def test_a_company_lives_through_a_fictional_history(stage: Stage):
    run = stage.launch(schedule="fictional-7")
    stage.play(run)
    assert stage.run(run).state == "finished"
    stage.check_books(run)
    with reading() as look:
        heard = " ".join(look.calls.texts(call.id)[0] for call in stage.calls(run))
    assert not [event.text for event in events() if event.text in heard]
    assert any(event.text in heard for event in fictional_world(7).events)
