"""Intraclass correlations of incomplete ratings by restricted maximum likelihood.

Model: rating = mean + item + rater + residual, items and raters random, variances not below zero. The likelihood
depends on the data only through sums over items, so every leave-one-run-out refit is solved at once, on a grid that
closes in on the two variance ratios. It agrees with statsmodels' MixedLM, which is too slow to refit for a jackknife.
Source: Searle, Casella and McCulloch (1992), Variance Components, chapter 6.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from app.domain.agreement.matrix import RatingMatrix
from app.domain.agreement.measure import Floats, ratio

GRID = 9
ROUNDS = 14
BATCH = 256


@dataclass(frozen=True)
class _Moments:
    """Sums of one or more items at given item-to-residual variance ratios, all with leading axis (replicates,)."""

    n: Floats
    log_scale: Floats
    ones: Floats
    ones_y: Floats
    y_y: Floats
    design: Floats
    design_ones: Floats
    design_y: Floats


class Reml:
    """Coefficients by REML from sums over items, grouped by how many ratings an item has."""

    def __init__(self, matrix: RatingMatrix) -> None:
        k = self.raters = len(matrix.raters)
        present = np.isfinite(matrix.values).astype(np.float64)
        y = np.nan_to_num(matrix.shifted)
        total, each = y.sum(axis=1), matrix.rated
        together = np.einsum("ij,il->ijl", present, present).reshape(len(y), k * k)
        columns = np.column_stack(
            [each > 0, y, (y**2).sum(axis=1), total, total**2, present * total[:, None], together],
        ).astype(np.float64)
        self._sizes = np.arange(1, k + 1)
        self.contributions = np.hstack([columns * (each == size)[:, None] for size in self._sizes])

    def evaluate(self, sums: Floats) -> dict[str, Floats]:
        """Give the names of `icc.Anova` that a two-way model defines; NaN with no item or fewer than two raters."""
        parts = [self._solve(sums[start : start + BATCH]) for start in range(0, len(sums), BATCH)]
        item, rater, residual = np.concatenate(parts, axis=1)
        noise = rater + residual
        sem = np.sqrt(noise)
        k = self.raters
        size = item + noise
        return {
            "icc_a1": ratio(item, item + noise, size),
            "icc_ak": ratio(item, item + noise / k, size),
            "icc_c1": ratio(item, item + residual, size),
            "icc_ck": ratio(item, item + residual / k, size),
            "sem": sem,
            "sem_consistency": np.sqrt(residual),
            "sdd": 1.96 * np.sqrt(2) * sem,
        }

    def severities(self, sums: Floats) -> Floats:
        """Raters as fixed effects, items random: effects in points less their mean (replicates, raters)."""
        lowest, highest = np.zeros((len(sums), 1)), np.ones((len(sums), 1))
        zeros = np.zeros_like(lowest)
        best = self._close_in(sums, np.hstack([lowest, zeros]), np.hstack([highest, zeros]), fixed=True)
        moments = self._moments(sums, _odds(best[:, :1]))
        solved = _solve(moments.design[:, 0], moments.design_y[:, 0, :, None])[..., 0]
        effects: Floats = solved - solved.mean(axis=1, keepdims=True)
        return effects

    def _solve(self, sums: Floats) -> Floats:
        """Variances (3, replicates) of items, raters and residual."""
        lowest, highest = np.zeros((len(sums), 2)), np.ones((len(sums), 2))
        best = self._close_in(sums, lowest, highest, fixed=False)
        ratios = _odds(best)
        moments = self._moments(sums, ratios[:, :1])
        residual = _residual(moments, ratios[:, 1:], fixed=False)[0][:, 0]
        usable = (moments.n > self.raters) & (self.raters > 1)
        residual = np.where(usable & (residual > 1e-12 * moments.y_y[:, 0]), residual, np.nan)
        return np.stack([ratios[:, 0] * residual, ratios[:, 1] * residual, residual])

    def _close_in(self, sums: Floats, lowest: Floats, highest: Floats, *, fixed: bool) -> Floats:
        """Variance shares v/(v + residual) of items and raters that minimize the criterion (replicates, 2)."""
        steps = np.linspace(0.0, 1.0, GRID)
        for _ in range(ROUNDS):
            width = highest - lowest
            item = lowest[:, :1] + steps * width[:, :1]
            rater = lowest[:, 1:] + (steps if not fixed else steps[:1]) * width[:, 1:]
            place = np.argmin(self._criterion(sums, item, rater, fixed=fixed), axis=1)
            row, column = np.divmod(place, rater.shape[1])
            best = np.stack(
                [np.take_along_axis(item, row[:, None], 1)[:, 0], np.take_along_axis(rater, column[:, None], 1)[:, 0]],
                axis=1,
            )
            reach = width * 1.5 / (GRID - 1)
            lowest, highest = np.maximum(best - reach, 0.0), np.minimum(best + reach, 1.0)
        return best

    def _criterion(self, sums: Floats, item: Floats, rater: Floats, *, fixed: bool) -> Floats:
        """-2 log restricted likelihood, constants left out (replicates, item grid * rater grid)."""
        moments = self._moments(sums, _odds(item))
        columns = [
            _deviance(moments, np.broadcast_to(_odds(rater[:, place, None]), item.shape), fixed=fixed)
            for place in range(rater.shape[1])
        ]
        return np.stack(columns, axis=2).reshape(len(sums), -1)

    def _moments(self, sums: Floats, ratios: Floats) -> _Moments:
        """Weighted sums at item variance ratios (replicates, grid): the item effect is eliminated exactly."""
        k = self.raters
        blocks = sums.reshape(len(sums), len(self._sizes), -1)
        shrink = ratios[:, :, None] / (1 + self._sizes * ratios[:, :, None])
        count, y = blocks[:, :, 0], blocks[:, :, 1 : k + 1]
        squares, total, total_squares = (blocks[:, :, k + place] for place in (1, 2, 3))
        rater_total, together = blocks[:, :, k + 4 : 2 * k + 4], blocks[:, :, 2 * k + 4 :]
        diagonal = together.reshape(*together.shape[:2], k, k).diagonal(axis1=2, axis2=3)
        sizes = self._sizes.astype(np.float64)
        full = np.einsum("rj,jl->rjl", diagonal.sum(axis=1), np.eye(k))[:, None]
        return _Moments(
            n=(count * sizes).sum(axis=1),
            log_scale=np.einsum("rm,rgm->rg", count, np.log1p(sizes * ratios[:, :, None])),
            ones=np.einsum("rm,rgm->rg", count * sizes, 1 - sizes * shrink),
            ones_y=np.einsum("rm,rgm->rg", total, 1 - sizes * shrink),
            y_y=squares.sum(axis=1)[:, None] - np.einsum("rm,rgm->rg", total_squares, shrink),
            design=full - np.einsum("rmj,rgm->rgj", together, shrink).reshape(*ratios.shape, k, k),
            design_ones=np.einsum("rmj,rgm->rgj", diagonal, 1 - sizes * shrink),
            design_y=y.sum(axis=1)[:, None] - np.einsum("rmj,rgm->rgj", rater_total, shrink),
        )


def _odds(share: Floats) -> Floats:
    # A share of exactly 1 would be an infinite ratio: no residual at all.
    capped = np.minimum(share, 1 - 1e-10)
    ratios: Floats = capped / (1 - capped)
    return ratios


def _solve(matrices: Floats, right: Floats) -> Floats:
    """Solve, with a rater who has no rating at all given the effect 0."""
    empty = np.abs(np.diagonal(matrices, axis1=-2, axis2=-1)) <= 1e-12
    return np.asarray(np.linalg.solve(matrices + empty[..., None] * np.eye(matrices.shape[-1]), right), np.float64)


def _residual(moments: _Moments, rater: Floats, *, fixed: bool) -> tuple[Floats, Floats]:
    """Residual variance, and the log determinants that go with it (replicates, grid)."""
    k = moments.design.shape[-1]
    n = moments.n[:, None]
    right = np.stack([moments.design_ones, moments.design_y], axis=-1)
    if fixed:
        tied = moments.design + 1e-9 * np.eye(k)
        explained = np.einsum("rgj,rgj->rg", _solve(tied, right)[..., 1], moments.design_y)
        return (moments.y_y - explained) / np.maximum(n - k, 1), np.linalg.slogdet(tied)[1]
    mixed = np.eye(k) + rater[..., None, None] * moments.design
    inner = np.einsum("rgja,rgjb->rgab", right, np.linalg.solve(mixed, right)) * rater[..., None, None]
    ones = np.maximum(moments.ones - inner[..., 0, 0], 1e-300)
    left = moments.y_y - inner[..., 1, 1] - (moments.ones_y - inner[..., 0, 1]) ** 2 / ones
    return left / np.maximum(n - 1, 1), np.linalg.slogdet(mixed)[1] + np.log(ones)


def _deviance(moments: _Moments, rater: Floats, *, fixed: bool) -> Floats:
    residual, determinants = _residual(moments, rater, fixed=fixed)
    degrees = moments.n[:, None] - (moments.design.shape[-1] if fixed else 1)
    floor = 1e-14 * np.maximum(moments.y_y, 1e-280)
    return moments.log_scale + determinants + degrees * np.log(np.maximum(residual, floor))
