"""Board decisions: labelled fields or a few sentences of prose, and the dissents in either."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from app.imports.published.chains import chain_of
from app.imports.published.markdown import (
    first_of,
    items_of,
    joined,
    label_of,
    labelled_fields,
    plain,
    section_named,
    sections_of,
)
from app.imports.published.values import PublishedDecision, PublishedDissent

_NAMES: Mapping[str, str] = {
    "company": r"(company )?name|company",
    "identity": r"identity|one-line identity",
    "thesis": r"(reinvention )?thesis( chain)?",
    "end": r"kill|end",
    "keep": r"keep",
    "wedge": r"wedge( product)?|first product",
    "first_customer": r"first customer",
    "plan": r"(3|three)-year plan",
    "capital": r"capital( need)?",
    "stop_criteria": r"(kill|stop) criteria",
    "organization": r"org(anization)? changes",
    "dissents": r"dissent(s| log)?",
}
_VIA = re.compile(r"^(?P<who>.*?)\s*\((?:(?P<how>via|noted by|through)\s+(?P<via>[^)]+)|[^)]*)\)$")
_NEXT_DISSENT = re.compile(r"(?<=[.;])(?<!Dr\.)\s+(?=\*{0,2}[A-Z][\w. ]{2,40}(?:\s\([^)]*\))?:\*{0,2}\s)")
_DISSENT = re.compile(r"^(?:The )?(?P<who>[\w' ]+?)(?:’s|'s) dissent is (?:that )?(?P<why>.+)$", re.IGNORECASE)
_ARGUES = re.compile(r"^(?:The )?(?P<who>[\w' ]+?) (?P<why>(?:argues|argued|dissents|dissented)\b.+)$", re.IGNORECASE)


def parse_decision(text: str) -> PublishedDecision:
    """Read a decision in the full or the short prose form; fields it does not have are empty."""
    sections = sections_of(text)
    section = section_named(sections, r"^(\d+\.\s*)?decision\b")
    fields = labelled_fields(section.lines) if section else {}
    if first_of(fields, _NAMES["company"]):
        return _labelled_decision(text, fields)
    return _prose_decision(text, joined(line for each in sections for line in each.lines))


def _labelled_decision(text: str, fields: Mapping[str, tuple[str, ...]]) -> PublishedDecision:
    found = {name: first_of(fields, pattern) for name, pattern in _NAMES.items()}
    named = {name: joined(lines) for name, lines in found.items() if joined(lines)}
    known = re.compile("|".join(f"(?:{pattern})" for pattern in _NAMES.values()))
    others = {name: joined(lines) for name, lines in fields.items() if not known.fullmatch(name)}
    return PublishedDecision(
        text=text,
        company=_company(joined(found["company"])),
        identity=plain(joined(found["identity"])),
        chain=chain_of(found["thesis"]),
        end=items_of(found["end"]),
        keep=items_of(found["keep"]),
        stop_criteria=items_of(found["stop_criteria"]),
        dissents=tuple(_logged_dissent(item) for item in _dissent_items(found["dissents"])),
        fields={**named, **others},
    )


def _company(line: str) -> str:
    bold = re.search(r"\*\*(.+?)\*\*", line)
    return plain(bold[1]) if bold else re.sub(r"[.(].*$", "", line).strip()


def _dissent_items(lines: Sequence[str]) -> Sequence[str]:
    """A log has an item each; a single paragraph may name several people one after the other."""
    items = items_of(lines)
    return items if len(items) != 1 else _NEXT_DISSENT.split(items[0])


def _logged_dissent(item: str) -> PublishedDissent:
    label = label_of(item) or _unmarked_label(item)
    if label is None:
        return PublishedDissent("", None, plain(item))
    # label_of drops the aside "(via Tomas)", so it is read from the item itself.
    head = plain(item.split(":", 1)[0])
    mark = _VIA.match(head)
    who, via = (mark["who"], mark["via"]) if mark else (head, None)
    return PublishedDissent(who.strip(), via.strip() if via else None, plain(label[1]))


def _unmarked_label(item: str) -> tuple[str, str] | None:
    head, colon, rest = item.partition(":")
    return (head.strip(), rest.strip()) if colon and len(head) <= 80 else None


def _prose_decision(text: str, body: str) -> PublishedDecision:
    sentences = _sentences(body)
    bold = re.search(r"\*\*(.+?)\*\*", body)
    fields = {
        name: value
        for name, start in (("wedge", r"(?:wedge|first product)"), ("thesis", "thesis"), ("capital", "capital"))
        if (value := _after_label(sentences, start))
    }
    return PublishedDecision(
        text=text,
        company=plain(bold[1]) if bold else "",
        identity=plain(sentences[0]) if sentences else "",
        chain=chain_of([fields["thesis"]]) if "thesis" in fields else {},
        end=_clauses(sentences, r"stop\b"),
        keep=_clauses(sentences, r"keep\b"),
        stop_criteria=_clauses(sentences, r"kill\b"),
        dissents=_prose_dissents(sentences),
        fields=fields,
    )


def _sentences(body: str) -> list[str]:
    return [part.strip() for part in re.split(r"(?<=[.!?])\s+(?=[A-Z*])", body.replace("\n", " ")) if part.strip()]


def _after_label(sentences: Sequence[str], start: str) -> str | None:
    pattern = re.compile(rf"^{start}:\s*(.+)$", re.IGNORECASE)
    return next((mark[1] for sentence in sentences if (mark := pattern.match(sentence))), None)


def _clauses(sentences: Iterable[str], start: str) -> tuple[str, ...]:
    pattern = re.compile(rf"^{start}", re.IGNORECASE)
    parts = (part.strip() for sentence in sentences for part in sentence.split(";"))
    return tuple(plain(part) for part in parts if pattern.match(part))


def _prose_dissents(sentences: Iterable[str]) -> tuple[PublishedDissent, ...]:
    found = []
    for sentence in sentences:
        mark = _DISSENT.match(plain(sentence)) or _ARGUES.match(plain(sentence).split(";")[0])
        if mark:
            found.append(PublishedDissent(mark["who"].strip(), None, mark["why"].strip().rstrip(".")))
    return tuple(found)
