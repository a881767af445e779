"""Published runs: heading and label variants, proposals, and the published records themselves."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from app.imports.bundles import files_of_folder
from app.imports.published.decisions import parse_decision
from app.imports.published.memos import parse_memo
from app.imports.published.playbooks import parse_playbook
from app.imports.published.proposals import propose_exposure
from app.imports.published.reveals import parse_reveal
from app.imports.published.runs import parse_published_run
from app.imports.published.values import CHAIN_LINKS, ProposalKind, PublishedDissent, PublishedRun, PublishedRunError
from app.imports.score_files import ScoreFileError
from app.imports.scores import read_scores

SHARED = Path(__file__).parents[3] / "shared" / "published"

DECISION = """# Board Decision: Era E2 (January 1996)
## 1. Transcript highlights
**Ada Quill (Red Team):** Nobody pays for a directory.

## 2. DECISION (CEO)

**Company name:** **Alder Works** (formerly Birch).
**Identity:** *We connect the islands.*

**Reinvention thesis:**
{thesis}

**KILL:**
- The gateway line.
- Custom work.
**KEEP (assets to build):** the team; the address map.

**Wedge product:** *Alder Gateway*, a box.
**First customer:** a bank.

**3-year plan:**
- **1996:** ship.
{capital} $2M.

**Kill criteria** (pre-committed; the board may not waive them):
1. Fewer than 5 sites by March 1997.
2. A vendor bundles it.

**Reserved slot (5%):** optics.

