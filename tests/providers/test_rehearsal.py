"""The rehearsal voice: valid for every step, the same for the same seed, true to its material."""

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from app.domain.engine.answers import read_answer
from app.domain.engine.forms import form_for, thesis_names
from app.domain.engine.inputs import Arms, ShownOutcome, StepInput, StepKind, Wanted
from app.domain.engine.material_text import LETTERS
from app.domain.engine.variants import padded
from app.domain.protocol.artifacts import (
    Attack,
    AuditorReview,
    BlindGuess,
    Board,
    Briefing,
    Claim,
    Critique,
    Decision,
    LessonUse,
    Memo,
    Note,
    RecallChoice,
    RecordReview,
    Reply,
    SecondReading,
)
from app.domain.protocol.eras import Mode
from app.domain.protocol.layers import LayerGraph
from app.domain.protocol.personas import DEPARTMENTS
from app.domain.protocol.rubrics import dimensions_of, rubric_of
from app.library import reader
from app.providers.chat import StopReason, ask
from app.providers.rehearsal import Rehearsal
from app.providers.rehearsal.reviews import NothingToReviewError
from tests.providers.steps import (
    KNOWN_LAYERS,
    STRANGE_LAYERS,
    briefing,
    company,
    era,
    events,
    memos,
    playbook,
    request,
    roster,
    step,
    written,
)

MODELS = (
    "rehearsal/steady",
    "rehearsal/bold",
    "rehearsal/strict",
    "rehearsal/dazzled",
    "rehearsal/author",
    "rehearsal/vain",
)
SEEDS = st.integers(0, 10**6).map(str)
WANTED = st.builds(
    Wanted,
    typed_total=st.booleans(),
    next_briefing=st.booleans(),
    red_team=st.booleans(),
    lesson_use=st.booleans(),
    tagged_claims=st.booleans(),
)
TABLES = {layers.ids: memos(layers=layers) for layers in (KNOWN_LAYERS, STRANGE_LAYERS)}
DECISIONS = {
    ids: written(step(StepKind.DECISION, memos=table, layers=table_layers))
    for (ids, table), table_layers in zip(TABLES.items(), (KNOWN_LAYERS, STRANGE_LAYERS), strict=True)
}
REVISED = {StepKind.DRAFT, StepKind.CRITIQUE, StepKind.DECISION}
ATTACKS = {
    layers.ids: written(step(StepKind.ATTACK, memos=TABLES[layers.ids], layers=layers))
    for layers in (KNOWN_LAYERS, STRANGE_LAYERS)
}
NOTE = written(step(StepKind.NOTE, persona=roster().personas[2]))
REPLIES = {
    layers.ids: written(step(StepKind.REPLY, persona=roster().personas[1], memos=TABLES[layers.ids], layers=layers))
    for layers in (KNOWN_LAYERS, STRANGE_LAYERS)
}
CRITIQUE = written(step(StepKind.CRITIQUE, drafts=(DECISIONS[KNOWN_LAYERS.ids],)))


@st.composite
def steps(draw: st.DrawFn) -> StepInput:
    layers: LayerGraph = draw(st.sampled_from((KNOWN_LAYERS, STRANGE_LAYERS)))
    kind = draw(st.sampled_from(tuple(StepKind)))
    table = TABLES[layers.ids] if kind is StepKind.REPLY or draw(st.booleans()) else ()
    decided = DECISIONS[layers.ids]
    drafts = (decided,) if kind is StepKind.CRITIQUE or draw(st.booleans()) else ()
    mode = draw(st.sampled_from(tuple(Mode)))
    return step(
        kind,
        layers=layers,
        era=era(mode),
        rubric=reader.rubric(rubric_of(mode)),
        wanted=draw(WANTED),
        company=draw(st.none() | st.integers(0, 9).map(company)),
        playbook=draw(st.none() | st.integers(0, 24).map(playbook)),
        briefing=draw(st.none() | st.integers(1, 30).map(briefing)),
        memos=table,
        persona=roster().personas[0] if kind in {StepKind.NOTE, StepKind.REPLY} else None,
        attack=ATTACKS[layers.ids] if table and draw(st.booleans()) else None,
        member_notes=draw(st.sampled_from(((), (NOTE,)))),
        replies=draw(st.sampled_from(((), (REPLIES[layers.ids],)))) if table else (),
        drafts=drafts if kind in REVISED else (),
        critiques=draw(st.sampled_from(((), (CRITIQUE,)))),
        previous_decision=draw(st.sampled_from((None, decided))),
        decision=decided if kind in {StepKind.REVIEW, StepKind.READING} else None,
        known=events(draw(st.integers(0, 80)), 2001),
        outcomes=events(draw(st.integers(0, 40)), 2004),
        next_era=draw(st.sampled_from((None, era(start=2008)))),
        next_known=events(draw(st.integers(0, 40)), 2006),
    )


