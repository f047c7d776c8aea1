"""Unnormalized (energy-based) probabilistic models: fit, sample and normalize.

A model is an energy, p(x) = exp(-E(x)) / Z. Every function takes a spec, a dict with the fields
that the JavaScript package takes too, and returns a dict. The same spec and seed give the same
numbers, to the last bit, and so the same ``digest``, in Python, in Node and in every browser.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ._arviz import to_arviz
from ._errors import Interrupted, UnnormError
from ._job import Job, start
from ._lab import lab
from ._native import version as _version
from ._verbs import Verb, verb

if TYPE_CHECKING:
    from . import stan, types

__version__ = _version()


if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Imports when asked for what most programs do not need; the types, only checkers do."""
        if name in ("stan", "types"):
            from importlib import import_module

            return import_module(f".{name}", __name__)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


fit: types.FitVerb = verb("fit", "Fits a model to data.")
sample: types.SampleVerb = verb("sample", "Draws from a model.")
exact: types.ExactVerb = verb(
    "exact", "Computes log Z, likelihood, moments and entropy without error."
)
energies: types.EnergiesVerb = verb(
    "energies", "Computes energies, gradients and conditional probabilities of states."
)
log_z: types.LogZVerb = verb("logZ", "Estimates log Z by annealing, with errors and bounds.")
spline: types.SplineVerb = verb("spline", "Finds a moment averages path to anneal along.")
memorize: types.MemorizeVerb = verb(
    "memorize", "Stores patterns as minima of an energy: a Hopfield network."
)
recall: types.RecallVerb = verb("recall", "Goes down the energy from given states.")
patches: types.PatchesVerb = verb("patches", "Makes states on the reals from patches of pictures.")
evidence: types.EvidenceVerb = verb(
    "evidence", "Estimates ln p of a table under a model with hidden variables."
)
chain: types.ChainVerb = verb("chain", "Analyses a finite Markov chain, exactly.")
mode: types.ModeVerb = verb("mode", "Finds the most probable state of a binary model.")
network: types.NetworkVerb = verb("network", "Fits a sparse network of binary columns.")
kernels: types.KernelsVerb = verb("kernels", "Searches for the kernel of a Gaussian process.")
structure: types.StructureVerb = verb("structure", "Searches for the structure of a table.")

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
    "stan",
    "start",
    "structure",
    "to_arviz",
    "types",
]