**Dissent log:**
{dissents}
"""
BULLETS = """- **Capability:** cheap PCs.
- **Adoption:** offices.
- **Bottleneck:** islands.
- **Layer we own:** the gateway.
- **Data:** the address map.
- **Next capability:** a directory."""
ARROWS = (
    "cheap PCs (capability) → offices (adoption) → islands (bottleneck) → **we own the gateway** (layer) "
    "→ the address map (data) → a directory (next capability)."
)
LOG = """- **Ada Quill:** It is a bridge.
- **Dr. Bo Reed and Cy Lane (via Tomas):** The Web is larger."""
PARAGRAPH = "Ada Quill: It is a bridge. Dr. Bo Reed and Cy Lane (via Tomas): The Web is larger."
DISSENTS = (
    PublishedDissent("Ada Quill", None, "It is a bridge."),
    PublishedDissent("Dr. Bo Reed and Cy Lane", "Tomas", "The Web is larger."),
)


@pytest.mark.parametrize("thesis", [BULLETS, ARROWS], ids=["bullets", "arrows"])
@pytest.mark.parametrize("dissents", [LOG, PARAGRAPH], ids=["log", "paragraph"])
@pytest.mark.parametrize("capital", ["**Capital:**", "**Capital need:**"])
def test_decisions_are_read_in_their_variants(thesis: str, dissents: str, capital: str):
    found = parse_decision(DECISION.format(thesis=thesis, dissents=dissents, capital=capital))

    assert found.company == "Alder Works"
    assert found.identity == "We connect the islands."
    assert tuple(found.chain) == CHAIN_LINKS
    assert found.chain["bottleneck"].startswith("islands")
    assert found.end == ("The gateway line.", "Custom work.")
    assert found.keep == ("the team; the address map.",)
    assert found.stop_criteria == ("Fewer than 5 sites by March 1997.", "A vendor bundles it.")
    assert found.fields["capital"] == "$2M."
    assert found.fields["reserved slot"] == "optics."
    assert found.dissents == DISSENTS


def test_a_decision_in_prose_gives_what_its_sentences_say():
    found = parse_decision(
        "# E9 board decision\n\n**Alder** becomes a warranty house. Wedge: one credit; small. Keep the records; stop "
        "selling tools. Kill if nobody pays. The Red Team’s dissent is that policies already cover it. The scientist "
        "argues for a general model; others disagree."
    )

    assert found.company == "Alder"
    assert found.fields["wedge"] == "one credit; small."
    assert found.keep == ("Keep the records",)
    assert found.end == ("stop selling tools.",)
    assert found.stop_criteria == ("Kill if nobody pays.",)
    assert [(each.who, each.why) for each in found.dissents] == [
        ("Red Team", "policies already cover it"),
        ("scientist", "argues for a general model"),
    ]


def table(header: str, mark: str) -> str:
    names = ("Frontier accuracy", "Timing", "Layer choice", "Reinvention courage", "Hindsight leakage")
    rows = [f"| {name} | {mark}{i}{mark} | Because {i}. |" for i, name in enumerate(names, start=3)]
    return "\n".join(
        [
            "# The Record — Reveal & Score, Era E1 (Jan 1990 – Dec 1995)",
            f"| Criterion | Score | {header} |",
            "|---|---|---|",
            *rows,
        ]
    )


@pytest.mark.parametrize("header", ["Justification", "Rationale", "Reason"])
@pytest.mark.parametrize("mark", ["**", ""])
def test_scores_are_read_from_a_table(header: str, mark: str):
    found = parse_reveal(table(header, mark) + "\n\n**Overall era score: 55/100**\n")

    assert {name: score.value for name, score in found.scores.items()} == {
        "frontier_accuracy": 3,
        "timing": 4,
        "layer_choice": 5,
        "reinvention_courage": 6,
        "hindsight_leakage": 7,
    }
    assert found.scores["timing"].reason == "Because 4."
    assert found.typed_total == 55
    assert found.window == "Jan 1990 – Dec 1995"


def test_scores_are_read_from_a_sentence():
    found = parse_reveal(
        "# E1 reveal and score — 1990–1995\n\n**Scores:** frontier 7, timing 6, layer 5, courage 6, hindsight "
        "protection 6; total **60/100**. Fair. **Lesson [E1]:** sell now.\n"
    )

    assert [score.value for score in found.scores.values()] == [7, 6, 5, 6, 6]
    assert found.typed_total == 60
    assert found.lessons == ("sell now.",)


def test_a_score_beyond_ten_is_no_score():
    found = parse_reveal(table("Reason", "").replace("| 3 |", "| 13 |"))

    assert "frontier_accuracy" not in found.scores
    assert found.typed_total is None


def test_playbooks_keep_tags_and_revisions():
    lessons = parse_playbook(
        "# PLAYBOOK\n(Empty at founding.)\n\n## [E1] Lessons\n"
        "- [E1] **Bridges expire.** Date it. *(Revised E2: price it flat.)*\n"
        "- [E1 note] Tested.\n- **[E3/E4]** Both.\n- [E7-forecast] Later.\n\n## E5\n1. **Untagged.** Text.\n"
    )

    assert [lesson.tag for lesson in lessons] == ["E1", "E1 note", "E3/E4", "E7-forecast", "E5"]
    assert lessons[0].text == "**Bridges expire.** Date it."
    assert lessons[0].revisions == ("Revised E2: price it flat.",)
    assert [lesson.is_note for lesson in lessons] == [False, True, False, False, False]
    assert parse_playbook("") == ()


def test_theses_are_read_under_headings_and_under_bold_lines():
    heading = f'## RECOMMENDATION\n### Thesis A (lead): "Gateways"\n{BULLETS}\n- **Why now:** cheap. **Wedge:** a box.'
    bold = (
        f"## RECOMMENDATION\n**Thesis A: Gateways (Yuki)**\n- *Chain:* {ARROWS}\n- *Why now:* cheap.\n- *Wedge:* a box."
    )

    for text in (heading, bold):
        (thesis,) = parse_memo("product_engineering", text).theses
        assert (thesis.label, thesis.title) == ("A", "Gateways")
        assert tuple(thesis.chain) == CHAIN_LINKS
        assert thesis.fields == {"why_now": "cheap.", "wedge": "a box."}


def test_one_text_may_answer_several_questions():
    text = "## RECOMMENDATION\n### Thesis B\n- **Why now / wedge / first customer:** spam rises."

    (thesis,) = parse_memo("market_capital", text).theses
    assert set(thesis.fields) == {"why_now", "wedge", "first_customer"}


def test_reused_company_names_are_evidence_of_exposure():
    (proposal,) = propose_exposure(
        ["Switchyard", "Vectorial"], {"run-001": ["Switchyard Systems", "Clearline"], "run-009": ["Other"]}
    )

    assert proposal.kind is ProposalKind.EXPOSURE
    assert proposal.evidence == ("company names of run-001 are used again: Switchyard",)
    assert propose_exposure(["Alder"], {"run-001": ["Birch"]}) == ()


def small_run(**changes: bytes) -> dict[str, bytes]:
    files = {
        "playbook.md": b"- [E1] One.\n",
        "eras/E1/reveal.md": (table("Reason", "") + "\nTotal: 50/100").encode(),
        "eras/E1/board_decision.md": DECISION.format(thesis=BULLETS, dissents=LOG, capital="**Capital:**").encode(),
    }
    return files | {name.replace("__", "/"): content for name, content in changes.items()}


def test_what_is_absent_or_strange_is_listed():
    run = parse_published_run({**small_run(), "notes.txt": b"x", "eras/E1/extra.md": b"y"}, "run-x")

    assert [(each.path, each.what) for each in run.unparsed] == [
        ("eras/E1/extra.md", "kept as text"),
        ("notes.txt", "a file the layout does not know; not read"),
        ("eras/E1", "the folder has no briefing, memos"),
    ]
    assert run.texts["eras/E1/extra.md"] == "y"


def test_line_ends_do_not_matter():
    crlf = {path: content.replace(b"\n", b"\r\n") for path, content in small_run().items()}

    assert parse_published_run(crlf, "run-x") == parse_published_run(small_run(), "run-x")


def test_scores_that_differ_from_the_table_are_listed():
    scores = (
        "era,mode,company,total,frontier_accuracy,timing,layer_choice,reinvention_courage,hindsight_leakage\n"
        "E1,training,Alder Works,51,3,4,5,6,8\n"
    )
    run = parse_published_run({**small_run(), "scores.csv": scores.encode()}, "run-x")

    assert [each.what for each in run.unparsed[-2:]] == [
        "its subscores differ from those in scores.csv",
        "its total is 50, in scores.csv it is 51",
    ]


def test_parts_that_cannot_be_told_are_listed():
    bare = {
        "eras/E2/reveal.md": b"# Reveal\nNothing.",
        "eras/E2/board_decision.md": b"# Decision\nWe wait.",
        "eras/E2/memo_market.md": b"## RECOMMENDATION\n### Thesis A: Only\n- **Wedge:** x",
        "eras/E2/world_briefing.md": b"# Briefing\n## State\n- One.\n",
    }
    whats = [each.what for each in parse_published_run(bare, "run-x").unparsed]

    assert "no tagged lesson was found" in whats
    assert "1 theses were found, two are expected" in whats
    assert any(what.startswith("thesis A does not say: capability") for what in whats)
    assert any(what.startswith("not found as a part of its own: company, thesis chain") for what in whats)
    assert "0 subscores were found, five are expected" in whats
    assert "no typed total was found" in whats


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"readme.txt": b"x"}, "no eras/E1"),
        ({**small_run(), "eras/E1/reveal.md": b"ok\nbad \xff"}, r"eras/E1/reveal.md, line 2: not UTF-8"),
    ],
)
def test_what_is_no_published_run_is_refused(files: dict[str, bytes], message: str):
    with pytest.raises(PublishedRunError, match=message):
        parse_published_run(files, "run-x")


def test_a_document_beyond_a_few_pages_is_refused():
    with pytest.raises(PublishedRunError, match=r"roster\.md: larger than 1 MB"):
        parse_published_run({**small_run(), "roster.md": b"x" * (2**20 + 1)}, "run-x")


@given(st.text("# -*[]():|→E1.\n0aThesisDECISION", max_size=200))
def test_whatever_a_document_says_is_kept(text: str):
    names = ("board_decision.md", "reveal.md", "memo_market.md", "world_briefing.md", "red_team.md")
    files = {f"eras/E1/{name}": text.encode() for name in names}

    assert parse_published_run({**files, "playbook.md": text.encode()}, "run-x").texts["playbook.md"] == text


def test_a_bad_score_table_refuses_the_whole_run():
    with pytest.raises(ScoreFileError, match=r"scores\.csv, line 1"):
        parse_published_run({**small_run(), "scores.csv": b"era\nE1\n"}, "run-x")


@pytest.mark.shared
@pytest.mark.skipif(not SHARED.is_dir(), reason="the published records are not at ../shared/published")
class TestPublished:
    @pytest.fixture
    def first(self) -> PublishedRun:
        return parse_published_run(files_of_folder(SHARED / "runs" / "run-001"), "run-001")

    @pytest.fixture
    def third(self) -> PublishedRun:
        return parse_published_run(files_of_folder(SHARED / "runs" / "run-003"), "run-003")

    def test_all_documents_of_the_first_runs_four_eras_are_read(self, first: PublishedRun):
        assert [era.era for era in first.eras] == ["E1", "E2", "E3", "E6"]
        for era in first.eras:
            assert era.briefing
            assert len(era.briefing.sections) >= 5
            assert all(items for _, items in era.briefing.sections)
            assert len(era.memos) == 3
            assert era.decision
            assert era.reveal

    def test_every_thesis_has_its_whole_chain(self, first: PublishedRun):
        theses = [thesis for era in first.eras for memo in era.memos for thesis in memo.theses]

        assert len(theses) == 24
        assert all(tuple(thesis.chain) == CHAIN_LINKS and all(thesis.chain.values()) for thesis in theses)
        assert all(memo.lessons and memo.uncertain for era in first.eras for memo in era.memos)

    def test_every_decision_has_its_parts(self, first: PublishedRun):
        companies = [era.decision.company for era in first.eras if era.decision]

        assert companies == ["Switchyard Systems", "Manifest Networks", "Ledgerline", "Clearproof"]
        for era in first.eras:
            assert era.decision
            assert tuple(era.decision.chain) == CHAIN_LINKS
            assert len(era.decision.stop_criteria) in {4, 5}
            assert era.decision.fields["capital"]

    def test_every_dissent_is_read_with_who_reported_it(self, first: PublishedRun):
        dissents = {era.era: era.decision.dissents for era in first.eras if era.decision}

        assert [len(found) for found in dissents.values()] == [5, 5, 5, 3]
        assert [(each.who, each.via) for each in dissents["E1"]] == [
            ("Victor Hale", None),
            ("Dr. Lena Okafor", None),
            ("Arjun Mehta", "Tomas"),
            ("Leo Mbeki", "Dev"),
            ("Tomas Weil", None),
        ]
        assert [each.who for each in dissents["E6"]] == ["Jonah", "Carmen", "Samuel"]
        assert all(each.why for found in dissents.values() for each in found)

    def test_the_six_reveals_agree_with_the_unified_table(self, first: PublishedRun, third: PublishedRun):
        unified = {(era.run, era.era): era for era in read_scores(SHARED / "all_runs_scores.csv").eras}
        reveals = [(run.run, era.era, era.reveal) for run in (first, third) for era in run.eras if era.reveal]

        assert len(reveals) == 6
        for run, era, reveal in reveals:
            listed = unified[run, era]
            assert {name: score.value for name, score in reveal.scores.items()} == dict(listed.subscores)
            assert reveal.typed_total == listed.typed_total

    def test_the_playbook_keeps_its_tags_and_revisions(self, first: PublishedRun):
        tags = [lesson.tag for lesson in first.playbook]

        assert len(tags) == 45
        assert {"E1", "E1 note", "E6", "E6 note", "E7-forecast", "E9-forecast"} <= set(tags)
        assert sum(lesson.is_note for lesson in first.playbook) == 6
        assert [lesson.revisions[0].split(":")[0][:10] for lesson in first.playbook if lesson.revisions] == [
            "Revised E2",
            "Extended E",
            "Revises [E",
            "Refines [E",
            "Refines [E",
        ]

    def test_the_sixth_era_is_proposed_as_an_intervention(self, first: PublishedRun):
        found = [each for each in first.proposals if each.kind is ProposalKind.INTERVENTION]

        assert [each.era for each in found] == ["E6"]
        assert any("run by the lab orchestrator directly" in line for line in found[0].evidence)
        assert any("written by the orchestrator" in line for line in found[0].evidence)
        assert not [each for each in first.proposals if each.kind is ProposalKind.EXPOSURE]

    def test_the_third_runs_exposure_window_and_context_are_proposed(self, third: PublishedRun):
        found = {each.kind: each for each in third.proposals}

        assert "Probable exposure to Run 001" in found[ProposalKind.EXPOSURE].evidence[0]
        assert found[ProposalKind.WINDOW].era == "E6"
        assert "own text" in found[ProposalKind.SHARED_CONTEXT].statement
        assert ProposalKind.SAMPLING in found
        assert third.scores
        assert len(third.scores.eras) == 9

    def test_reused_names_show_the_second_and_fourth_runs_exposure(self):
        names: dict[str, list[str]] = {}
        for era in read_scores(SHARED / "all_runs_scores.csv").eras:
            names.setdefault(era.run, []).append(era.company)
        earlier = {"run-001": names["run-001"]}

        assert (
            "Switchyard, Manifest, Ledgerline, Clearline" in propose_exposure(names["run-002"], earlier)[0].evidence[0]
        )
        assert propose_exposure(names["run-004"], earlier)
        assert propose_exposure(names["run-003"], earlier) == ()

    def test_the_list_of_what_was_not_parsed_is_short(self, first: PublishedRun, third: PublishedRun):
        assert len(first.unparsed) <= 6
        assert len(third.unparsed) <= 8
        assert not [each for each in third.unparsed if "differ" in each.what]
