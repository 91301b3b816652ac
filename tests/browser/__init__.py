"""The pages that people read, opened in a real browser: ``make test-pages``."""
