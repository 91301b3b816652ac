"""What runs on the organiser's machine only; no bundle and no kit holds any of it."""

from organiser.missing import speak_in_commands

speak_in_commands()
