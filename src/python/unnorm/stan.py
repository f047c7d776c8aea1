"""Models of Stan, and other log densities with gradients, as energies.

States are unconstrained parameters. The energy is minus the log density, which has the log Jacobian
of the constraints in it. Nothing of Stan's is imported here: models are recognized by their
methods.
"""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import numpy

from ._errors import UnnormError

if TYPE_CHECKING:
    from . import types

__all__ = ["constrain", "energy"]

_Floats = numpy.ndarray[Any, numpy.dtype[numpy.float64]]
_Density = Callable[[_Floats], tuple[Any, Any]]

# What a log density raises outside its domain: Stan's libraries RuntimeError, NumPy the others.
_OUTSIDE = (RuntimeError, ArithmeticError, numpy.linalg.LinAlgError)

# Points at which a new energy is tried, ever nearer to the origin, until so many are finite.
_MAX_TRIED = 20
_NUM_FINITE = 2

# Many compiled models keep what they work in where another thread would find it, and calls from
# Python let other threads run meanwhile. Reentrant, as a density may be made of densities.
_calling = threading.RLock()

# What Stan's compiler skips.
_SKIPPED = re.compile(r'/\*.*?\*/|//[^\n]*|"[^"\n]*"', re.DOTALL)
_INCLUDE = re.compile(r"^\s*#\s*include\b", re.MULTILINE)
_DROPS_CONSTANTS = re.compile(r"~|\b\w+_lup[dm]f\b")


def energy(
    model: Any, /, *, dim: int | None = None, may_drop_constants: bool = False
) -> types.ModelCustom:
    """Makes a model of the kind ``custom`` of a log density with its gradient.

    ``model`` is a ``stanli.Model``, a ``bridgestan.StanModel``, an object with the method
    ``log_prob_grad(q)``, or a function. The latter two return the log density at unconstrained
    parameters ``[dim]`` and its gradient ``[dim]``, in nats; they need ``dim`` unless the object
    has ``n_unconstrained``. Where the log density raises a RuntimeError, an ArithmeticError or a
    LinAlgError, where it is NaN or -∞, or where its gradient is not finite, the energy is infinite.

    log Z needs log densities without dropped constants. ``may_drop_constants`` lets those be
    sampled that drop some: else a ``stanli.Model`` is refused if its code has a distribution
    statement, ``y ~ normal(mu, 1)``, or a function ``_lupdf`` or ``_lupmf``, or if its code cannot
    be read. A ``bridgestan.StanModel`` computes the constants of all of these, unless it is one of
    stanli's. Other objects and functions cannot be checked.

    Raises :class:`UnnormError` for what is no such model, and if its log density is finite at none
    of 20 points about the origin.
    """
    density, own_dim = _density(model, may_drop_constants)
    if own_dim is not None and dim not in (None, own_dim):
        raise UnnormError(
            "invalid-spec", f"dim: is {dim}, but the model has {own_dim}; leave it out", "dim"
        )
    size = dim if own_dim is None else own_dim
    if size is None:
        problem = "is missing; give the number of parameters of the log density"
        raise UnnormError("invalid-spec", f"dim: {problem}", "dim")
    if isinstance(size, bool) or not isinstance(size, int) or size < 1:
        problem = f"is {size!r}; a model must have one unconstrained parameter or more"
        raise UnnormError("invalid-spec", f"dim: {problem}", "dim")
    return {"kind": "custom", "dim": size, "energy": _Energy(density, size)}


