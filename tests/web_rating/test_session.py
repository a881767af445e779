"""A rater's session over HTTP: claim, consent, training, rating, skipping, revising, coming back, finishing."""

import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from typing import Any
from unittest.mock import patch

from sqlalchemy import text

from app.domain.engine.quotations import prints_of
from app.domain.rating.mask_terms import MaskKind, MaskTerm
from app.services.panels import amend_panel, close_panel, pause_panel
from app.services.raters import InvitationError, claim_invitation, erase_rater, reissue_code, revoke_invitation
from app.services.unit_of_work import reading, unit_of_work
from tests.web_rating.conftest import FIRST, OTHERS, fields_of, training

Make = Callable[..., Any]
TOKEN = re.compile(r'csrf_token" value="([^"]+)')


def count(query: str) -> Any:
    with reading() as look:
        return look.session.execute(text(query)).scalar_one()


def token(page: Any) -> dict[str, str]:
    return {"csrf_token": TOKEN.search(page.text).group(1)}


def queue(slot: int) -> list[tuple[str, int]]:
    query = """select i.key, a.occasion from assignments a join panel_items i on i.id = a.item_id
    join raters r on r.id = a.rater_id where r.slot = :slot and a.kind = 'main' order by a.position"""
    with reading() as look:
        return [tuple(row) for row in look.session.execute(text(query), {"slot": slot})]


def test_a_whole_session_ends_with_every_item_rated_once(panel: Make, rater: Make):
    one = rater(panel())
    for _ in range(27):
        assert one.rate(6).status_code == 200
    assert count("select count(*) from ratings") == 27
    page = one.here()
    assert page.url.path == "/rate/questions"
    assert "<dt>no red team</dt><dd>the same company, but nobody had the task of attacking" in page.text
    assert "one founder alone" not in page.text
    one.post("/rate/questions", token(page))
    page = one.here()
    one.post("/rate/finish", {**token(page), "remarks": "long"})
    assert "Thank you" in one.here().text
    assert count("select count(*) from raters where finished_at is not null and remarks = 'long'") == 1
    assert count("select count(*) from blinding_guesses where guess is null") == 5
    assert one.post("/rate/finish", token(one.here())).status_code == 200


def test_training_gives_feedback_after_submitting_and_never_counts(panel: Make, rater: Make):
    one = rater(panel(training=training(0, 1)))
    page = one.here()
    assert "Practice 1 of 2" in page.text
    assert "agreed value" not in page.text
    assert one.get(page.url.path.replace("item", "feedback")).status_code == 404
    assert one.rate(6).url.path.startswith("/rate/feedback/")
    feedback = one.rate(7).text
    assert "near" in feedback
    assert "Go on to the ratings" in feedback
    assert "Item 1 of 27" in one.here().text
    assert count("select count(*) from assignments where kind = 'main' and status <> 'open'") == 0


def test_reasons_given_in_training_hide_what_the_item_hides(panel: Make, rater: Make):
    reason = "Recourse0 Systems sold time too early: a score of 5, as Recourse0's secret/model-9 says in its codeword."
    plan = training(0)
    plan = plan.model_copy(update={"items": (plan.items[0].model_copy(update={"reasons": {"timing": reason}}),)})
    added = MaskTerm(kind=MaskKind.ADDED, text="codeword")
    one = rater(panel(training=plan, added_masks=(added,)))
    item = one.here().text
    feedback = one.rate(6).text
    stand_in = re.search(r"Company [B-Z]{2}", item)
    assert stand_in
    assert f"{stand_in.group()} sold time too early: a score of 5" in feedback
    assert "[masked]" in feedback
    assert not re.search("Recourse0|codeword", "".join(answer.text for answer in one.seen))


def test_reasons_given_in_training_quote_nothing_that_was_taken_out(panel: Make, rater: Make):
    quoted = "the regulators of the northern ports will accept audited tallies of spoiled cargo by the third spring"
    plan = training(0)
    plan = plan.model_copy(update={"items": (plan.items[0].model_copy(update={"reasons": {"timing": quoted}}),)})
    one = rater(panel(training=plan))
    assert quoted in one.rate(6).text
    address = one.seen[-1].url.path
    with patch("app.services.training_reasons.prints_about", lambda *_: prints_of(quoted)):
        assert "[redacted]" in one.get(address).text
        assert "audited tallies" not in one.seen[-1].text


def test_too_many_misses_block_the_start_until_an_operator_releases(panel: Make, rater: Make):
    one = rater(panel(training=training(0)))
    one.rate(9)
    assert "speak to the person who invited you" in one.here().text
    with unit_of_work() as work:
        work.session.execute(text("update raters set released_at = now() where slot = 1"))
    assert "Item 1 of 27" in one.here().text


