"""After Li et al. (2008): fuzzy relevance vector machines on unbalanced and noisy data."""
