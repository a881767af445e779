"""An upload in the published layout: a score table, one run, or a folder of runs and tables; read whole or refused."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import PurePosixPath

from app.domain.scoring.scored_eras import ScoredEra
from app.imports.bundles import LARGEST_UPLOAD, BundleError, files_of_zip
from app.imports.published.proposals import propose_exposure
from app.imports.published.runs import parse_published_run
from app.imports.published.values import (
    Proposal,
    ProposalKind,
    PublishedRun,
    PublishedRunError,
    Unparsed,
)
from app.imports.scores import ScoreTable, parse_scores

LARGEST_TEXTS = 50 * 2**20
MOST_RUNS = 100
_IN_ERA = re.compile(r"^(?P<run>.*?)/?eras/E\d+/[^/]+$")
SCORES_ONLY = "Sampling settings, seeds and model versions are unknown: only scores were published."


@dataclass(frozen=True, slots=True)
class FoundRun:
    """One run of an upload: its scored eras, its documents if it has any, and what an operator has to decide."""

    run: str
    eras: tuple[ScoredEra, ...]
    documents: PublishedRun | None
    proposals: tuple[Proposal, ...]
    unparsed: tuple[Unparsed, ...]


@dataclass(frozen=True, slots=True)
class FoundUpload:
    """Everything an upload holds; ``texts`` are the files that were read, ``unread`` those that were not."""

    file: str
    fingerprint: str
    runs: tuple[FoundRun, ...]
    notes: tuple[str, ...]
    unread: tuple[str, ...]
    texts: Mapping[str, str]


def unpack_upload(content: bytes, file: str) -> dict[str, bytes]:
    """The files of an upload that can be read: documents and tables. Raises BundleError."""
    if len(content) > LARGEST_UPLOAD:
        raise BundleError(file, "is larger than 200 MB", "Upload one run at a time")
    name = PurePosixPath(file.replace("\\", "/")).name or "upload"
    files = {name: content} if name.casefold().endswith(".csv") else files_of_zip(content, file)
    if not files:
        raise BundleError(file, "holds no file", "Upload a run's folder as a zip file, or a score table as CSV")
    return files


def read_upload(files: Mapping[str, bytes], file: str, *, mend: bool = False) -> FoundUpload:
    """Read all runs and tables. Raises PublishedRunError or ScoreFileError, naming file, line and mend.

    Documents belong to the folder above their `eras`; a table with a `run` column may cover any run, a run's own
    `scores.csv` covers that run; other tables are listed as not read, unless the upload is one table alone.
    """
    folders = sorted({found["run"] for path in files if (found := _IN_ERA.match(path))})
    tables, unread = _tables(files, folders, mend=mend)
    by_run = _eras_by_run(tables)
    documents = _documents(files, folders, file, by_run, mend=mend)
    names = list(dict.fromkeys([*documents, *by_run]))
    if not names:
        raise PublishedRunError(
            f"{file}: there is no run in it: neither eras/E1/... nor a score table. Upload a run's folder as a zip "
            "file, or a score table as CSV."
        )
    if len(names) > MOST_RUNS:
        raise PublishedRunError(f"{file}: {len(names)} runs are in it. At most {MOST_RUNS} are read at a time.")
    unread |= {path for path in files if not _is_text(path) or not (path in tables or _in_any(path, folders))}
    read = {path: content for path, content in files.items() if path not in unread}
    if sum(map(len, read.values())) > LARGEST_TEXTS:
        raise PublishedRunError(f"{file}: its texts are larger than 50 MB. Upload one run at a time.")
    return FoundUpload(
        file=file,
        fingerprint=_fingerprint(read, folders, mend=mend),
        runs=tuple(_found_runs(sorted(names), documents, by_run)),
        notes=tuple(dict.fromkeys(note for table in tables.values() for note in table.notes)),
        unread=tuple(sorted(unread)),
        texts={path: content.decode("utf-8-sig") for path, content in read.items()},
    )


def _tables(
    files: Mapping[str, bytes], folders: Sequence[str], *, mend: bool
) -> tuple[dict[str, ScoreTable], set[str]]:
    tables: dict[str, ScoreTable] = {}
    unread: set[str] = set()
    own = {f"{folder}/scores.csv".lstrip("/") for folder in folders}
    paths = [path for path in files if path.casefold().endswith(".csv") and path not in own]
    for path in sorted(paths):
        if len(files) > 1 and not _names_runs(files[path]):
            unread.add(path)
        else:
            tables[path] = parse_scores(files[path], path, mend=mend)
    return tables, unread


def _names_runs(content: bytes) -> bool:
    header = content.lstrip(b"\xef\xbb\xbf").split(b"\n", 1)[0].decode("utf-8", "replace").casefold()
    return "run" in {cell.strip().strip('"') for cell in header.split(",")}


def _eras_by_run(tables: Mapping[str, ScoreTable]) -> dict[str, tuple[ScoredEra, ...]]:
    found: dict[str, dict[str, tuple[str, ScoredEra]]] = {}
    for path, table in tables.items():
        for era in table.eras:
            seen = found.setdefault(era.run, {}).setdefault(era.era, (path, era))
            if seen[1] != era:
                raise PublishedRunError(
                    f"{path}: {era.run} {era.era} has other scores than in {seen[0]}. Leave one of the tables out."
                )
    return {run: tuple(era for _, era in eras.values()) for run, eras in found.items()}


def _documents(
    files: Mapping[str, bytes],
    folders: Sequence[str],
    file: str,
    by_run: dict[str, tuple[ScoredEra, ...]],
    *,
    mend: bool,
) -> dict[str, PublishedRun]:
    found: dict[str, PublishedRun] = {}
    for folder in folders:
        name = PurePosixPath(folder).name or PurePosixPath(file).stem
        if name in found:
            raise PublishedRunError(f"{folder}: a run named {name} is in another folder too. Rename one of them.")
        inside = {path[len(folder) :].lstrip("/"): content for path, content in files.items() if _below(path, folder)}
        found[name] = _checked(parse_published_run(inside, name, mend=mend), by_run)
    return found


def _checked(run: PublishedRun, by_run: dict[str, tuple[ScoredEra, ...]]) -> PublishedRun:
    """The run, with its own table's scores where no other table has them, and every disagreement listed."""
    listed = {era.era: era for era in by_run.get(run.run, ())}
    for era in run.scores.eras if run.scores else ():
        if era.era in listed and listed[era.era].subscores != era.subscores:
            raise PublishedRunError(
                f"{run.run}/scores.csv: {era.era} has other scores than the score table. Leave one of them out."
            )
        listed.setdefault(era.era, era)
    by_run[run.run] = tuple(sorted(listed.values(), key=lambda era: era.index))
    differs = [
        Unparsed(f"eras/{era.era}/reveal.md", "its subscores differ from the score table's")
        for era in run.eras
        if era.reveal
        and len(era.reveal.scores) == 5
        and era.era in listed
        and {name: score.value for name, score in era.reveal.scores.items()} != dict(listed[era.era].subscores)
    ]
    known = {(one.path, one.what) for one in run.unparsed}
    return replace(run, unparsed=(*run.unparsed, *(one for one in differs if (one.path, one.what) not in known)))


