"""An invented world in the protocol's own terms: its layer graph, its schedule, and where value truly pooled."""

from datetime import date

from app.domain.protocol.eras import Era, Mode, Schedule
from app.domain.protocol.layers import Layer, LayerGraph
from app.domain.world.histories.facts import History


def fictional_layers(history: History) -> LayerGraph:
    """The world's layer list, to stand in place of the library's."""
    return LayerGraph(
        layers=tuple(
            Layer(id=layer.id, name=layer.name, about=layer.about, neighbours=layer.neighbours)
            for layer in history.layers
        )
    )


def fictional_schedule(history: History) -> Schedule:
    """The world's eras, all fictional, one outcome window each."""
    return Schedule(
        id=f"fictional-{history.version}-{history.seed}",
        title=history.title,
        eras=tuple(
            Era(
                id=window.era,
                title=f"Year {window.first_year}",
                start=date(window.first_year, 1, 1),
                end=date(window.first_year + window.years, 1, 1),
                mode=Mode.FICTIONAL,
            )
            for window in history.windows
        ),
    )


def true_profits(history: History, era: str) -> dict[str, int]:
    """Profit by layer in an era's window, highest first: the truth, hidden from players and judge."""
    return {each.layer: each.profit for each in history.window(era).profits}
