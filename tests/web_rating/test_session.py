"""A rater's session over HTTP: claim, consent, training, rating, skipping, revising, finishing."""

import re

from sqlalchemy import text

from app.services.unit_of_work import reading


def count(query: str) -> int:
    with reading() as look:
        return look.session.execute(text(query)).scalar_one()


def test_a_whole_session_ends_with_every_item_rated_once(panel, rater):
    one = rater(panel())
    for _ in range(27):
        assert one.rate(6).status_code == 200
    assert count("select count(*) from ratings") == 27
    page = one.here()
    assert page.url.path == "/rate/questions"
    one.post("/rate/questions", {"csrf_token": re.search(r'csrf_token" value="([^"]+)', page.text).group(1)})
    page = one.here()
    assert "Finish" in page.text
    one.post("/rate/finish", {"csrf_token": re.search(r'csrf_token" value="([^"]+)', page.text).group(1)})
    assert "Thank you" in one.here().text
    assert count("select count(*) from raters where finished_at is not null") == 1