def _found_runs(
    names: Sequence[str], documents: Mapping[str, PublishedRun], by_run: Mapping[str, Sequence[ScoredEra]]
) -> list[FoundRun]:
    earlier: dict[str, list[str]] = {}
    found = []
    for name in names:
        run, eras = documents.get(name), tuple(by_run.get(name, ()))
        companies = [era.company for era in eras] or [
            era.decision.company for era in (run.eras if run else ()) if era.decision
        ]
        found.append(
            FoundRun(
                run=name,
                eras=eras,
                documents=run,
                proposals=_proposals(run, propose_exposure(companies, earlier)),
                unparsed=run.unparsed if run else (),
            )
        )
        earlier[name] = companies
    return found


def _proposals(run: PublishedRun | None, exposure: tuple[Proposal, ...]) -> tuple[Proposal, ...]:
    """The run's own proposals, with company names that earlier runs used as further evidence of exposure."""
    if run is None:
        return (*exposure, Proposal(ProposalKind.SAMPLING, None, SCORES_ONLY, ()))
    if not exposure:
        return run.proposals
    own = next((one for one in run.proposals if one.kind is ProposalKind.EXPOSURE), None)
    if own is None:
        return (*run.proposals, *exposure)
    joined = replace(own, evidence=(*own.evidence, *exposure[0].evidence))
    return tuple(joined if one is own else one for one in run.proposals)


def _below(path: str, folder: str) -> bool:
    return not folder or path.startswith(f"{folder}/")


def _in_any(path: str, folders: Sequence[str]) -> bool:
    return any(_below(path, folder) for folder in folders)


def _is_text(path: str) -> bool:
    return path.casefold().endswith((".md", ".csv"))


def _fingerprint(files: Mapping[str, bytes], folders: Sequence[str], *, mend: bool) -> str:
    """The same for a run alone whether its folder is packed or what lies in it."""
    around = folders[0] if len(folders) == 1 and all(_below(path, folders[0]) for path in files) else ""
    inside = {path[len(around) :].lstrip("/"): content for path, content in files.items()}
    lines = [f"{path} {hashlib.sha256(content).hexdigest()}" for path, content in sorted(inside.items())]
    return hashlib.sha256("\n".join([f"mend {mend}", *lines]).encode()).hexdigest()
