"""Layers chosen and judged against the truth of invented markets; captures with and without what can be recalled."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from app.domain.audit.captures import UNRECALLABLE, CaptureContrast, JudgedLayer, contrast_captures
from app.domain.audit.layer_truth import LayerCase
from app.domain.protocol.fictional import fictional_layers, true_profits
from app.domain.study import StudyDesign
from app.services.judged_runs import StudiedRun
from app.services.unit_of_work import Reading
from app.services.worlds import world_of
from app.storage.judgements import Judgements


def layer_cases(reading: Reading, design: StudyDesign, runs: Sequence[StudiedRun]) -> Mapping[str, Sequence[LayerCase]]:
    """The judged eras of each fictional world by its title, with what its market says of them."""
    worlds = {one.id: one for one in design.schedules if one.is_fictional}
    invented = [run for run in runs if run.judged.schedule in worlds]
    reviews = Judgements(reading.session).reviews([run.record.id for run in invented])
    judged = {(one.run_id, one.era): one.pooled_layer for one in reviews}
    cases: dict[str, list[LayerCase]] = defaultdict(list)
    for run in invented:
        schedule = worlds[run.judged.schedule]
        world = world_of(schedule)
        graph = fictional_layers(world)
        for era, decided in run.decided.items():
            pooled = judged.get((run.record.id, era))
            if pooled in graph.ids and decided.layer in graph.ids:
                assert pooled
                assert decided.layer
                cases[schedule.title].append(LayerCase(decided.layer, pooled, true_profits(world, era), graph))
    return cases


def capture_contrasts(design: StudyDesign, runs: Sequence[StudiedRun]) -> tuple[CaptureContrast, ...]:
    """Captures where recall may help against those where it cannot; none where a design has eras of one kind."""
    modes = {(one.id, era.id): era.mode for one in design.schedules for era in one.eras}
    kinds = {mode in UNRECALLABLE for mode in modes.values() if mode.has_outcome}
    if len(kinds) < 2:
        return ()
    return contrast_captures(
        JudgedLayer(run.label, run.record.condition, run.record.player, modes[run.judged.schedule, era], distance)
        for run in runs
        for era, distance in run.judged.distances.items()
    )
