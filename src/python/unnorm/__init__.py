"""Unnormalized (energy-based) probabilistic models: fit, sample and normalize.

A model is an energy, p(x) = exp(-E(x)) / Z. Every function takes a spec, a dict with the fields
that the JavaScript package takes too, and returns a dict. The same spec and seed give the same
numbers, to the last bit, and so the same ``digest``, in Python, in Node and in every browser.
"""

from ._arviz import to_arviz
from ._errors import Interrupted, UnnormError
from ._job import Job, start
from ._lab import lab
from ._native import version as _version
from ._verbs import Verb, verb

__version__ = _version()

fit = verb("fit", "Fits a model to data.")
sample = verb("sample", "Draws from a model.")
exact = verb("exact", "Computes log Z, likelihood, moments and entropy without error.")
energies = verb("energies", "Computes energies, gradients and conditional probabilities of states.")
log_z = verb("logZ", "Estimates log Z by annealing, with errors and bounds.")
spline = verb("spline", "Finds a moment averages path to anneal along.")
memorize = verb("memorize", "Stores patterns as minima of an energy: a Hopfield network.")
recall = verb("recall", "Goes down the energy from given states.")
patches = verb("patches", "Makes states on the reals from patches of pictures.")
evidence = verb("evidence", "Estimates ln p of a table under a model with hidden variables.")
chain = verb("chain", "Analyses a finite Markov chain, exactly.")
mode = verb("mode", "Finds the most probable state of a binary model.")
network = verb("network", "Fits a sparse network of binary columns.")
kernels = verb("kernels", "Searches for the kernel of a Gaussian process.")
structure = verb("structure", "Searches for the structure of a table.")

__all__ = [
    "Interrupted",
    "Job",
    "UnnormError",
    "Verb",
    "chain",
    "energies",
    "evidence",
    "exact",
    "fit",
    "kernels",
    "lab",
    "log_z",
    "memorize",
    "mode",
    "network",
    "patches",
    "recall",
    "sample",
    "spline",
    "start",
    "structure",
    "to_arviz",
]
