import hashlib
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from app.providers.chat import ChatRequest
from app.providers.rehearsal import Rehearsal
from app.services import claiming
from app.services.archives import import_archive, stream_archive
from app.services.unit_of_work import unit_of_work
from tests.exports.conftest import Elsewhere
from tests.services.stage import Stage

PADDING = 600_000
MOST = 12_000_000


class Wordy(Rehearsal):
    """A model whose requests are long: bytes that do not shrink."""

    def wire_request(self, request: ChatRequest) -> dict:
        key = request.step.key.encode()
        blocks = (hashlib.sha256(key + place.to_bytes(4)).hexdigest() for place in range(PADDING // 64))
        return {**super().wire_request(request), "padding": "".join(blocks)}


@pytest.mark.services
def test_memory_does_not_grow_with_the_study(
    stage: Stage, tmp_path: Path, elsewhere: Elsewhere, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(claiming, "voice_of", lambda *_, **__: Wordy())
    run = stage.launch(schedule="history-1990-2040")
    stage.play(run)
    study = stage.run(run).study_id
    file = tmp_path / "study.zip"
    with file.open("wb") as out:
        peak = peak_of(lambda: [out.write(piece) for piece in stream_archive(study)])
    with zipfile.ZipFile(file) as archive:
        held = archive.getinfo("data/calls.jsonl").file_size
    assert held > 3 * MOST
    assert peak < MOST
    with elsewhere():
        assert peak_of(lambda: put(file)) < 2 * MOST


def put(file: Path) -> None:
    with unit_of_work() as work:
        import_archive(work, file)


def peak_of(act: Callable[[], object]) -> int:
    """The most bytes that Python held while it did something, beyond what it held before."""
    tracemalloc.start()
    try:
        act()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
