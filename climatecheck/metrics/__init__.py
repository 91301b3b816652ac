"""The measures, one module each: counts by claim first, ratios last.

Each module has a function ``count`` that makes counts whose first axis is the claims, and functions
that turn them, summed over claims with any weights, into values. Weights of shape
(resamples, claims) give one value a resample; ``climatecheck.metrics.counts`` says how.
"""
