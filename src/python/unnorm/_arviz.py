"""Draws for ArviZ, the library of plots and diagnostics of chains."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy

from . import _native
from ._errors import UnnormError

if TYPE_CHECKING:
    from arviz import InferenceData

# Statistics of chains by their names in a result: those that they have in ArviZ.
_CHAIN_STATS = {"stepSize": "step_size", "acceptance": "acceptance_rate"}

# What is drawn of a table's hidden variables; not every model has all of it.
_LATENT = ("hidden", "features", "signalVariance", "noiseVariance", "numInUse")

_Variables = dict[str, tuple[list[str], "numpy.ndarray[Any, Any]"]]


def to_arviz(
    result: Mapping[str, Any], /, *, name: str = "x", num_chains: int | None = None
) -> InferenceData:
    """Converts a result of :func:`unnorm.sample` to ArviZ's ``InferenceData``.

    ``posterior`` has the draws as the variable ``name``, ``[chain, draw, dim]``, or those of a
    table's hidden variables under the names that they have in the result. ``sample_stats`` has
    ``lp``, minus the energies or the log joint density, ``[chain, draw]``, if the result has them,
    and for models on the reals statistics of whole chains, ``[chain]``, such as ``acceptance_rate``
    and ``numDivergent``. The attributes of both groups have the seed, the digest and the version.
    ``num_chains`` is needed for draws of bits, which do not contain it.

    Raises :class:`ImportError` without ArviZ, and :class:`UnnormError` if ``result`` is none of
    ``sample``, or ``num_chains`` does not fit.
    """
    try:
        import xarray
        from arviz import InferenceData
    except ImportError as error:
        problem = (
            f'to_arviz needs ArviZ before its version 1 ({error}): pip install "unnorm[arviz]"'
        )
        raise ImportError(problem) from error
    draws = result.get("draws") if isinstance(result, Mapping) else None
    if not isinstance(draws, Mapping):
        raise UnnormError("invalid-data", "result: has no draws; give a result of sample", "result")
    chains, count = _num_chains(draws, num_chains)

    def by_chain(values: Any, field: str = "") -> tuple[list[str], numpy.ndarray[Any, Any]]:
        """Values ``[numDraws, numChains, *shape]`` with the names of their dimensions."""
        shape = _shape(field, draws)
        each = numpy.reshape(values, (count, chains, *shape)).swapaxes(0, 1)
        dims = [f"{field or name}_dim_{at}" for at in range(len(shape))]
        return ["chain", "draw", *dims], each

    stats: _Variables = {}
    if "hidden" in draws:
        posterior = {field: by_chain(draws[field], field) for field in _LATENT if field in draws}
        stats["lp"] = by_chain(draws["logJoint"], "logJoint")
    else:
        values = draws["values"] if "values" in draws else _unpacked(draws)
        posterior = {name: by_chain(values)}
        if len(result.get("energies", ())) > 0:
            stats["lp"] = by_chain(numpy.negative(result["energies"]), "energies")
    for field, values in result.get("chains", {}).items():
        if len(values) == chains:
            stats[_CHAIN_STATS.get(field, field)] = ["chain"], numpy.asarray(values)
    coordinates = {"chain": numpy.arange(chains), "draw": numpy.arange(count)}
    attributes = {
        "inference_library": "unnorm",
        "inference_library_version": _native.version(),
        "seed": result["seed"],
        "digest": result["digest"],
    }
    groups = {"posterior": posterior, **({"sample_stats": stats} if stats else {})}
    return InferenceData(
        **{
            group: xarray.Dataset(variables, coordinates, attributes)
            for group, variables in groups.items()
        }
    )


def _num_chains(draws: Mapping[str, Any], given: int | None) -> tuple[int, int]:
    """The number of chains and that of draws from each."""
    if "numChains" in draws:
        if given not in (None, draws["numChains"]):
            problem = f"is {given}, but the draws are of {draws['numChains']} chains; leave it out"
            raise UnnormError("invalid-data", f"num_chains: {problem}", "num_chains")
        return draws["numChains"], draws["numDraws"]
    rows = draws["numRows"]
    if not isinstance(given, int) or given < 1 or rows % given != 0:
        problem = (
            "must be given for draws of bits, a whole number that divides their "
            f"{rows} rows; got {given}"
        )
        raise UnnormError("invalid-data", f"num_chains: {problem}", "num_chains")
    return given, rows // given


def _shape(field: str, draws: Mapping[str, Any]) -> tuple[int, ...]:
    """The shape of one draw of a field of the draws; that of a state for no field."""
    if field == "":
        return (draws["dim"],)
    if field == "features":
        return draws["order"], draws["dim"]
    if field == "hidden":
        # Clusters are one number a row. With one factor or attribute, so are these.
        rows, order = draws["numRows"], draws["order"]
        is_matrix = len(draws[field]) == draws["numDraws"] * draws["numChains"] * rows * order
        return (rows, order) if is_matrix and order > 1 else (rows,)
    return ()


def _unpacked(draws: Mapping[str, Any]) -> numpy.ndarray[Any, Any]:
    """The rows of packed bits, ``[numRows, dim]``."""
    packed = numpy.reshape(draws["bits"], (draws["numRows"], -1))
    return numpy.unpackbits(packed, axis=1, count=draws["dim"], bitorder="little")
