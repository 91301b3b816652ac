"""From the public dataset to an edition: ``python -m organiser.dataset`` (``make edition``)."""
