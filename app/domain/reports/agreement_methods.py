"""How an agreement report is computed, in words with their sources."""

BANDS_NOTE = (
    "The words follow Krippendorff (2004) and are read off the lower limit of the interval, never off the estimate: "
    "from .800 on reliable, from .667 on good enough for tentative conclusions."
)
METHOD = (
    (
        "Intervals",
        (
            "95 %; delete-one-run jackknife with t(G − 1), on the Fisher z scale for coefficients, the log scale for "
            "SEM and mean differences, the logit scale for shares. None with fewer than six runs. The item bootstrap "
            "stands second: it ignores that decisions of one run belong together, and is too narrow."
        ),
    ),
    ("Alpha", "Krippendorff (2011): 1 − observed / expected disagreement; squared differences, or 0/1 for names."),
    ("ICC", "McGraw and Wong (1996), two-way; by REML where fewer than 90 % of rated items are complete."),
    ("Within 1, within 2", "Share of items whose ratings, of all raters, lie so close together."),
    ("SEM, SDD", "√(rater + residual variance); 1.96 · √2 · SEM (de Vet et al. 2006)."),
    ("AC1, AC2", "Gwet (2014) on the declared scale: values nobody gave count as possible."),
    ("Severity", "Rater effects in points, items random and raters fixed. Drift: slope on the place in the queue."),
    ("Limits of agreement", "Mean difference ∓ 1.96 standard deviations of the differences (Bland and Altman 1986)."),
    (
        "Composite",
        "The sum of a rater’s scores of an item, with statistics of its own; never an average of coefficients.",
    ),
    (
        "All decisions",
        "Weighted by the inverse of the inclusion probability, where items were drawn with unequal probabilities.",
    ),
    (
        "Judge",
        (
            "Never among the raters’ alpha. The ceiling compares judge and people with the same leave-one-out means. "
            "Alternative annotator test: Calderon, Reichart and Dror (2025), on run means, Benjamini-Yekutieli."
        ),
    ),
    ("Blinding", "Bang, Ni and Davis (2004): 0 for blind guessing, 1 for a mask that hid nothing."),
    ("Left out", "Second occasions (but for repeatability), training, skipped items and settled values never enter."),
)
