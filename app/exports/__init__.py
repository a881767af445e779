"""What leaves the application: plots, tables and files."""
