"""Bundles with one fault each, made from the sound one."""
