"""Every page answers for those who may see it, in every state of a study."""

import pytest


@pytest.mark.parametrize("path", ["/", "/studies", "/interventions", "/record", "/models", "/health", "/account"])
def test_empty_house_shows_its_pages(auditor, path: str):
    assert auditor.get(path).status_code == 200


def test_empty_home_offers_the_rehearsal_study(operator):
    text = operator.get("/").text
    assert "Rehearsal study" in text
    assert "from=rehearsal" in text


def test_finished_study_shows_its_pages(operator, launch, perform):
    study = launch()
    made = perform()
    assert made == 65
    page = operator.get(f"/studies/{study}")
    assert page.status_code == 200
    assert "65 of 65" in page.text
