"""The dated world: events, briefings drawn from them, invented histories."""
