"""The paper's baseline for task 2: a causal language model, fine-tuned with LoRA, writes the codes.

``python -m baselines.narrative_lm train`` learns chat-style examples (claim, then codes);
``python -m baselines.narrative_lm predict`` decodes under a grammar of the 33 codes, so that every
answer can be read.
"""