def test_each_rater_has_another_order_and_the_same_after_coming_back(panel: Make, rater: Make, visitor: Make):
    made = panel()
    one = rater(made, 1)
    rater(made, 2)
    assert queue(1) != queue(2)
    assert sorted(key for key, occasion in queue(1) if occasion == 1) == sorted(
        key for key, occasion in queue(2) if occasion == 1
    )
    one.rate(4)
    here = one.here().url.path
    again = visitor()
    page = again.post("/rate/return", {"code": f" {one.code.lower()} ", "next": ""})
    assert page.url.path == here
    assert "Item 2 of 27" in page.text
    assert visitor().post("/rate/return", {"code": "AAAA-BBBB", "next": ""}).status_code == 422


def test_twenty_parallel_claims_of_one_invitation_have_one_winner(panel: Make, invite: Make):
    path = invite(panel())

    def claim(_: int) -> bool:
        try:
            with unit_of_work() as work:
                return bool(claim_invitation(work, path.rpartition("/")[2], address=f"192.0.2.{_}").cookie)
        except InvitationError:
            return False

    with ThreadPoolExecutor(20) as pool:
        won = list(pool.map(claim, range(20)))
    assert sum(won) == 1
    assert count("select count(*) from rater_claims") == 1
    assert count("select count(*) from rater_sessions") == 1


def test_invitations_end_when_revoked_expired_or_used(panel: Make, invite: Make, visitor: Make):
    made = panel()
    used, revoked, late = invite(made, 1), invite(made, 2), invite(made, 3)
    visitor().come_in(used)
    with unit_of_work() as work:
        revoke_invitation(work, made, 2)
        work.session.execute(
            text("update rater_invitations set expires_at = now() - interval '1 day' where revoked_at is null")
        )
    for path in (used, revoked, late):
        assert "cannot be used" in visitor().get(path).text
        assert visitor().post(path).status_code == 422


def test_the_same_submit_again_is_one_rating_and_a_double_skip_skips_once(panel: Make, rater: Make):
    one = rater(panel())
    page = one.here()
    item = page.url.path
    one.post(f"{item}/lock", {**fields_of(page.text), f"v.{FIRST}": "3"})
    form = {**fields_of(one.get(item).text), **{f"v.{name}": "5" for name in OTHERS}}
    assert one.post(f"{item}/submit", form).url.path == one.post(f"{item}/submit", form).url.path
    assert count("select count(*) from ratings") == 1
    page = one.here()
    form = {**fields_of(page.text), "reason": "cannot_judge", "skip_note": "torn"}
    for _ in range(2):
        assert "Item 3 of 27" in one.post(f"{page.url.path}/skip", form).text
    assert count("select count(*) from ratings where skip_reason = 'cannot_judge' and answer is null") == 1
    assert count("select count(*) from ratings") == 2


def test_the_pages_script_is_told_where_to_go_next(panel: Make, rater: Make):
    one = rater(panel())
    page = one.here()
    item = page.url.path
    locked = one.post(f"{item}/lock", {**fields_of(page.text), f"v.{FIRST}": "3"}, Accept="application/json")
    assert locked.json() == {"next": f"{item}#opened"}
    form = {**fields_of(one.get(item).text), **{f"v.{name}": "5" for name in OTHERS}}
    assert one.post(f"{item}/submit", form, Accept="application/json").json() == {"next": "/rate/"}
    page = one.here()
    form = {**fields_of(page.text), "reason": "other"}
    assert one.post(f"{page.url.path}/skip", form, Accept="application/json").json() == {"next": "/rate/"}


def test_a_skip_needs_a_reason_and_can_be_taken_back(panel: Make, rater: Make):
    one = rater(panel())
    page = one.here()
    filled = {f"v.{FIRST}": "7", "note": "half a thought"}
    refused = one.post(f"{page.url.path}/skip", {**fields_of(page.text), **filled})
    assert refused.status_code == 422
    assert "choose why" in refused.text
    assert "half a thought" in refused.text
    one.post(f"{page.url.path}/skip", {**fields_of(refused.text), **filled, "reason": "other"})
    assert "skipped" in one.get("/rate/answers").text
    back = one.post(f"{page.url.path}/undo", token(one.get("/rate/answers")))
    assert back.url.path == page.url.path
    assert "half a thought" in back.text
    assert one.rate(8).status_code == 200
    assert count("select count(*) from ratings") == 2
    assert count("select max(revision) from ratings") == 2


