"""What runs on the organiser's machine only; no bundle and no kit holds any of it."""
