"""From an owed step to a call that may be sent: claimed, given its material, checked and journaled."""

from dataclasses import dataclass
from uuid import UUID

from app.domain.engine.flow import InformationFlowError, check_flow
from app.domain.engine.forms import AnswerForm, form_for
from app.domain.engine.inputs import Role, StepInput, StepKind
from app.domain.engine.ledger import EventKind, body_hash, canonical
from app.domain.engine.material import input_for
from app.domain.engine.prompts import RenderedPrompt, UnknownTemplateError, render_prompt
from app.domain.engine.state import RunState
from app.domain.engine.steps import PlannedStep
from app.domain.ids import CallId
from app.domain.protocol.prompts import fill
from app.domain.study import ModelChoice
from app.library.reader import prompt_templates
from app.providers.chat import Chat, ChatRequest
from app.providers.registry import ModelEntry
from app.services.locked_run import LockedRun
from app.services.models import UnknownModelError, model_entry, voice_of
from app.services.run_states import library, run_state
from app.services.unit_of_work import Work
from app.settings import SettingsProblem
from app.storage.calls import NewCall
from app.storage.steps import Claim, Lease

CHARACTERS_PER_TOKEN = 4
MAX_ANSWER_TOKENS = 16_000

UNASKABLE = (InformationFlowError, UnknownModelError, UnknownTemplateError, SettingsProblem, ValueError)
"""Why a call cannot be made at all: asking again would not help, and an answer already paid for must not be lost."""


@dataclass(frozen=True, slots=True)
class Performance:
    """A call about to be sent, and all that is needed to make something of its answer."""

    lease: Lease
    state: RunState
    step: PlannedStep
    given: StepInput
    form: AnswerForm
    call_id: CallId
    request: ChatRequest
    entry: ModelEntry
    voice: Chat
    tokens_estimated: int


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
    return performance


def prepare_call(work: Work, run: LockedRun, state: RunState, step: PlannedStep, lease: Lease) -> Performance | None:
    """Make the call of a claimed step and journal it before it is sent.

    None if it cannot be made, such as when the prompt would show what its step must not see: an operator is asked.
    """
    try:
        return _prepared(work, run, state, step, lease)
    except UNASKABLE as error:
        problem = f"the call could not be made: {error}"
        work.steps.leave(lease, "needs_operator", problem=problem, attempts=lease.attempts - 1)
        ask_operator(run, step, problem)
        return None


def ask_operator(run: LockedRun, step: PlannedStep, problem: str) -> None:
    """Tell the ledger that a step needs an operator."""
    run.tell(EventKind.OPERATOR_NEEDED, {"step": step.key, "problem_sha256": body_hash(problem)})


def _prepared(work: Work, run: LockedRun, state: RunState, step: PlannedStep, lease: Lease) -> Performance:
    given = input_for(step, state, library(), _notes(work, run, step))
    check_flow(given, state.design, state.run, library().by_text)
    form = form_for(given)
    entry = model_entry(_choice(step, state).model)
    voice = voice_of(entry, pace_seconds=state.design.pace_seconds)
    rendered = _asked_again(render_prompt(given, prompt_templates()), lease)
    request = ChatRequest(
        model=entry.wire_model,
        system=rendered.system,
        prompt=rendered.prompt,
        schema_name=form.kind,
        schema=form.schema,
        temperature=_choice(step, state).temperature if entry.features.temperature else None,
        max_tokens=min(entry.max_output_tokens or MAX_ANSWER_TOKENS, MAX_ANSWER_TOKENS),
        step=given,
        seed=f"{state.design.seed}:{state.run.number}:{step.key}:{lease.tries}",
    )
    call = _journal(work, run, lease, step, request, entry, voice, rendered)
    return Performance(
        lease=lease,
        state=state,
        step=step,
        given=given,
        form=form,
        call_id=call.id,
        request=request,
        entry=entry,
        voice=voice,
        tokens_estimated=call.tokens_estimated,
    )


def _journal(
    work: Work,
    run: LockedRun,
    lease: Lease,
    step: PlannedStep,
    request: ChatRequest,
    entry: ModelEntry,
    voice: Chat,
    rendered: RenderedPrompt,
) -> NewCall:
    body = canonical(voice.wire_request(request))
    call = NewCall(
        id=CallId(work.new_id()),
        run_id=run.head.id,
        step_id=lease.step_id,
        attempt=lease.attempts,
        provider=entry.provider,
        model_asked=entry.name,
        settings={"temperature": request.temperature, "max_tokens": request.max_tokens},
        template_hashes=dict(rendered.template_hashes),
        sources=step.needs,
        request=body,
        request_hash=body_hash(body),
        tokens_estimated=len(body) // CHARACTERS_PER_TOKEN,
        started_at=work.now,
    )
    work.calls.add(call)
    told = {"call": str(call.id), "step": step.key, "attempt": call.attempt, "model": entry.name}
    run.tell(EventKind.CALL_SENT, {**told, "request_sha256": call.request_hash})
    run.add(calls_made=1)
    return call


def _choice(step: PlannedStep, state: RunState) -> ModelChoice:
    match step.role:
        case Role.PLAYER:
            return state.run.player
        case Role.JUDGE:
            return state.design.judge
        case Role.AUTHOR:
            return state.design.author


def _notes(work: Work, run: LockedRun, step: PlannedStep) -> tuple[str, ...]:
    """The exact words about interventions in this era that operators chose to tell the judge."""
    return work.interventions.told_to_judge(run.head.id, step.era) if step.kind is StepKind.REVIEW else ()


def _asked_again(rendered: RenderedPrompt, lease: Lease) -> RenderedPrompt:
    """The same prompt with what was wrong with the last answer, when there was one."""
    if not lease.tries or not lease.problem:
        return rendered
    template = prompt_templates()["asked_again"]
    prompt = f"{rendered.prompt}\n\n{fill(template, {'problem': lease.problem})}"
    hashes = {**rendered.template_hashes, template.name: template.sha256}
    return RenderedPrompt(system=rendered.system, prompt=prompt, template_hashes=hashes)