def constrain(model: Any, result: Mapping[str, Any], /) -> dict[str, _Floats]:
    """The parameters and transformed parameters of the draws of a result of ``sample``.

    ``model`` has the methods ``param_names`` and ``param_constrain`` of ``bridgestan.StanModel``;
    ``stanli.bridgestan_model`` makes one without a compiler. By name, each an array
    ``[num_chains, num_draws, …]`` with the shape of its declaration in Stan.

    Raises :class:`UnnormError` for other models, and if ``result`` is none of their draws.
    """
    if not (hasattr(model, "param_constrain") and hasattr(model, "param_names")):
        problem = (
            f"a value of type {type(model).__name__} has no method param_constrain; give a model "
            "of bridgestan, or one of the same code and data by stanli.bridgestan_model"
        )
        raise UnnormError("invalid-model", f"model: {problem}", "model")
    draws = result.get("draws") if isinstance(result, Mapping) else None
    if not isinstance(draws, Mapping) or "values" not in draws:
        problem = "has no draws on the reals; give a result of sample"
        raise UnnormError("invalid-data", f"result: {problem}", "result")
    size = model.param_unc_num()
    if draws["dim"] != size:
        problem = f"has draws with {draws['dim']} entries, but the model has {size}"
        raise UnnormError(
            "invalid-data", f"result: {problem}; give a result for this model", "result"
        )
    states = numpy.reshape(draws["values"], (-1, size))
    with _calling:
        names = model.param_names(include_tp=True)
        rows = numpy.array(
            [model.param_constrain(numpy.array(state), include_tp=True) for state in states]
        )
    columns: dict[str, list[int]] = {}
    shapes: dict[str, tuple[int, ...]] = {}
    for column, full_name in enumerate(names):
        # `theta.2.3` is an entry of `theta`; the last entry's indices are the shape.
        name, *_ = re.split(r"(?:\.\d+)+$", full_name)
        columns.setdefault(name, []).append(column)
        shapes[name] = tuple(int(index) for index in full_name[len(name) + 1 :].split(".") if index)
    chains, count = draws["numChains"], draws["numDraws"]
    return {
        # Stan writes the first index fastest.
        name: numpy.moveaxis(
            rows[:, at].reshape(count, chains, *reversed(shapes[name])).swapaxes(0, 1),
            range(2, 2 + len(shapes[name])),
            range(1 + len(shapes[name]), 1, -1),
        )
        for name, at in columns.items()
    }


class _Energy:
    """The energy of a custom model: states ``[B, dim]`` to energies ``[B]`` and gradients."""

    __module__ = "unnorm.stan"

    def __init__(self, density: _Density, dim: int) -> None:
        self._density = density
        self._dim = dim
        # Checkpoints contain it, so that a job goes on with the same density only.
        self.__qualname__ = f"energy-{self._fingerprint()}"

    def __call__(self, states: _Floats) -> tuple[_Floats, _Floats]:
        values = numpy.full(len(states), numpy.nan)
        gradients = numpy.zeros(states.shape)
        for at in numpy.flatnonzero(numpy.isfinite(states).all(axis=1)):
            try:
                values[at], gradients[at] = self._at(states[at])
            except (NotImplementedError, RecursionError):
                raise
            except _OUTSIDE:
                pass
        has_gradient = numpy.isfinite(gradients).all(axis=1)
        is_outside = numpy.isnan(values) | (numpy.isfinite(values) & ~has_gradient)
        # A log density of +∞ stays, and ends the job.
        energies = numpy.where(is_outside, numpy.inf, -values)
        return energies, numpy.where(numpy.isfinite(energies)[:, None], -gradients, 0)

    def __reduce__(self) -> tuple[Any, ...]:
        if getattr(self._density, "is_of_an_object", False):
            # Copies of compiled models would share, and free, memory of another process.
            problem = (
                "belongs to a model that cannot be sent to another process; "
                "run the job in this one, or give a function"
            )
            raise UnnormError("invalid-model", f"model.energy: {problem}", "model.energy")
        return _Energy, (self._density, self._dim)

    def _at(self, state: _Floats) -> tuple[Any, Any]:
        """The log density and its gradient at one point."""
        with _calling:
            returned = self._density(state)
        if not isinstance(returned, tuple) or len(returned) != 2:
            raise TypeError("a log density returns a pair: its value and its gradient")
        shapes = [list(numpy.shape(part)) for part in returned]
        if shapes != [[], [self._dim]]:
            raise ValueError(
                f"a log density of shape {shapes[0]} and a gradient of shape {shapes[1]} were "
                f"returned where [] and [{self._dim}] are needed"
            )
        return returned

    def _fingerprint(self) -> str:
        """A hash of the log density and its gradient at some points; it checks the density."""
        hashed, num_finite, reason = hashlib.sha256(), 0, "it is infinite or NaN there"
        cause: Exception | None = None
        # Irrational, so that no two entries are equal.
        direction = 4 * (numpy.arange(1, self._dim + 1) * (numpy.sqrt(5) - 1) / 2 % 1) - 2
        for at in range(_MAX_TRIED):
            try:
                value, gradient = self._at(direction * 2.0**-at)
            except _OUTSIDE as error:
                cause, reason = error, f"there it raised {type(error).__name__}: {error}"
                continue
            except Exception as error:
                problem = f"its log density raised {type(error).__name__}: {error}"
                raise UnnormError("invalid-model", f"model: {problem}", "model") from error
            numbers = numpy.append(gradient, value)
            if not numpy.isfinite(numbers).all():
                continue
            scale = numpy.abs(numbers).max()
            # Rounded, as the last bits may differ between machines. Zeros lose their sign.
            rounded = numpy.round(numbers / scale if scale > 0 else numbers, 8) + 0.0
            hashed.update(f"{scale:.8e} {rounded.tolist()}".encode())
            num_finite += 1
            if num_finite == _NUM_FINITE:
                break
        if num_finite == 0:
            problem = (
                f"its log density is finite at none of {_MAX_TRIED} points about the origin "
                f"({reason}); give one of unconstrained parameters"
            )
            raise UnnormError("invalid-model", f"model: {problem}", "model") from cause
        return hashed.hexdigest()[:16]


