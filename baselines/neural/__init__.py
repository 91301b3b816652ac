"""The paper's baseline for task 1, full strength.

BM25, then a bi-encoder, then one cross-encoder or several fused, then a classifier of
claim-abstract pairs. Each model is an id at the Hugging Face hub or a folder. The stages are plain
forward passes of ``transformers`` models; another library around them would add versions to keep
and nothing else. ``python -m baselines.neural`` runs all of it; ``train_encoder`` and
``train_classifier`` fine-tune.
"""
