"""Rating panels go with the archive of the study they drew from, and give the same pages and numbers elsewhere."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from uuid import UUID

import psycopg
import pytest
from sqlalchemy import text

from app.domain.ids import PanelId
from app.domain.protocol.rubrics import RubricId
from app.domain.rating.answers import LONGEST_NOTE
from app.domain.rating.designs import Amendment, SourceKind
from app.embedded.schema import plain_url
from app.imports.archive import ArchiveError
from app.services.agreement_reports import show_agreement
from app.services.archives import import_archive
from app.services.marks import Wish
from app.services.panel_exports import FILES, export_panel
from app.services.panel_forms import NewPanelForm, first_design
from app.services.panel_pages import items_to_settle, settle, show_panel
from app.services.panels import close_panel, create_panel, lock_panel
from app.services.raters import invite_rater
from app.services.redactions import redact_artifact
from app.services.unit_of_work import reading, unit_of_work
from tests.agreement_report.closed_panels import rate
from tests.agreement_report.simulated import varied
from tests.exports.archived import changed, edit_row
from tests.exports.conftest import Elsewhere, Played, write
from tests.services.stage import Stage

pytestmark = pytest.mark.services

NAME = "Ada Lovelace"
SECRET = "a code that lets somebody in"


def panel_over(study: UUID, *, close: bool = True, name: str = "Spring panel") -> PanelId:
    """A panel over a study that two people finished; one of them is known by name."""
    form = NewPanelForm(name=name, source=SourceKind.STUDIES, rubric=RubricId.RECORD, studies=(study,))
    with unit_of_work() as work:
        design, items = first_design(work, form, None)
        wide = design.model_copy(update={"cap": 0, "items": len(tuple(items)), "raters": 2, "repeats": 0})
        panel = create_panel(work, wide, items, None)
    with unit_of_work() as work:
        lock_panel(work, panel)
        rater = work.raters.of_panel(panel)[0]
        invite_rater(work, panel, rater.slot, name=NAME, days=7)
        work.raters.change(rater.id, return_code_hash=f"{SECRET} {panel}", remarks="long texts")
        rate(work, panel, varied, 3)
        if close:
            close_panel(work, panel)
    return panel


def put(path: Path):
    with unit_of_work() as work:
        return import_archive(work, path)


def seen(panel: PanelId) -> dict[str, object]:
    """What the pages and files of a panel say, but for a person's name and the invitations."""
    with reading() as look:
        view = show_panel(look, panel)
        return {
            "raters": [(one.label, one.rated, one.skipped, one.total, one.rater.remarks) for one in view.raters],
            "sample": view.sample,
            "files": {name: export_panel(look, panel, name) for name in FILES},
            "agreement": show_agreement(look, panel).as_json(),
            "settled": items_to_settle(look, panel),
        }


def texts_of(archive: Path) -> str:
    with zipfile.ZipFile(archive) as whole:
        return "\n".join(whole.read(name).decode() for name in whole.namelist())


def test_a_closed_panel_gives_the_same_pages_and_numbers_elsewhere(
    stage: Stage, played: Played, tmp_path: Path, elsewhere: Elsewhere
) -> None:
    study = played()
    bare = write(study, tmp_path / "bare.zip")
    panel = panel_over(study)
    with unit_of_work() as work:
        item = items_to_settle(work, panel)[0]
        settle(work, panel, item.id, item.dimensions[0].dimension.id, 5, reason="talked it over", made_by=None)
    draft = panel_over(study, close=False, name="Still open")
    archive = write(study, tmp_path / "study.zip")
    before = seen(panel)
    assert before["settled"]
    words = texts_of(archive)
    assert NAME not in words
    assert SECRET not in words
    with zipfile.ZipFile(archive) as whole:
        assert not {name for name in whole.namelist() if "invitation" in name or "session" in name}
    with elsewhere():
        assert put(bare).panels == 0
        done = put(archive)
        assert (done.was_there, done.panels, done.paused_panels) == (True, 2, 1)
        assert seen(panel) == before
        with reading() as look:
            assert look.panels.get(draft).state == "paused"
            assert [rater.name for rater in look.raters.of_panel(panel)] == [None, None]
        assert put(archive).panels == 0
        with unit_of_work() as work:
            work.session.execute(text("update panels set locked_hash = 'other' where id = :id"), {"id": panel})
        with pytest.raises(ArchiveError, match="already, under another design"):
            put(archive)


@pytest.fixture
def with_panel(played: Played, tmp_path: Path) -> tuple[UUID, PanelId, Path]:
    """A study with its panel, and their archive."""
    study = played()
    panel = panel_over(study)
    return study, panel, write(study, tmp_path / "study.zip")


def drop_first(content: bytes) -> bytes:
    return b"".join(content.splitlines(keepends=True)[1:])


def other_unit(content: bytes) -> bytes:
    return edit_row(0, unit="another run")(content)


