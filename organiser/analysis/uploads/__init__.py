"""From uploads as they come to the systems of an evaluation."""
