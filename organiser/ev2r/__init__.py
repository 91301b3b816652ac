"""Ev2R: judging the retrieved abstracts that nobody judged (overview paper, section 5.2)."""
