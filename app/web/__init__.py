"""Pages: the browser's door to the services, one router per noun."""
