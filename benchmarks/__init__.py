"""How long the programs take, as ratios to what nobody can do without, in one run."""
