"""From an owed step to a call that may be sent: claimed, given its material, checked and journaled."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from uuid import UUID

from app.domain.engine.flow import InformationFlowError
from app.domain.engine.forms import AnswerForm, form_for
from app.domain.engine.inputs import Role, StepInput, StepKind
from app.domain.engine.ledger import EventKind, body_hash
from app.domain.engine.prompts import RenderedPrompt, UnknownTemplateError, render_prompt
from app.domain.engine.state import RunState
from app.domain.engine.steps import PlannedStep, next_steps
from app.domain.ids import CallId
from app.domain.protocol.eras import Mode
from app.domain.protocol.prompts import fill
from app.domain.study import ModelChoice
from app.library.reader import prompt_templates
from app.providers.chat import Chat, ChatRequest, ExactRequest, exact_request
from app.providers.registry import ModelEntry
from app.providers.searches import MOST_SEARCHES
from app.services.budgets import BudgetReachedError, Reservation, most_of, require_room
from app.services.limits import UNLIMITED, NotNowError, take_turn
from app.services.locked_run import LockedRun
from app.services.masked_texts import masked_text_told, masks_told
from app.services.pauses import refuse_paused
from app.services.registry import UnknownModelError, model_entry, voice_of
from app.services.run_states import run_state
from app.services.step_inputs import input_of, seed_place
from app.services.unit_of_work import Work
from app.settings import SettingsProblem
from app.storage.calls import NewCall
from app.storage.runs import RunHead
from app.storage.steps import Claim, Lease

CHARACTERS_PER_TOKEN = 4
MAX_ANSWER_TOKENS = 16_000

UNASKABLE = (InformationFlowError, UnknownModelError, UnknownTemplateError, SettingsProblem, ValueError)
"""Why a call cannot be made at all: asking again would not help, and an answer already paid for must not be lost."""


@dataclass(frozen=True, slots=True)
class Performance:
    """A call about to be sent, and all that is needed to make something of its answer.

    ``seen`` is the run as it was left with this call, where nobody but its maker is expected to move it meanwhile.
    """

    lease: Lease
    state: RunState
    step: PlannedStep
    given: StepInput
    form: AnswerForm
    call_id: CallId
    request: ChatRequest
    exact: ExactRequest
    entry: ModelEntry
    voice: Chat
    tokens_estimated: int
    reserved: Reservation
    seen: RunHead | None = None

    def left(self, run: LockedRun) -> "Performance":
        """This call with the run as its transaction leaves it, unless other steps or budgets may move the run."""
        owed = next_steps(self.state.plan, self.state.artifacts.keys())
        is_alone = len(owed) == 1 and self.state.design.budgets is None and self.entry.limits == UNLIMITED
        return replace(self, seen=run.left) if is_alone else self


def claim_step(work: Work, step_id: UUID, claim: Claim) -> Performance | None:
    """Claim a ready step and journal its call; None if another has it, or its time has not come."""
    lease = work.steps.claim(step_id, claim)
    if lease is None:
        return None
    run = LockedRun(work, lease.run_id)
    head = run.head
    if head.state != "running":  # paused or cancelled between the claim and the lock
        work.steps.leave(lease, "ready", attempts=lease.attempts - 1)
        return None
    state = run_state(work, head.id, head.study_id, head.number, head.steps_done)
    step = next(step for step in state.plan if step.key == lease.key)
    performance = prepare_call(work, run, state, step, lease)
    run.write()
    return performance and performance.left(run)


def prepare_call(work: Work, run: LockedRun, state: RunState, step: PlannedStep, lease: Lease) -> Performance | None:
    """Make the call of a claimed step and journal it before it is sent.

    None if it cannot be made, such as when the prompt would show what its step must not see: an operator is asked.
    None too if it may not be made now: the step waits, ready, and nothing is counted.
    """
    try:
        return _prepared(work, run, state, step, lease)
    except UNASKABLE as error:
        problem = f"the call could not be made: {error}"
        work.steps.leave(lease, "needs_operator", problem=problem, attempts=lease.attempts - 1)
        ask_operator(run, step, problem)
    except BudgetReachedError as reached:
        told = {"problem": str(reached), "stopped_by": reached.scope}
        work.steps.leave(lease, "needs_operator", attempts=lease.attempts - 1, **told)
        ask_operator(run, step, str(reached))
    except NotNowError as wait:
        due = work.now + timedelta(seconds=wait.seconds)
        later = {"not_before": due, "sent_at": work.now, "waits_for": wait.model}
        work.steps.leave(lease, "ready", attempts=lease.attempts - 1, **later)
    return None


def ask_operator(run: LockedRun, step: PlannedStep, problem: str) -> None:
    """Tell the ledger that a step needs an operator."""
    run.tell(EventKind.OPERATOR_NEEDED, {"step": step.key, "problem_sha256": body_hash(problem)})


def _prepared(work: Work, run: LockedRun, state: RunState, step: PlannedStep, lease: Lease) -> Performance:
    choice = ModelChoice.model_validate(lease.choice) if lease.choice else choice_of(step, state)
    refuse_paused(work, run, choice.model)
    given = input_of(work, run.head.study_id, state, step, _notes(work, run, step))
    entry = model_entry(choice.model)
    voice = voice_of(entry, pace_seconds=state.design.pace_seconds)
    rendered = _asked_again(render_prompt(given, prompt_templates()), lease)
    form = form_for(given)
    seed = f"{state.design.seed}:{seed_place(state, step)}:{lease.tries}"
    request = _request(given, form, rendered, entry, choice, seed)
    exact = exact_request(voice.wire_request(request))
    tokens = len(exact.text) // CHARACTERS_PER_TOKEN
    searches = MOST_SEARCHES if request.web_search else 0
    most = most_of(entry, tokens_in=tokens, max_tokens=request.max_tokens, searches=searches)
    if state.design.budgets is not None or entry.limits != UNLIMITED:
        run.lock()  # before a budget or a turn is held, as everybody does
    require_room(work, run, state.design, entry, most)
    take_turn(work, entry, lease, step.kind, tokens)
    call_id = CallId(work.new_id())
    performance = Performance(lease, state, step, given, form, call_id, request, exact, entry, voice, tokens, most)
    _journal(work, run, performance, rendered.template_hashes)
    return performance


def _request(
    given: StepInput, form: AnswerForm, rendered: RenderedPrompt, entry: ModelEntry, choice: ModelChoice, seed: str
) -> ChatRequest:
    """The question to a model, with what its entry says that it takes."""
    return ChatRequest(
        model=entry.wire_model,
        system=rendered.system,
        prompt=rendered.prompt,
        schema_name=form.kind,
        schema=form.schema,
        temperature=choice.temperature if entry.features.temperature else None,
        max_tokens=min(entry.max_output_tokens or MAX_ANSWER_TOKENS, MAX_ANSWER_TOKENS),
        step=given,
        seed=seed,
        web_search=entry.features.web_search and _may_search(given),
    )


def _may_search(given: StepInput) -> bool:
    """Whether a step's model may search the web: the judge of a live era, nobody else."""
    return given.kind is StepKind.REVIEW and given.era.mode is Mode.LIVE