@settings(max_examples=300, deadline=None)
@given(wanted=steps(), model=st.sampled_from(MODELS), seed=SEEDS)
def test_every_step_gets_a_valid_artifact_that_is_the_same_again(wanted: StepInput, model: str, seed: str) -> None:
    answer = ask(Rehearsal(), request(wanted, model=model, seed=seed))
    assert answer.stop is StopReason.COMPLETE
    artifact = written(wanted, model=model, seed=seed)
    assert artifact.model_dump_json() == answer.text
    checks = {
        StepKind.BRIEFING: check_briefing,
        StepKind.NOTE: check_note,
        StepKind.MEMO: check_memo,
        StepKind.ATTACK: check_attack,
        StepKind.REPLY: check_reply,
        StepKind.DRAFT: check_decision,
        StepKind.CRITIQUE: check_critique,
        StepKind.DECISION: check_decision,
        StepKind.BOARD: check_board,
        StepKind.REVIEW: check_review,
        StepKind.READING: check_reading,
        StepKind.GUESS: check_guess,
        StepKind.RECALL: check_choice,
    }
    checks[wanted.kind](wanted, artifact)
    if can_occur(wanted):
        assert read_answer(answer.text, form_for(wanted), wanted) == artifact


def can_occur(wanted: StepInput) -> bool:
    """Whether the engine could make such a step: some drawn ones ask for what their material cannot give."""
    needs_table = wanted.kind in {StepKind.ATTACK, StepKind.BOARD}
    has_lessons = bool(wanted.playbook and wanted.playbook.active)
    return (
        (bool(wanted.memos) or not needs_table)
        and (has_lessons or not wanted.wanted.lesson_use)
        and not wanted.drafts
        and (wanted.kind is StepKind.REVIEW or not wanted.wanted.next_briefing)
        and (wanted.next_era is not None or not wanted.wanted.next_briefing)
    )


def check_briefing(wanted: StepInput, artifact: Briefing) -> None:
    numbers = [item.event for section in artifact.sections for item in section.items if item.event]
    assert set(numbers) <= {event.number for event in wanted.known}
    assert bool(numbers) is bool(wanted.known)


def check_lessons(wanted: StepInput, uses: tuple[LessonUse, ...]) -> None:
    active = {lesson.id for lesson in wanted.playbook.active} if wanted.playbook else set()
    assert {use.lesson for use in uses} <= active
    assert bool(uses) is bool(active)


def check_claims(wanted: StepInput, claims: tuple[Claim, ...]) -> None:
    assert bool(claims) is wanted.wanted.tagged_claims


def check_memo(wanted: StepInput, artifact: Memo) -> None:
    assert artifact.department is wanted.department
    assert all(thesis.chain.layer in wanted.layers.ids for thesis in artifact.theses)
    assert len({thesis.title for thesis in artifact.theses}) == 2
    check_lessons(wanted, artifact.lessons)
    check_claims(wanted, artifact.claims)


def check_note(wanted: StepInput, artifact: Note) -> None:
    assert artifact.persona == wanted.persona.id
    assert len(artifact.observations) >= 1


def check_reply(wanted: StepInput, artifact: Reply) -> None:
    assert artifact.persona == wanted.persona.id
    assert artifact.backs in thesis_names(wanted.memos)


def check_critique(wanted: StepInput, artifact: Critique) -> None:
    assert len(artifact.points) == 3
    assert artifact.keep


def check_attack(wanted: StepInput, artifact: Attack) -> None:
    names = [f"{memo.department}/{n}" for memo in wanted.memos for n in (1, 2)]
    assert [point.thesis for point in artifact.points] == (names or ["founder/1"])
    assert all(any(sign.isdigit() for sign in stop.threshold) for stop in artifact.thresholds)


def check_decision(wanted: StepInput, artifact: Decision) -> None:
    if wanted.drafts:
        assert artifact.chain == wanted.drafts[-1].chain
        assert artifact.rationale.startswith(wanted.drafts[-1].rationale)
        return
    chains = [thesis.chain for memo in wanted.memos for thesis in memo.theses]
    assert artifact.chain in chains or not chains
    assert artifact.chain.layer in wanted.layers.ids
    assets = wanted.company.assets if wanted.company else ()
    assert all(asset in artifact.state.assets or any(asset in line for line in artifact.end) for asset in assets)
    assert len({stop.measure for stop in artifact.stop_criteria}) == len(artifact.stop_criteria)
    assert artifact.deferral.deferred is (artifact.deferral.gate is not None)
    people = {f"{persona.name}, {persona.title}" for persona in wanted.roster.personas}
    assert {dissent.who for dissent in artifact.dissents} <= people
    check_lessons(wanted, artifact.lessons)
    check_claims(wanted, artifact.claims)


