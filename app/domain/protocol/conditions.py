"""Conditions: what the controlled study takes away."""

from enum import StrEnum


class Condition(StrEnum):
    """One arm of the study (protocol section 5)."""

    FULL = "full"
    NO_PLAYBOOK = "no_playbook"
    NO_RED_TEAM = "no_red_team"
    SINGLE_PROMPT = "single_prompt"
    SINGLE_PROMPT_MATCHED = "single_prompt_matched"

    @property
    def has_departments(self) -> bool:
        """Whether departments write memos."""
        return self not in {Condition.SINGLE_PROMPT, Condition.SINGLE_PROMPT_MATCHED}

    @property
    def founder_revises(self) -> bool:
        """Whether one founder drafts, criticizes and revises in as many calls as ``full`` has players' calls."""
        return self is Condition.SINGLE_PROMPT_MATCHED

    @property
    def has_red_team(self) -> bool:
        """Whether a Red Team attacks."""
        return self in {Condition.FULL, Condition.NO_PLAYBOOK}

    @property
    def players_see_playbook(self) -> bool:
        """Whether lessons reach the players; the judge keeps a Playbook in every condition."""
        return self is not Condition.NO_PLAYBOOK