def other_sample(content: bytes) -> bytes:
    return edit_row(0, probability=0.123)(content)


def other_design(content: bytes) -> bytes:
    locked = json.loads(content.splitlines()[0])["locked"]
    return edit_row(0, locked={**locked, "repeats": 9})(content)


def test_a_panel_that_was_changed_is_refused(
    with_panel: tuple[UUID, PanelId, Path], tmp_path: Path, elsewhere: Elsewhere
) -> None:
    _, _, archive = with_panel
    changes: list[tuple[str, Callable[[bytes], bytes], str]] = [
        ("panel_items", other_unit, "the items of Spring panel are not those that were locked"),
        ("panel_items", other_sample, "the sample of Spring panel is not the one that was locked"),
        ("panels", other_design, "line 1: the locked design does not give its hash"),
        ("panels", edit_row(0, design={}), "line 1: .* does not read as it should"),
        ("panel_items", edit_row(0, source={"sections": []}), "line 1: sections does not read"),
        ("ratings", edit_row(0, answer={"values": {"timing": "five"}}), "line 1: values.timing does not read"),
        ("raters", drop_first, r"line \d+: rater_id names something that is not in the archive"),
    ]
    with elsewhere():
        for number, (table, change, words) in enumerate(changes):
            bad = changed(archive, tmp_path / f"{number}.zip", f"data/{table}.jsonl", change, relist=True)
            with pytest.raises(ArchiveError, match=words):
                put(bad)
        with reading() as look:
            assert look.session.execute(text("select count(*) from panels")).scalar_one() == 0


def test_ratings_that_are_not_here_are_not_passed_over(
    with_panel: tuple[UUID, PanelId, Path], owner_database_url: str
) -> None:
    _, _, archive = with_panel
    assert put(archive).was_there
    with psycopg.connect(plain_url(owner_database_url)) as owner:
        owner.execute("delete from ratings where id = (select id from ratings limit 1)")
    with pytest.raises(ArchiveError, match="lacks ratings that the archive holds"):
        put(archive)


def test_what_people_wrote_about_items_quotes_nothing_that_was_redacted(
    stage: Stage, played: Played, tmp_path: Path, elsewhere: Elsewhere, owner_database_url: str
) -> None:
    """Notes, reasons for skipping, remarks, reasons of settled values and of amendments: pages, exports, archive."""
    study = played()
    panel = panel_over(study)
    with unit_of_work() as work:
        run = work.runs.of_study(study)[0].id
        decision = next(one for one in work.artifacts.of_run(run) if one.key == "E1/decision").artifact
        secret = " ".join(decision.rationale.split()[:8])
        quote = f"It says: {secret}"
        item = items_to_settle(work, panel)[0]
        settle(work, panel, item.id, item.dimensions[0].dimension.id, 5, reason=quote, made_by=None)
        work.panels.add_amendment(
            panel,
            work.new_id(),
            Amendment.model_construct(field="consent", before="", after=quote, reason=quote, at=work.now),
            None,
        )
        for rater in work.raters.of_panel(panel):
            work.raters.change(rater.id, remarks=quote)
    words = json.dumps({"note": quote + " and" * ((LONGEST_NOTE - len(quote)) // 4)})
    with psycopg.connect(plain_url(owner_database_url)) as owner:
        owner.execute("update ratings set skip_note = %s, answer = answer || %s::jsonb", [quote, words])
        owner.execute("update assignments set draft = draft || %s::jsonb", [words])
    assert repr(seen(panel)["files"]).count(secret) > 5
    with unit_of_work() as work:
        redact_artifact(work, stage.step(run, "E1/decision").id, Wish(stage.user(), "a name stood in it"))
    archive = write(study, tmp_path / "masked.zip")
    said = seen(panel)
    with reading() as look:
        amended = show_panel(look, panel).panel.amendments
    assert "It says: [redacted]" in repr(said["settled"])
    assert amended[0].reason.startswith("It says: [redacted]")
    for place in (repr(said["settled"]), repr(said["files"]), repr(amended), texts_of(archive)):
        assert secret not in place
    with elsewhere():
        assert put(archive).panels == 1


def test_a_redacted_text_leaves_in_no_panel(
    stage: Stage, with_panel: tuple[UUID, PanelId, Path], tmp_path: Path, elsewhere: Elsewhere
) -> None:
    study, panel, _ = with_panel
    with reading() as look:
        run = look.runs.of_study(study)[0].id
        secret = next(one for one in look.artifacts.of_run(run) if one.key == "E1/decision").artifact.rationale
    with unit_of_work() as work:
        redact_artifact(work, stage.step(run, "E1/decision").id, Wish(stage.user(), "a name stood in it"))
    archive = write(study, tmp_path / "masked.zip")
    assert secret not in texts_of(archive)
    with elsewhere():
        assert put(archive).panels == 1
        with reading() as look:
            assert show_agreement(look, panel).panel.given
