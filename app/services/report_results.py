"""What stands beside a study's results in its report: how alike decisions are, and H4's calibration."""

from collections.abc import Sequence

from app.domain.reports.blocks import Align, Block, Column, Table, number, prose, shown, words
from app.services.check_results import Calibration
from app.services.report_judgings import found_table
from app.services.similarities import SimilarityLine

UNCALIBRATED = (
    "No planted decisions were judged. Without them a positive gap may be an offset between the anchors of two "
    "dimensions."
)


def similarity_table(lines: Sequence[SimilarityLine]) -> Table:
    """Mean cosines of decisions of different runs, among all runs and those of each condition."""
    names = ("Runs", "Same era", "Pairs", "Different eras", "Pairs")
    columns = (Column("Among", 1), *(Column(name, align=Align.RIGHT) for name in names))
    rows = tuple(
        (
            shown(words(line.name)),
            str(line.runs),
            number(line.found.same_era, 2),
            f"{line.found.same_era.n:,}",
            number(line.found.different_era, 2),
            f"{line.found.different_era.n:,}",
        )
        for line in lines
    )
    note = (
        "Mean cosine of the words of two decisions (TF-IDF), 0 to 1. Much alike in one era and not in others: the era "
        "decides; much alike in both: the model’s habits do."
    )
    return Table(columns, rows, caption="Similarity of decisions", note=note)


def calibration_blocks(calibrations: Sequence[Calibration]) -> list[Block]:
    """The gap of planted decisions that choose the exact layer, by judge; or that there are none."""
    if not calibrations:
        return [prose(UNCALIBRATED, "H4’s calibration.")]
    return [found_table(one.lines, f"H4’s calibration, judged by {one.judge}") for one in calibrations]