def test_leakage_is_locked_before_the_outcome_is_in_the_page(panel: Make, rater: Make):
    one = rater(panel())
    page = one.here()
    item = page.url.path
    assert "OUTCOME-" not in page.text
    early = one.post(f"{item}/submit", {**fields_of(page.text), f"v.{FIRST}": "3", "v.timing": "4"})
    assert early.status_code == 422
    assert one.post(f"{item}/lock", fields_of(page.text)).status_code == 422
    assert "OUTCOME-" not in one.get(item).text
    opened = one.post(f"{item}/lock", {**fields_of(page.text), f"v.{FIRST}": "3"})
    assert "OUTCOME-" in opened.text
    one.post(f"{item}/lock", {**fields_of(opened.text), f"v.{FIRST}": "9"})
    values = {**{f"v.{name}": "5" for name in OTHERS}, f"v.{FIRST}": "9"}
    one.post(f"{item}/submit", {**fields_of(one.get(item).text), **values})
    assert count("select answer->'values'->>'hindsight_leakage' from ratings") == "3"


def test_two_tabs_of_one_item_show_both_versions_and_neither_is_lost(panel: Make, rater: Make):
    one = rater(panel())
    item = one.here().url.path
    first, second = fields_of(one.get(item).text), fields_of(one.get(item).text)
    json = {"Accept": "application/json"}
    assert one.post(f"{item}/draft", {**first, f"v.{FIRST}": "2"}, **json).json()["version"] == 1
    assert one.post(f"{item}/draft", {**first, f"v.{FIRST}": "4"}, **json).json()["version"] == 2
    assert one.post(f"{item}/draft", {**second, f"v.{FIRST}": "8"}, **json).status_code == 409
    both = one.post(f"{item}/compare", {**second, f"v.{FIRST}": "8", "note": "mine"})
    assert both.status_code == 409
    assert "two places" in both.text
    kept = {**fields_of(both.text), "overrules": "yes", f"v.{FIRST}": "8", "note": "mine"}
    page = one.post(f"{item}/draft", kept)
    assert page.status_code == 200
    assert count("select draft->>'note' from assignments where version = 3") == "mine"


def test_a_submit_from_a_stale_tab_is_a_conflict_and_keeps_the_first_rating(panel: Make, rater: Make):
    one = rater(panel())
    item = one.here().url.path
    one.post(f"{item}/lock", {**fields_of(one.get(item).text), f"v.{FIRST}": "3"})
    a, b = fields_of(one.get(item).text), fields_of(one.get(item).text)
    one.post(f"{item}/submit", {**a, **{f"v.{name}": "5" for name in OTHERS}})
    late = one.post(f"{item}/submit", {**b, **{f"v.{name}": "9" for name in OTHERS}})
    assert late.status_code == 409
    assert count("select count(*) from ratings") == 1
    kept = {**fields_of(late.text), "overrules": "yes", **{f"v.{name}": "9" for name in OTHERS}}
    one.post(f"{item}/submit", kept)
    assert count("select count(*) from ratings") == 2


def test_an_expired_session_keeps_the_form_and_comes_back_to_it(panel: Make, rater: Make):
    one = rater(panel())
    page = one.here()
    with unit_of_work() as work:
        ended = datetime.now(UTC) - timedelta(seconds=1)
        work.session.execute(text("update rater_sessions set expires_at = :at"), {"at": ended})
    form = {**fields_of(page.text), f"v.{FIRST}": "7", "note": "half a thought"}
    assert one.post(f"{page.url.path}/draft", form, Accept="application/json").status_code == 401
    over = one.post(f"{page.url.path}/lock", form)
    assert over.status_code == 401
    hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', over.text))
    back = one.post("/rate/return", {**hidden, "code": one.code})
    assert back.url.path == page.url.path
    assert "half a thought" in back.text
    assert re.search(r'value="7" checked', back.text)


def test_closing_answers_and_remarks_outlive_a_session(panel: Make, rater: Make):
    one = rater(panel(items=6, repeats=0, guesses=1))
    for _ in range(6):
        one.rate(5)

    def sent_too_late(path: str, **fields: str) -> Any:
        form = {**token(one.here()), **fields}
        with unit_of_work() as work:
            work.session.execute(text("update rater_sessions set expires_at = now() - interval '1 second'"))
        over = one.post(path, form)
        assert over.status_code == 401
        hidden = dict(re.findall(r'<input type="hidden" name="([^"]+)" value="([^"]*)"', over.text))
        return one.post("/rate/return", {**hidden, "code": one.code})

    asked = re.findall(r'name="(condition\.[^"]+)"', one.here().text)
    assert asked
    assert sent_too_late("/rate/questions", **dict.fromkeys(asked, "full")).url.path == "/rate/answers"
    assert count("select count(*) from blinding_guesses") == len(asked)
    back = sent_too_late("/rate/finish", remarks="a last word")
    assert back.url.path == "/rate/answers"
    assert "a last word</textarea>" in back.text