def check_board(wanted: StepInput, artifact: Board) -> None:
    assert (artifact.attack is not None) is wanted.wanted.red_team
    check_decision(wanted, artifact.decision)


def check_review(wanted: StepInput, artifact: RecordReview | AuditorReview) -> None:
    assert tuple(score.dimension for score in artifact.scores) == dimensions_of(rubric_of(wanted.era.mode))
    assert isinstance(artifact, RecordReview) is wanted.era.mode.has_outcome
    assert artifact.pooled_layer in wanted.layers.ids
    assert (artifact.typed_total is not None) is wanted.wanted.typed_total
    assert (artifact.next_briefing is not None) is (wanted.wanted.next_briefing and wanted.next_era is not None)
    body = wanted.decision.model_dump()
    texts = [*body["chain"].values(), *(value for value in body.values() if isinstance(value, str))]
    assert all(any(leak.quote in text for text in texts) for leak in artifact.leaks)
    active = {lesson.id for lesson in wanted.playbook.active} if wanted.playbook else set()
    assert {name for draft in artifact.lessons for name in (draft.revises, draft.retires) if name} <= active
    if isinstance(artifact, RecordReview):
        quoted = sum(event.text.split(".")[0] in artifact.reveal for event in wanted.outcomes)
        assert quoted >= min(3, len(wanted.outcomes))


def check_guess(wanted: StepInput, artifact: BlindGuess) -> None:
    assert {artifact.condition, artifact.model, artifact.run} == {None}
    arms = Arms(conditions=("full", "no_playbook"), models=("a", "b"))
    guesses = [written(replace(wanted, arms=arms), seed=str(seed)) for seed in range(40)]
    assert {guess.condition for guess in guesses} == {"full", "no_playbook", None}
    assert {guess.run for guess in guesses} == {None}


def check_choice(wanted: StepInput, artifact: RecallChoice) -> None:
    assert artifact.choice in LETTERS


def check_reading(wanted: StepInput, artifact: SecondReading) -> None:
    assert [verdict.dissent for verdict in artifact.verdicts] == [dissent.id for dissent in wanted.decision.dissents]
    names = {f"{memo.department}/{n}" for memo in wanted.memos for n in (1, 2)}
    assert set(artifact.named_by) <= names
    text = "".join(memo.model_dump_json() for memo in wanted.memos)
    assert all(leak.quote in text for leak in artifact.memo_leaks)


def test_review_and_second_reading_agree_on_where_value_pooled():
    decided = DECISIONS[KNOWN_LAYERS.ids]
    facts = {"memos": TABLES[KNOWN_LAYERS.ids], "decision": decided, "outcomes": events(30, 2004)}
    pooled = written(step(StepKind.REVIEW, **facts)).pooled_layer
    named = written(step(StepKind.READING, **facts)).named_by
    theses = {f"{memo.department}/{n}": t for memo in facts["memos"] for n, t in enumerate(memo.theses, start=1)}
    assert set(named) == {name for name, thesis in theses.items() if thesis.chain.layer == pooled}


def test_a_second_reading_goes_by_the_review_it_follows():
    review = written(step(StepKind.REVIEW, decision=DECISIONS[KNOWN_LAYERS.ids], outcomes=events(9, 2004)))
    named = review.model_copy(update={"pooled_layer": "nowhere"})
    reading = step(StepKind.READING, decision=DECISIONS[KNOWN_LAYERS.ids], memos=TABLES[KNOWN_LAYERS.ids], review=named)
    assert written(reading).named_by == ()


def test_a_revision_answers_its_criticism():
    draft = DECISIONS[KNOWN_LAYERS.ids]
    revised = written(step(StepKind.DRAFT, drafts=(draft,), critiques=(CRITIQUE,)))
    again = written(step(StepKind.DECISION, drafts=(draft, revised), critiques=(CRITIQUE, CRITIQUE)))
    wanted = step(StepKind.DRAFT, drafts=(draft,), critiques=(CRITIQUE,))
    assert read_answer(revised.model_dump_json(), form_for(wanted), wanted) == revised
    assert len(revised.stop_criteria) == min(len(draft.stop_criteria) + 1, 4)
    assert again.rationale.count("\n\n") == 1


def test_a_head_takes_up_what_a_member_proposed():
    member = step(StepKind.NOTE, persona=roster().personas[2], department=DEPARTMENTS[0])
    notes = tuple(written(member, seed=str(n)) for n in range(12))
    head = step(StepKind.MEMO, member_notes=notes)
    theses = [thesis for n in range(20) for thesis in written(head, seed=str(n)).theses]
    proposed = [thesis for thesis in theses if any(thesis.title[1:40] in note.proposal for note in notes)]
    assert len(proposed) > len(theses) / 2


