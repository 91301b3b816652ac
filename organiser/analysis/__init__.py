"""The organiser's report: who is ahead of whom, why, and how sure that is."""

import os

# The products of matrices are small and many: threads cost more time than they save, and one
# thread adds up in one order. It is read when numpy is loaded.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