class _OfObject:
    """The log density that a method of an object computes."""

    is_of_an_object = True

    def __init__(self, method: Callable[..., tuple[Any, Any]], **options: bool) -> None:
        self._method = method
        self._options = options

    def __call__(self, state: _Floats) -> tuple[Any, Any]:
        return self._method(state, **self._options)


def _density(model: Any, may_drop_constants: bool) -> tuple[_Density, int | None]:
    """The log density of a model, and the number of its parameters if the model knows it."""
    if hasattr(model, "log_density_gradient") and hasattr(model, "param_unc_num"):
        options = {"propto": may_drop_constants, "jacobian": True}
        return _OfObject(model.log_density_gradient, **options), model.param_unc_num()
    if hasattr(model, "log_prob_grad"):
        if not may_drop_constants and hasattr(model, "constrained_names"):
            _check_constants(model)
        return _OfObject(model.log_prob_grad), getattr(model, "n_unconstrained", None)
    if callable(model):
        return model, None
    problem = (
        f"is of type {type(model).__name__}; give a model of stanli or bridgestan, an object with "
        "the method log_prob_grad, or a function"
    )
    raise UnnormError("invalid-model", f"model: {problem}", "model")


def _check_constants(model: Any) -> None:
    """Refuses a model of stanli, which drops constants where CmdStan does, if it may drop some."""
    source = getattr(model, "_source", None)
    code = source[1] if isinstance(source, tuple) and len(source) > 1 else None
    remedy = "or give may_drop_constants=True, and do not trust log Z then"
    if not isinstance(code, str) or _INCLUDE.search(_code_only(code)):
        problem = (
            "not all of its Stan code can be read, so that it may drop constants, which log Z "
            f"needs; make it of stan_file or stan_code without #include, {remedy}"
        )
        raise UnnormError("invalid-model", f"model: {problem}", "model")
    found = _DROPS_CONSTANTS.search(_code_only(code))
    if found:
        number = code.count("\n", 0, found.start())
        line = " ".join(code.splitlines()[number].split())
        line = line if len(line) <= 60 else f"{line[:59]}…"
        problem = (
            f"line {number + 1} of its Stan code, `{line}`, drops constants, which log Z needs; "
            f"write `target += normal_lpdf(y | mu, sigma)` for `y ~ normal(mu, sigma)`, {remedy}"
        )
        raise UnnormError("invalid-model", f"model: {problem}", "model")


def _code_only(code: str) -> str:
    """Code with blanks for comments and strings, on the same lines."""
    return _SKIPPED.sub(lambda skipped: re.sub(r"[^\n]", " ", skipped[0]), code)
