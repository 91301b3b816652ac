"""What reports are made of, and how they become HTML, CSV, LaTeX, SVG and PDF."""
