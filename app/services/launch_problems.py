"""What speaks against launching a design with the models it names, and what is to be known before."""

from datetime import UTC, datetime

from app.domain.protocol.eras import Mode
from app.domain.protocol.post_cutoff import post_cutoff_problems
from app.domain.protocol.presets import Briefings
from app.domain.study import ModelChoice, StudyDesign
from app.library.reader import anchor_sets
from app.services.errors import RefusedError
from app.services.registry import model_entry, registered_model
from app.settings import SettingsProblem, provider_key


class UnfitModelsError(RefusedError):
    """A design asks of a model what it cannot do."""


def refuse_unfit(design: StudyDesign) -> None:
    """Raise UnfitModelsError, naming each field and its mend, if a model cannot do what the design asks."""
    problems = launch_problems(design)
    if problems:
        raise UnfitModelsError("\n".join(f"{field}: {words}" for field, words in problems))


def launch_problems(design: StudyDesign) -> tuple[tuple[str, str], ...]:
    """What keeps a design from being launched, by field. Raises UnknownModelError."""
    found = [
        ("further_judges", f"{one.anchors} is no set of anchors; choose one of {', '.join(anchor_sets())}")
        for one in design.further_judges
        if one.anchors not in anchor_sets()
    ]
    for field, choice in _roles(design):
        model = registered_model(choice.model)
        if model.retired:
            found.append((field, f"{choice.model} is retired; choose another model, or have an admin offer it again"))
        if choice.version not in {None, model.entry.wire_model}:
            words = (
                f"the design fixes {choice.model} as {choice.version}, the registry has {model.entry.wire_model} now"
            )
            found.append((field, f"{words}; take version out of the study file, or have an admin register that one"))
        if choice.temperature is not None and not model.entry.features.temperature:
            words = f"{choice.model} takes no temperature, and the design fixes it at {choice.temperature:g}"
            found.append((field, f"{words}; leave the temperature of this model out"))
    found += [("author", words) for words in _author_problems(design)]
    cutoffs = {player.model: model_entry(player.model).training_cutoff for player in design.players}
    today = datetime.now(UTC).date()
    found += [("schedules", words) for words in post_cutoff_problems(design.schedules, cutoffs, today)]
    return tuple(found)


def _author_problems(design: StudyDesign) -> tuple[str, ...]:
    """What speaks against the model that writes all briefings; in the pilot the judge writes them, as published."""
    if design.preset.judge_writes_next_briefing or design.briefings is Briefings.DRAWN:
        return ()
    others = {design.judge.model: "the judge", **{player.model: "a player" for player in design.players}}
    if design.author.model not in others:
        return ()
    words = f"{design.author.model} is {others[design.author.model]} of this study too"
    return (
        f"{words}; briefings are written by a model that is neither, so choose another, or briefings drawn by code",
    )


def launch_notes(design: StudyDesign) -> tuple[str, ...]:
    """What does not keep a design from being launched, but should be known before."""
    chosen = {choice.model: model_entry(choice.model) for _, choice in _roles(design)}
    unset = [name for name, entry in chosen.items() if not entry.features.temperature]
    notes = [f"{name} takes no temperature: its provider’s own setting is used." for name in unset]
    is_live = any(era.mode is Mode.LIVE for era in design.eras)
    judges = (design.judge, *(one.judge for one in design.further_judges))
    if is_live and not all(chosen[judge.model].features.web_search for judge in judges):
        notes.append("A judge cannot search the web: live eras are audited from what it knows, and the calls say so.")
    keys = dict.fromkeys(entry.key_variable for entry in chosen.values() if entry.key_variable)
    missing = [name for name in keys if not key_is_set(name)]
    notes += [f"{name} is not set here; without it, the workers’ calls will be refused." for name in missing]
    return tuple(notes)


def key_is_set(variable: str) -> bool:
    """Whether the environment of this process holds a key of that name."""
    try:
        return provider_key(variable) is not None
    except SettingsProblem:
        return False


def _roles(design: StudyDesign) -> tuple[tuple[str, ModelChoice], ...]:
    players = [("players", player) for player in design.players]
    further = [("further_judges", one.judge) for one in design.further_judges]
    return (*players, ("judge", design.judge), ("author", design.author), *further)
