"""The stack layers a decision may choose, as a graph of neighbours."""

from enum import StrEnum
from typing import Self

from pydantic import BaseModel, ConfigDict, model_validator

from app.domain.once import once_each

KEPT_GRAPHS = 256


class LayerDistance(StrEnum):
    """How far a chosen layer lies from where value pooled."""

    MATCH = "match"
    NEIGHBOUR = "neighbour"
    MISS = "miss"


class Layer(BaseModel):
    """One layer of the stack; ``neighbours`` are ids one edge away."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    name: str
    about: str = ""
    neighbours: tuple[str, ...] = ()


class LayerGraph(BaseModel):
    """An era's fixed layer list with symmetric neighbours."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    layers: tuple[Layer, ...]

    @model_validator(mode="after")
    def _is_symmetric(self) -> Self:
        near = {layer.id: set(layer.neighbours) for layer in self.layers}
        if len(near) != len(self.layers):
            raise ValueError("layer ids must differ")
        for layer_id, others in near.items():
            for other in others:
                if other == layer_id or layer_id not in near.get(other, set()):
                    raise ValueError(f"layer {layer_id}: neighbour {other} must exist, differ and name it back")
        return self

    @property
    def ids(self) -> tuple[str, ...]:
        """Layer ids in the list's order."""
        return _ids(self)

    def layer(self, layer_id: str) -> Layer:
        """The layer of that id; KeyError if there is none."""
        for layer in self.layers:
            if layer.id == layer_id:
                return layer
        raise KeyError(layer_id)

    def distance(self, chosen: str, pooled: tuple[str, ...]) -> LayerDistance:
        """Distance of ``chosen`` from the nearest of the layers where value pooled (protocol section 3)."""
        if chosen in pooled:
            return LayerDistance.MATCH
        near = set(self.layer(chosen).neighbours)
        return LayerDistance.NEIGHBOUR if near & set(pooled) else LayerDistance.MISS


@once_each(KEPT_GRAPHS)
def _ids(graph: LayerGraph) -> tuple[str, ...]:
    return tuple(layer.id for layer in graph.layers)
