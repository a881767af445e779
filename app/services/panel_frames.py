"""A panel's frame as the draw sees it, what the draw would give, and what it asks of raters."""

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean

from app.domain.rating.allocation import AllocationError, Cell, allocate, cell_name, thin_cells
from app.domain.rating.designs import PanelDesign
from app.domain.rating.ordering import most_repeats, usual_repeats
from app.domain.rating.planning import Precision, WorkLoad, expected_precision, work_load
from app.domain.rating.sampling import Frame, FrameItem, draw_sample, frame_of
from app.domain.rating.shortening import shortened
from app.services.unit_of_work import Reading
from app.storage.panels import FrameLine, Panel

SHORTENED_AT_MOST = 8


@dataclass(frozen=True, slots=True)
class CellLine:
    """One cell of the strata: how many items there are, and how many are taken."""

    name: str
    size: int
    places: int


@dataclass(frozen=True, slots=True)
class PanelPlan:
    """What a design would give, shown while its form changes; ``problem`` says why it cannot be drawn."""

    frame_size: int
    left_out: int
    cells: tuple[CellLine, ...]
    sample_size: int
    runs: int
    repeats: int
    said: tuple[str, ...]
    load: WorkLoad
    precision: Precision
    problem: str | None


def eligible(lines: Sequence[FrameLine], design: PanelDesign) -> tuple[FrameLine, ...]:
    """The lines that can be drawn: no training item, and none with an intervention unless the design takes them."""
    training = {item.key for item in design.training.items}
    return tuple(
        line for line in lines if line.key not in training and (design.with_interventions or not line.intervened)
    )


def cell_of(line: FrameLine, design: PanelDesign) -> Cell:
    """The item's value in each stratum; ``none`` where it has none."""
    return tuple(line.strata.get(name, "none") for name in design.strata)


def frame_for(lines: Sequence[FrameLine], design: PanelDesign) -> Frame:
    """The frame of the eligible lines."""
    return frame_of(FrameItem(line.key, line.unit, cell_of(line, design)) for line in eligible(lines, design))


def places_for(frame: Frame, design: PanelDesign) -> dict[Cell, int]:
    """Places per cell. Raises AllocationError."""
    return allocate(frame.sizes, items=design.items, rule=design.allocation, minimum=design.minimum)


def repeats_for(design: PanelDesign, sample_size: int) -> int:
    """The design's repeats, or the usual number where it leaves them open; never more than there is room for."""
    wanted = usual_repeats(sample_size) if design.repeats is None else design.repeats
    return min(wanted, most_repeats(sample_size))


def plan_panel(reading: Reading, panel: Panel, design: PanelDesign) -> PanelPlan:
    """What this design would give on the panel's frame: cells, sample, reading load and expected precision."""
    lines = reading.panels.lines(panel.id)
    frame = frame_for(lines, design)
    said = list(thin_cells(frame.sizes, items=design.items, minimum=design.minimum))
    problem = None
    places: dict[Cell, int] = {}
    keys: tuple[str, ...] = ()
    try:
        places = places_for(frame, design)
        drawn = draw_sample(frame, places, cap=design.cap, seed=design.seed)
        keys = drawn.keys
        said += drawn.shortfalls
    except AllocationError as error:
        problem = str(error)
    if not frame.items:
        problem = "the frame is empty: choose studies with reviewed eras of this rubric, or upload a table"
    units = {line.key: line.unit for line in lines}
    runs = len({units[key] for key in keys})
    repeats = repeats_for(design, len(keys))
    if design.repeats is not None and design.repeats > repeats:
        said.append(f"repeats: {len(keys)} items leave room for {repeats} at the distances asked for")
    read = len(keys) + repeats + len(design.training.items)
    words = _words_per_item(reading, panel, lines, design)
    return PanelPlan(
        frame_size=len(frame.items),
        left_out=len(lines) - len(frame.items),
        cells=tuple(CellLine(cell_name(cell), size, places.get(cell, 0)) for cell, size in sorted(frame.sizes.items())),
        sample_size=len(keys),
        runs=runs,
        repeats=repeats,
        said=tuple(said),
        load=work_load(items=read, words_per_item=words, dimensions=len(design.rubric.dimensions)),
        precision=expected_precision(
            items=max(len(keys), 1), raters=design.raters, runs=runs, reliability=design.reliability, seed=design.seed
        ),
        problem=problem,
    )


def _words_per_item(reading: Reading, panel: Panel, lines: Sequence[FrameLine], design: PanelDesign) -> float:
    if not lines:
        return 0.0
    if not design.short_packets:
        return fmean(line.words for line in lines)
    step = max(1, len(lines) // SHORTENED_AT_MOST)
    looked_at = reading.panels.items(panel.id, [line.key for line in lines[::step]][:SHORTENED_AT_MOST])
    return fmean(shortened(item.source, design.packet_rules).words for item in looked_at)