def test_models_and_seeds_write_differently():
    texts = {
        ask(Rehearsal(), request(step(StepKind.MEMO), model=model, seed=seed)).text
        for model in MODELS[:2]
        for seed in "123"
    }
    assert len(texts) == 6


def test_totals_lie_where_published_ones_lie_and_recognition_exceeds_commitment():
    facts = {"decision": DECISIONS[KNOWN_LAYERS.ids], "outcomes": events(30, 2004)}
    reviews = [written(step(StepKind.REVIEW, **facts), model="rehearsal/strict", seed=str(n)) for n in range(200)]
    values = [{score.dimension: score.value for score in review.scores} for review in reviews]
    totals = [2 * sum(each.values()) for each in values]
    assert sum(48 <= total <= 74 for total in totals) > 180
    assert sum(each["frontier_accuracy"] >= each["layer_choice"] for each in values) > 190
    assert {each["hindsight_leakage"] for each in values} <= set(range(4, 10))


@pytest.mark.parametrize(("model", "bonus"), [("rehearsal/strict", 0), ("rehearsal/dazzled", 1)])
def test_a_planted_fault_is_one_point_on_each_subscore_but_leakage(model: str, bonus: int):
    facts = {"decision": DECISIONS[KNOWN_LAYERS.ids], "outcomes": events(30, 2004)}
    longer = facts | {"decision": padded(facts["decision"])}
    for seed in "12345":
        for changed in (facts | {"shown_outcome": ShownOutcome(is_success=True, text="x")}, longer):
            usual = written(step(StepKind.REVIEW, **facts), model=model, seed=seed).scores
            found = written(step(StepKind.REVIEW, **changed), model=model, seed=seed).scores
            more = {one.dimension: other.value - one.value for one, other in zip(usual, found, strict=True)}
            assert more.pop("hindsight_leakage") == 0
            assert set(more.values()) == {bonus}
        failed = facts | {"shown_outcome": ShownOutcome(is_success=False, text="x")}
        assert written(step(StepKind.REVIEW, **failed), model=model, seed=seed).scores == usual


def test_a_model_that_prefers_itself_knows_its_own_decisions_by_what_it_likes_to_say():
    facts = {"outcomes": events(30, 2004)}
    own = written(step(StepKind.DECISION, attack=None), model="rehearsal/vain")
    other = own.model_copy(update={"rationale": own.rationale.removesuffix("As ever, the measure leads.").strip()})
    assert other != own
    for model, bonus in (("rehearsal/vain", 1), ("rehearsal/steady", 0)):
        first, second = (
            written(step(StepKind.REVIEW, decision=one, **facts), model=model, seed="7").scores for one in (own, other)
        )
        more = {one.dimension: one.value - two.value for one, two in zip(first, second, strict=True)}
        assert more.pop("hindsight_leakage") == 0
        assert set(more.values()) == {bonus}


def test_a_review_without_a_decision_is_named():
    with pytest.raises(NothingToReviewError, match="decision"):
        ask(Rehearsal(), request(step(StepKind.REVIEW)))


def test_usage_is_estimated_from_characters_and_the_body_is_kept():
    wanted = request(step(StepKind.MEMO), prompt="x" * 400)
    answer = ask(Rehearsal(), wanted)
    assert answer.usage.tokens_in == 101
    assert answer.usage.tokens_out == -(-len(answer.text) // 4)
    assert Rehearsal().wire_request(wanted)["messages"][1]["content"] == wanted.prompt
    assert answer.response_body["rehearsal"] is True


def test_pace_waits_for_each_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("app.providers.rehearsal.voice.time.sleep", waits.append)
    ask(Rehearsal(pace_seconds=0.4), request(step(StepKind.MEMO)))
    ask(Rehearsal(), request(step(StepKind.MEMO)))
    assert waits == [0.4]


def test_an_older_lesson_is_sometimes_revised_and_sometimes_retired():
    facts = {"decision": DECISIONS[KNOWN_LAYERS.ids], "outcomes": events(30, 2004), "playbook": playbook(12)}
    drafts = [draft for n in range(40) for draft in written(step(StepKind.REVIEW, **facts), seed=str(n)).lessons]
    assert any(draft.revises for draft in drafts)
    assert any(draft.retires for draft in drafts)


def test_a_name_is_sometimes_kept():
    names = [written(step(StepKind.DECISION), seed=str(n)).company_name for n in range(40)]
    assert 5 < names.count("Old Name") < 35
    assert len(set(names)) > 10


def test_a_department_without_memos_before_it_needs_no_playbook():
    wanted = replace(step(StepKind.MEMO), playbook=None, wanted=Wanted())
    assert written(wanted).lessons == ()
