"""The methods of every report: what is measured and how, in words and formulas, with their sources."""

from app.domain.reports.blocks import Facts, Prose, Section

PROTOCOL = (
    (
        "One simulated company, voiced by personas that language models play, lives through the eras of a schedule. "
        "In each it reads a dated briefing, writes memos, meets a Red Team where the condition has one, decides, is "
        "judged, and carries lessons forward in a Playbook. The judge is a model of another family than the players "
        "unless the design states an exception; in the controlled preset it sees the same packet in every condition, "
        "and totals are computed from its subscores and never typed."
    ),
    (
        "Players and judge know history. Scores may therefore reward recall: the hindsight subscore, the leakage "
        "audit and fictional eras are there to tell foresight from recall, and a score is not to be read without "
        "them."
    ),
)

MEASURES = (
    (
        "Mechanical total",
        "T̃ = 2 · Σ of the five subscores, 0 to 100.",
    ),
    (
        "Controlled total",
        "T* = 2.5 · Σ of The Record’s four subscores other than hindsight leakage, 0 to 100.",
    ),
    (
        "Typed total",
        "T, where a judge wrote one; shown beside T̃ and never in its place.",
    ),
    (
        "Gap",
        "G = frontier accuracy − layer choice, −10 to 10: what was seen less what was committed to.",
    ),
    (
        "Slope",
        "Least squares of the total on the era’s place in the schedule, points an era.",
    ),
    (
        "SD",
        "n − 1 in the denominator.",
    ),
    (
        "Frontier capture",
        "Mean of 1 where the layer chosen is where value pooled, 0.5 one edge away in the layer graph, else 0.",
    ),
    (
        "Pivots",
        "Transitions between adjoining eras with another normalized company name.",
    ),
    (
        "Dissent accuracy",
        "Vindicated / (vindicated + refuted); the unresolved are counted and shown.",
    ),
    (
        "Caution index",
        "Share of decisions that defer all building behind a gate, by the writer’s own label.",
    ),
)

INFERENCE = (
    (
        "H1, H2, H5",
        (
            "Statistics of runs; labels permuted within replicate × player model; one-sided; exact where the count "
            "allows, else Monte Carlo with the seed of the design (Phipson and Smyth 2010)."
        ),
    ),
    (
        "H3",
        "Two one-sided tests on run means against the margin fixed beforehand (Schuirmann 1987).",
    ),
    (
        "H4",
        "Exact sign-flip test over runs in each condition (Fisher 1935); the largest p counts.",
    ),
    (
        "Multiplicity",
        "Holm’s step-down adjustment over all six (Holm 1979).",
    ),
    (
        "Intervals",
        "Delete-one-run jackknife with t on a suitable scale (Efron and Stein 1981); none for fewer than six runs.",
    ),
    (
        "Sensitivity",
        "Every analysis with and without eras and runs that carry an intervention.",
    ),
    (
        "Scales",
        ("Scores of The Record and of The Auditor are never averaged or compared, nor raw levels of different modes."),
    ),
)

LEAKAGE = (
    (
        "Probes",
        (
            "Vocabulary: terms first used after the era’s start. Dates: later dates stated as fact. Entities: names "
            "that occur only in the outcome window. Rates are hits per 1,000 words of players’ documents; what is not "
            "sure waits for a person and enters no rate. Precision and recall on planted leaks stand with the rates."
        ),
    ),
    (
        "Selection",
        (
            "Facts of fate “dominant” in a briefing against draws from the same strata: excess is share less expected "
            "share; p from the exact convolution of hypergeometric counts, randomized (Lehmann and Romano 2005)."
        ),
    ),
    (
        "Recall",
        "Forced choice of four on the outcome window, outside any run; binomial p against 1/4, one-sided. Descriptive.",
    ),
    (
        "Capture without recall",
        "Capture on historical eras less that on fictional and post-cutoff ones; Welch’s t on run means.",
    ),
    (
        "Checks of the judge",
        (
            "Paired scores, averaged by run; delete-one-run jackknife; exact sign-flip tests over runs. Retest: SD "
            "within a decision, repeatability 1.96 · √2 · SD (Bland and Altman 1999). Self-preference: a difference of "
            "differences, by permutation of which texts are own. Marked fictional eras: Clopper and Pearson (1934). "
            "Guesses: binomial p against chance, and Bang’s index (Bang, Ni and Davis 2004)."
        ),
    ),
)

PROVENANCE = (
    "Every call is kept with its exact request and response, settings, template hashes and token counts. Each run’s "
    "ledger is a chain of SHA-256 hashes over everything that happened to it, interventions included; nothing in it "
    "can be changed or taken out without breaking the chain. The head of a ledger, printed above, names all of it."
)


def methods_section() -> Section:
    """The methods, the same for every study."""
    return Section(
        "Methods",
        (
            Prose(PROTOCOL),
            Facts(MEASURES),
            Facts(INFERENCE),
            Facts(LEAKAGE),
            Prose((PROVENANCE,), "Provenance."),
        ),
    )
