"""A local HTTP server that speaks the providers' APIs and, by a script, misbehaves as they do."""

from app.providers.fake_server.faults import Fault, Rule, Script
from app.providers.fake_server.running import FakeProvider, fake_provider

__all__ = ["FakeProvider", "Fault", "Rule", "Script", "fake_provider"]
