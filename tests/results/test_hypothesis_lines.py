"""The table of hypotheses as it is read: H5 stands beside leakage and again where nothing can be recalled."""

from app.domain.protocol.analysis import AnalysisPlan
from app.domain.protocol.eras import Mode
from app.domain.protocol.layers import LayerDistance
from app.domain.scoring.run_values import JudgedRun
from app.domain.scoring.scored_eras import ScoredEra
from app.services.hypothesis_lines import hypothesis_table

SCORES = {"frontier_accuracy": 7, "timing": 6, "layer_choice": 5, "reinvention_courage": 6, "hindsight_leakage": 7}


def run(condition: str, mode: Mode, distance: LayerDistance, hindsight: int) -> JudgedRun:
    scores = {**SCORES, "hindsight_leakage": hindsight}
    eras = tuple(ScoredEra(condition, f"E{i}", i, mode, "Alder", scores, None) for i in (1, 2))
    return JudgedRun(f"{condition} {mode}", condition, 1, "m", eras, {"E1": distance}, schedule=mode)


def test_h5_is_read_beside_leakage_and_repeated_on_fictional_eras():
    runs = [
        run("no_red_team", Mode.TRAINING, LayerDistance.MATCH, 5),
        run("full", Mode.TRAINING, LayerDistance.MISS, 7),
        run("no_red_team", Mode.FICTIONAL, LayerDistance.NEIGHBOUR, 8),
        run("full", Mode.FICTIONAL, LayerDistance.NEIGHBOUR, 8),
    ]
    judged = hypothesis_table(runs, (), AnalysisPlan())

    assert [line.eras for line in judged.removal] == ["as tested above", "fictional eras"]
    real, fictional = (tuple(cell.effect for cell in line.cells) for line in judged.removal)
    assert real == ("0.00", "+1.00", "−2.00")
    assert fictional == ("0.00", "0.00", "0.00")
    assert {line.hypothesis for line in judged.lines} == {"H1", "H2", "H3", "H4", "H5a", "H5b"}


def test_without_both_conditions_there_is_nothing_to_repeat():
    assert hypothesis_table([run("full", Mode.FICTIONAL, LayerDistance.MATCH, 8)], (), AnalysisPlan()).removal == ()