def test_changing_a_rating_keeps_the_old_one(panel: Make, rater: Make):
    one = rater(panel())
    item = one.here().url.path
    one.rate(5)
    again = one.get(item)
    assert "Save the change" in again.text
    values = {f"v.{name}": "6" for name in OTHERS}
    one.post(f"{item}/submit", {**fields_of(again.text), **values, "confidence": "low", "flagged": "yes"})
    assert count("select count(*) from ratings") == 2
    assert count("select answer->'values'->>'timing' from ratings where revision = 1") == "5"
    assert "flagged" in one.get("/rate/answers").text


def test_a_form_without_its_token_or_from_another_site_changes_nothing(panel: Make, rater: Make):
    one = rater(panel())
    page = one.here()
    form = {**fields_of(page.text), f"v.{FIRST}": "7"}
    assert one.post(f"{page.url.path}/draft", {**form, "csrf_token": "x"}).status_code == 403
    assert one.post(f"{page.url.path}/draft", form, Sec_Fetch_Site="cross-site").status_code == 403
    assert count("select max(version) from assignments") == 0


def test_values_off_the_scale_are_named_and_the_rest_is_kept(panel: Make, rater: Make):
    one = rater(panel())
    page = one.here()
    wrong = one.post(f"{page.url.path}/lock", {**fields_of(page.text), f"v.{FIRST}": "11", "note": "kept"})
    assert wrong.status_code == 422
    assert "is not on the scale" in wrong.text
    assert "kept" in one.get(page.url.path).text


def test_pausing_and_closing_stop_every_rater_and_lose_nothing(panel: Make, rater: Make):
    made = panel()
    one = rater(made)
    page = one.here()
    with unit_of_work() as work:
        pause_panel(work, made)
    assert "paused" in one.here().text
    assert one.post(f"{page.url.path}/draft", fields_of(page.text), Accept="application/json").status_code == 409
    with unit_of_work() as work:
        close_panel(work, made)
    assert "closed" in one.get(page.url.path).text
    assert one.post(f"{page.url.path}/submit", fields_of(page.text)).status_code == 409


def test_a_new_return_code_ends_the_old_one_and_an_erased_rater_cannot_come_back(
    panel: Make, rater: Make, visitor: Make
):
    made = panel()
    one = rater(made)
    with unit_of_work() as work:
        code = reissue_code(work, made, 1)
    assert one.here().url.path == "/rate/return"
    assert visitor().post("/rate/return", {"code": one.code}).status_code == 422
    assert visitor().post("/rate/return", {"code": code}).status_code == 200
    one.post("/rate/return", {"code": code})
    one.rate(5)
    with unit_of_work() as work:
        erase_rater(work, made, 1)
    assert visitor().post("/rate/return", {"code": code}).status_code == 422
    assert count("select count(*) from raters where name is not null and slot = 1") == 0
    assert count("select count(*) from ratings") == 1


def test_activity_becomes_active_time_and_without_a_script_there_is_a_reason(panel: Make, rater: Make):
    one = rater(panel())
    page = one.here()
    item = page.url.path
    seconds = [*range(31), *range(630, 651)]
    events = "[" + ",".join(f'[{second * 1_000},"used"]' for second in seconds) + ',["x"],[1,"odd"]]'
    sent = {**fields_of(page.text), "visit": "v", "events": events}
    assert one.post(f"{item}/activity", sent).status_code == 204
    assert one.post(f"{item}/activity", {**sent, "events": "no json"}).status_code == 204
    one.rate(5)
    one.rate(5)
    page = one.here()
    one.post(f"{page.url.path}/skip", {**sent, **fields_of(page.text), "reason": "other"})
    with reading() as look:
        rows = look.session.execute(text("select active_ms, active_reason from ratings order by submitted_at")).all()
    assert rows == [(50_000, None), (None, "the page ran without a script"), (50_000, None)]


def test_leaving_ends_the_browsers_session(panel: Make, rater: Make):
    one = rater(panel())
    one.post("/rate/leave", token(one.get("/rate/pause")))
    assert one.here().url.path == "/rate/return"
    assert count("select count(*) from rater_sessions") == 0


def test_consent_is_asked_again_when_its_text_is_amended(panel: Make, rater: Make):
    made = panel()
    one = rater(made)
    assert one.post("/rate/consent", {**token(one.here()), "text_hash": "old"}).status_code == 409
    with unit_of_work() as work:
        amend_panel(work, made, "consent", "Another text.", reason="clearer", made_by=None)
    assert "Another text." in one.here().text