def _settings(request: ChatRequest) -> dict[str, float | bool | None]:
    """The settings of a call; a review that might have searched says whether it could."""
    settings: dict[str, float | bool | None] = {"temperature": request.temperature, "max_tokens": request.max_tokens}
    return settings | ({"web_search": request.web_search} if _may_search(request.step) else {})


def _journal(work: Work, run: LockedRun, made: Performance, templates: Mapping[str, str]) -> None:
    """Keep a call before it is sent, and hold the most that it may use."""
    call = NewCall(
        id=made.call_id,
        run_id=run.head.id,
        step_id=made.lease.step_id,
        attempt=made.lease.attempts,
        provider=made.entry.provider,
        model_asked=made.entry.name,
        settings=_settings(made.request),
        template_hashes=dict(templates),
        sources=made.step.needs,
        request=made.exact.text,
        request_hash=body_hash(made.exact.text),
        tokens_estimated=made.tokens_estimated,
        tokens_reserved=made.reserved.tokens,
        cost_reserved=made.reserved.cost_usd,
        started_at=work.now,
    )
    work.calls.add(call)
    told = {"call": str(call.id), "step": made.step.key, "attempt": call.attempt, "model": call.model_asked}
    hashes = {"request_sha256": call.request_hash, "templates_sha256": body_hash(call.template_hashes)}
    run.tell(EventKind.CALL_SENT, told | hashes | masked_text_told(masks_told(work, run.head), call.request))
    run.add(calls_made=1)
    run.hold(call.tokens_reserved, call.cost_reserved)


def choice_of(step: PlannedStep, state: RunState) -> ModelChoice:
    """The model that a step's role asks, as the design has it."""
    match step.role:
        case Role.PLAYER:
            return state.run.player
        case Role.JUDGE:
            return state.design.judge
        case Role.AUTHOR:
            return state.design.author


def _notes(work: Work, run: LockedRun, step: PlannedStep) -> tuple[str, ...]:
    """The exact words about interventions in this era that operators chose to tell the judge."""
    if step.kind is not StepKind.REVIEW or not run.head.interventions:
        return ()
    return work.interventions.told_to_judge(run.head.id, step.era)


def _asked_again(rendered: RenderedPrompt, lease: Lease) -> RenderedPrompt:
    """The same prompt with what was wrong with the last answer, when there was one."""
    if not lease.tries or not lease.problem:
        return rendered
    template = prompt_templates()["asked_again"]
    prompt = f"{rendered.prompt}\n\n{fill(template, {'problem': lease.problem})}"
    hashes = {**rendered.template_hashes, template.name: template.sha256}
    return RenderedPrompt(system=rendered.system, prompt=prompt, template_hashes=hashes)
