"""The organiser's report: who is ahead of whom, why, and how sure that is."""
