"""A stage for service tests: the app on fresh services, small studies, and voices that say what a test wants."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from threading import Lock
from typing import Any
from uuid import UUID

import pytest

from app import jobs, live
from app.domain.auth import Role
from app.domain.engine.ledger import first_misfit
from app.domain.ids import UserId
from app.domain.study import StudyDesign
from app.providers.chat import ChatAnswer, ChatError, ChatRequest, ExactRequest, StopReason
from app.providers.rehearsal import Rehearsal
from app.services import claiming, run_states, studies, worlds
from app.services.performing import Desk, perform_steps
from app.services.unit_of_work import reading, unit_of_work
from app.settings import get_settings
from app.storage.session import engine_of
from app.storage.users import User


def clear_caches() -> None:
    """Forget what the process knows of settings, broker and runs."""
    for cached in (get_settings, jobs.broker, live._client):
        cached.cache_clear()
    run_states._KEPT.__init__()


@pytest.fixture
def database_url_in_use(
    database_url: str, redis_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """The application works on this test's database and broker until the test ends."""
    monkeypatch.setenv("DATABASE_URL", database_url)
    monkeypatch.setenv("REDIS_URL", redis_url)
    monkeypatch.setenv("AUTOLAB_HOME", str(tmp_path_factory.mktemp("home")))
    clear_caches()
    yield get_settings().needed_database_url()
    live.send_gathered(live._client())
    engine_of(get_settings().needed_database_url()).dispose()
    jobs.broker().close()
    live._client().close()
    clear_caches()


@dataclass
class Script:
    """A voice for every model: answers of the rehearsal, unless a step's key has something else to say next."""

    lines: dict[str, list[Any]] = field(default_factory=dict)
    heard: list[ChatRequest] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    def say(self, key: str, *lines: Any) -> None:
        """Texts, answers, errors or functions of the request, in their order, for the coming calls of a step."""
        self.lines.setdefault(key, []).extend(lines)

    def wire_request(self, request: ChatRequest) -> dict[str, Any]:
        return Rehearsal().wire_request(request)

    def answer(self, request: ChatRequest, exact: ExactRequest) -> ChatAnswer:
        with self._lock:
            self.heard.append(request)
            waiting = self.lines.get(request.step.key, [])
            line = waiting.pop(0) if waiting else None
        if isinstance(line, ChatError):
            raise line
        usual = Rehearsal().answer(request, exact)
        if callable(line):
            return line(request, usual)
        return usual if line is None else said(usual, line)

    def prompts(self, key: str) -> list[str]:
        return [request.prompt for request in self.heard if request.step.key == key]


def said(answer: ChatAnswer, text: str, stop: StopReason = StopReason.COMPLETE) -> ChatAnswer:
    """The same answer with another text."""
    return ChatAnswer(text, stop, answer.usage, answer.model_reported, {"text": text})


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Script:
    """Every model speaks by this script."""
    script = Script()
    monkeypatch.setattr(claiming, "voice_of", lambda *_, **__: script)
    return script


@dataclass
class Stage:
    """What a service test does over and over."""

    desk: Desk = field(default_factory=lambda: Desk("test"))
    sent: list[UUID] = field(default_factory=list)

    def launch(self, **changes: Any) -> UUID:
        """Launch a study of one run, unless the design is changed; gives the first run's id."""
        with unit_of_work() as work:
            study = studies.launch_study(work, design(**changes), None)
        with reading() as look:
            return look.runs.of_study(study)[0].id

    def user(self) -> UUID:
        """An operator."""
        with unit_of_work() as work:
            user = work.new_id()
            work.users.add(User(UserId(user), f"operator-{user}", Role.OPERATOR, work.now, None, has_password=False))
            return user

    def steps(self, run: UUID, state: str | None = None):
        with reading() as look:
            return [step for step in look.steps.of_run(run) if state in {None, step.state}]

    def step(self, run: UUID, key: str):
        return next(step for step in self.steps(run) if step.key == key)

    def play(self, run: UUID, until: Callable[[], bool] | None = None) -> None:
        """Perform ready steps until there is none to be had, or ``until`` says so."""
        while not (until and until()):
            if not sum(perform_steps(step.id, self.desk) for step in self.steps(run, "ready")):
                return

    def perform(self, run: UUID, key: str) -> int:
        """Perform one step and nothing after it."""
        desk = Desk("one")
        desk.stopping.set()
        return perform_steps(self.step(run, key).id, desk)

    def run(self, run: UUID):
        with reading() as look:
            return look.runs.get(run)

    def calls(self, run: UUID, key: str | None = None):
        with reading() as look:
            return look.calls.of_step(self.step(run, key).id) if key else look.calls.of_run(run)

    def events(self, run: UUID):
        with reading() as look:
            return look.ledgers.of_run(run)

    def check_books(self, run: UUID) -> None:
        """The run's sums equal those over its calls, and its ledger verifies up to its head."""
        record, calls = self.run(run), self.calls(run)
        ended = [call for call in calls if call.state != "sent"]
        assert record.calls_made == len(calls)
        assert record.calls_lost == sum(call.state == "lost" for call in calls)
        assert record.tokens_in == sum(tokens_in(call) for call in ended)
        assert record.tokens_out == sum(call.tokens_out or 0 for call in ended)
        assert record.cost_usd == pytest.approx(sum(call.cost_usd or 0 for call in ended))
        assert record.cost_unknown == sum(call.cost_usd is None for call in ended)
        assert record.steps_done == len(self.steps(run, "done"))
        assert first_misfit(self.events(run), record.ledger_head) is None
        assert record.ledger_length == len(self.events(run))


def tokens_in(call: Any) -> int:
    """Tokens a call counts: what the provider said, else the estimate; a failed call counts none."""
    if call.tokens_in is not None:
        return call.tokens_in
    return 0 if call.state == "failed" else call.tokens_estimated


@pytest.fixture
def stage(database_url_in_use: str) -> Stage:
    """The application on fresh services."""
    return Stage()


def design(schedule: str = "history-short", **changes: Any) -> StudyDesign:
    """One run of the short history in the controlled way, unless changed."""
    given: dict[str, Any] = {
        "name": "Trial",
        "schedule": worlds.find_schedule(schedule),
        "players": (studies.choose_model("rehearsal/steady", 1.0),),
        "judge": studies.choose_model("rehearsal/strict", 1.0),
        "author": studies.choose_model("rehearsal/author", 1.0),
    }
    return StudyDesign.model_validate({**given, **changes})
