"""Where and how the work is done: row blocks, threads."""
