"""Human against judge as lines and blocks of text."""

from __future__ import annotations

from app.domain.reports.agreement_judge import JudgeSection
from app.domain.reports.agreement_lines import Line, interval, line, number
from app.domain.reports.blocks import NONE, Align, Block, Column, Listed, Table, shown, words
from app.domain.wording import counted

BAND_NOTE = (
    "Bands of the judge’s own score differ by chance alone, since high scores are partly luck: read them as a shape."
)


def judge_lines(section: JudgeSection) -> tuple[tuple[str, Line], ...]:
    """The judge's statistics with what each is."""
    found = section.found
    slopes = [("Difference per point of level", found.on_level["slope"], True)]
    slopes += [("Difference per 100 words of text", found.on_length["slope"], True)] if found.on_length else []
    ranks = [(f"Spearman within {name}s", one, False) for name, one in found.rank_within.items()]
    named = (
        ("Bias: judge less the raters’ mean, points", found.bias, True),
        ("ICC(A,1) of the judge with the others’ means", found.ceiling.judge, False),
        ("ICC(A,1) of each person with the same means", found.ceiling.humans, False),
        ("Judge less people", found.ceiling.difference, True),
        *ranks,
        ("Spearman over all items, runs mixed", found.rank_pooled, False),
        *slopes,
        ("Alpha of the people alone", found.alpha_humans, False),
        ("Alpha with the judge added, for comparison", found.alpha_with_judge, False),
    )
    return tuple((what, line("icc_a1", one, signed=signed)) for what, one, signed in named)


def judge_blocks(section: JudgeSection) -> list[Block]:
    """Human against judge."""
    columns = (
        Column("Judge", 3),
        Column("value", align=Align.RIGHT),
        Column("95 %", align=Align.RIGHT),
        Column("n", align=Align.RIGHT),
        Column("why not", 2),
    )
    rows = tuple(
        (what, found.value, found.interval, str(found.n), found.reason or " ") for what, found in judge_lines(section)
    )
    groups = Table(
        (
            Column("Grouping"),
            Column("Group", 1),
            Column("bias", align=Align.RIGHT),
            Column("95 %", align=Align.RIGHT),
            Column("above other items", align=Align.RIGHT),
            Column("95 %", align=Align.RIGHT),
            Column("n", align=Align.RIGHT),
        ),
        tuple(
            (
                words(one.grouping),
                shown(one.group),
                number("bias", one.bias.value, signed=True),
                interval("bias", one.bias, signed=True),
                number("bias", one.contrast.value if one.contrast else None, signed=True),
                interval("bias", one.contrast, signed=True) if one.contrast else NONE,
                str(one.bias.n),
            )
            for one in section.groups
        ),
        caption="Bias by group",
        note=BAND_NOTE,
    )
    said = [*section.words, *annotator_words(section)]
    left = (
        f"{counted(section.items, 'item')} compared; left out: {section.intervened} with an intervention, "
        f"{section.unscored} without a judge’s score."
    )
    return [Table(columns, rows, caption="People against the judge", note=left), groups, Listed("", tuple(said))]


def annotator_words(section: JudgeSection) -> tuple[str, ...]:
    """The alternative annotator test in words."""
    test = section.found.replacement
    if test.omega is None or test.rho is None:
        return tuple(test.words)
    passed = {True: "it passes", False: "it does not pass", None: "descriptive only"}[test.passes]
    first = (
        f"Alternative annotator test, epsilon {test.epsilon:g} fixed beforehand: the judge may stand in for "
        f"{100 * test.omega:.0f} % of the people (omega), and is at least as close to the others as the one set "
        f"aside on {100 * test.rho:.0f} % of items (rho): {passed}."
    )
    return (first, *test.words)
