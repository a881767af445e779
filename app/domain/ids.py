"""Names of things: one NewType per noun, so that a run's id is never taken for a study's."""

from typing import NewType
from uuid import UUID

UserId = NewType("UserId", UUID)
StudyId = NewType("StudyId", UUID)
RunId = NewType("RunId", UUID)
StepId = NewType("StepId", UUID)
CallId = NewType("CallId", UUID)
ArtifactId = NewType("ArtifactId", UUID)
InterventionId = NewType("InterventionId", UUID)
PanelId = NewType("PanelId", UUID)
RaterId = NewType("RaterId", UUID)
PanelItemId = NewType("PanelItemId", UUID)
AssignmentId = NewType("AssignmentId", UUID)

StepKey = NewType("StepKey", str)
"""A step's name inside its run, such as ``E3/memo/market_capital``; unique there."""

LessonId = NewType("LessonId", str)
"""A lesson's name in its Playbook, such as ``E4-3``."""
