"""What one era is made of: artifacts, eras, layers, personas, rubrics, conditions, presets, prompts."""
