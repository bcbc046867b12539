"""Bayesian support vector regression: a second road to a model, beside the sparse one.

After Chu, Keerthi & Ong 2001. It shares kernels, likelihoods and robust statistics with the sparse
machines, not their solvers. In the order of a fit: ``settings`` and ``output`` (the user's ``units`` and
back), the ``search`` from ``starts`` over an ``objective`` in a ``space`` of ``hyperparameters``, the
``evidence`` at one point of it, and below that the ``problem`` with its ``covariance``, the ``solver``
(``newton``, ``interior`` and ``descent``, with ``zones``, their ``zone_system`` and a ``certificate``), the
``posterior`` and what it says of rows ``left_out``; ``halves`` say what noise new targets have. Of
``many_rows`` a sample is searched, and ``landmarks`` stand for all.
"""
