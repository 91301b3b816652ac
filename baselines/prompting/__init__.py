"""Prompting of any OpenAI-compatible endpoint for tasks 1.2 and 2.

``python -m baselines.prompting`` runs it. The texts of the prompts stand in ``prompts/``: above the
line ``=====`` what the model is told once, below it what is asked.
"""
