import io
import zipfile
from collections.abc import Callable
from uuid import UUID

import pytest

from app.exports.levels import SHAPES
from app.services.unit_of_work import reading
from tests.web.conftest import Browser, auditor, launch, perform, services, stranger

__all__ = ["auditor", "launch", "perform", "services", "stranger"]
pytestmark = pytest.mark.services


def test_the_page_offers_everything_and_each_can_be_had(
    auditor: Browser, launch: Callable[..., UUID], perform: Callable[..., int]
) -> None:
    study = launch()
    perform(40)
    page = auditor.get(f"/studies/{study}/exports")
    assert page.status_code == 200
    for level in SHAPES:
        for ending, kind in (("csv", "text/csv; charset=utf-8"), ("jsonl", "application/x-ndjson")):
            path = f"/studies/{study}/exports/{level}.{ending}"
            assert f'href="{path}"' in page.text
            answer = auditor.get(path)
            assert (answer.status_code, answer.headers["content-type"]) == (200, kind)
            assert f'-{level}.{ending}"' in answer.headers["content-disposition"]
    archive = auditor.get(f"/studies/{study}/archive.zip")
    assert zipfile.ZipFile(io.BytesIO(archive.content)).testzip() is None
    with reading() as look:
        run = look.runs.of_study(study)[0].id
    for path in (f"/studies/{study}/report.pdf", f"/runs/{run}/report.pdf"):
        report = auditor.get(path)
        assert (report.status_code, report.headers["content-type"]) == (200, "application/pdf")
        assert report.content.startswith(b"%PDF")
    assert f'href="/runs/{run}/report.pdf"' in auditor.get(f"/runs/{run}").text


@pytest.mark.parametrize("file", ["scores.xlsx", "secrets.csv", "scores", "..%2f..%2fetc"])
def test_an_export_that_there_is_not_is_missing(auditor: Browser, launch: Callable[..., UUID], file: str) -> None:
    assert auditor.get(f"/studies/{launch()}/exports/{file}").status_code == 404


@pytest.mark.parametrize("path", ["exports", "archive.zip", "report.pdf", "exports/scores.csv"])
def test_a_study_that_there_is_not_is_missing(auditor: Browser, path: str) -> None:
    assert auditor.get(f"/studies/{UUID(int=1)}/{path}").status_code == 404


@pytest.mark.parametrize("path", ["exports", "archive.zip", "report.pdf", "exports/scores.csv"])
def test_strangers_get_nothing(stranger: Browser, launch: Callable[..., UUID], path: str) -> None:
    answer = stranger.client.get(f"/studies/{launch()}/{path}", follow_redirects=False)
    assert answer.status_code == 303
