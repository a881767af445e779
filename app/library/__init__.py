"""The protocol as data: eras, layers, personas, rubrics, prompts, world record."""
