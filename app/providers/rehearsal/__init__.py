"""The rehearsal voice: coherent texts in process, the same for the same seed, without a provider."""

from app.providers.rehearsal.voice import Rehearsal

__all__ = ["Rehearsal"]
