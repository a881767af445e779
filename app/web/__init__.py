"""The browser's door: one router per noun."""
