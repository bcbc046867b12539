"""Every figure of the docs from one command: ``python -m benchmarks evidence``.

``plan`` lists cells, ``runner`` measures those that ``records`` lacks, ``pages`` writes the docs from them.
A cell is one learner on one case; its key names the code that it reaches, and its settings.
"""
