"""Events of one's own are taken whole or refused by line, column and mend; so are the eras set among them."""

from datetime import date

import pytest

from app.domain.protocol.eras import MAX_EVENTS, Mode
from app.domain.world.events import Fate
from app.imports.own_events import LARGEST_EVENTS, OwnEventsError, read_own_eras, read_own_events

TODAY = date(2026, 11, 30)
HEAD = "date,domain,event,source\n"
ROW = "2026-03,ai,A maker sold a model.,The maker's page\n"


def read(text: str | bytes):
    content = text if isinstance(text, bytes) else text.encode()
    return read_own_events(content, domains={"ai", "network"}, known={("2026-01", "Known.")}, today=TODAY)


def test_events_are_read_with_their_fate_where_it_is_told():
    first, second = read(
        "date,domain,event,source,fate\r\n2026-03,ai,One.,S,\r\n2026-04-02,network,Two.,S,dominant\r\n"
    )
    assert (first.id, first.on, first.fate, first.confidence) == ("own-001", "2026-03", Fate.UNRESOLVED, "user")
    assert (second.domain, second.text, second.fate) == ("network", "Two.", Fate.DOMINANT)
    assert read("\ufeff" + HEAD + ROW)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "there is no event. Write a header"),
        (HEAD, "there is no event"),
        ("date,domain,event\n2026,ai,x\n", "line 1: column missing: source. Add it"),
        ("date,domain,event,source,layer\n2026-03,ai,x,s,l\n", "line 1: column layer is unknown"),
        ("date;domain;event;source\n2026;ai;x;s\n", "line 1: columns are separated by semicolons"),
        (HEAD + "2026-03,ai,x\n", "line 2: 3 cells"),
        (HEAD + "2026-3,ai,x,s\n", "line 2, date: “2026-3” is no date. Write YYYY"),
        (HEAD + "2026-02-30,ai,x,s\n", "line 2, date"),
        (HEAD + "2026,ai,x,s\n", "line 2, date: 2026 is not over"),
        (
            HEAD + "2026-03,cooking,x,s\n",
            "domain: “cooking” is no domain of the record. Write one of ai, network",
        ),
        (HEAD + "2026-03,ai,,s\n", "line 2, event: is empty"),
        (HEAD + f"2026-03,ai,{'x' * 601},s\n", "line 2, event: has more than 600"),
        (HEAD + ROW + ROW, "line 3, event: repeats line 2. Delete one"),
        (HEAD + "2026-01,ai,Known.,s\n", "line 2, event: is on record already"),
        ("date,domain,event,source,fate\n2026-03,ai,x,s,grand\n", "line 2, fate: “grand” is no fate"),
        ((HEAD + ROW).encode("utf-16"), "UTF-16"),
        (HEAD.encode() + b"2026-03,ai,\xff,s\n", "line 2: byte 0xff is not UTF-8"),
        (b"x" * (LARGEST_EVENTS + 1), "larger than 180 KB"),
        (HEAD + "".join(f"2026-03,ai,e{n},s\n" for n in range(MAX_EVENTS + 1)), "At most 500 are allowed"),
    ],
)
def test_what_does_not_fit_is_named_with_its_mend(content: str | bytes, words: str):
    with pytest.raises(OwnEventsError) as refused:
        read(content)
    assert words in str(refused.value)
    assert refused.value.field == "events"


def test_eras_are_lines_of_start_end_and_title():
    first, second = read_own_eras("2026-02-01, 2026-05-01, Spring, late\n\n2026-05-01 to 2026-08-01\n")
    assert (first.id, first.title, first.mode) == ("P1", "Spring, late", Mode.POST_CUTOFF)
    assert (second.id, second.start, second.end, second.title) == ("P2", date(2026, 5, 1), date(2026, 8, 1), "")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "write at least one era"),
        ("spring", "line 1: write start, end and title"),
        ("2026-02, 2026-08-01", "line 1: “2026-02” is no day"),
        ("2026-08-01, 2026-02-01", "line 1: the end 2026-02-01 must lie after"),
        ("2026-02-01, 2026-08-01\n2026-07-01, 2026-09-01", "line 2: the start 2026-07-01 lies before the end"),
    ],
)
def test_eras_that_do_not_follow_each_other_are_refused(text: str, words: str):
    with pytest.raises(OwnEventsError, match=words) as refused:
        read_own_eras(text)
    assert refused.value.field == "eras"
