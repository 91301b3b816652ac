"""How sure the ranks are: tests of all pairs, power, fragility, unjudged abstracts, choices."""
