"""From annotators' sheets to agreement (Appendix A of the paper), gold and a log of decisions."""
