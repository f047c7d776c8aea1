"""The peers of the bench's HMC: BlackJAX or NumPyro (the argument), compiled by JAX for one thread.

Reads a line of JSON a request and answers each with a line, as tests/bench/kernels.rs does its
`sample`: spec in; milliseconds and mean acceptance out. A whole run is one
compiled loop that keeps the last state alone; compiling is not timed. All is in float64.

The potentials are those of `spec.model`, as a careful user of JAX would write them: a dense
precision is multiplied once a gradient, where differentiation by itself would do it twice.
"""

import os

# The flags leave a second thread that helps at times: one core keeps it from that.
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import json
import sys
import time

import jax

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")

import jax.numpy as jnp

from serve import serve, versions


def potential_of(model):
    """The energy of a state, the number of dimensions, and what makes normal numbers exact draws."""
    if model["kind"] == "ring":
        # 100 ln^2 |x|, without the square root. ln |x| is normal: mean 1/100, variance 1/200.
        def draw(z):
            radius = jnp.linalg.norm(z, axis=1, keepdims=True)
            log_radius = 0.01 + jax.random.normal(jax.random.key(3), radius.shape) / 200**0.5
            return z / radius * jnp.exp(log_radius)

        return lambda x: 25.0 * jnp.log(x @ x) ** 2, 2, draw
    dim = model["dim"]
    if model["kind"] == "productOfExperts":
        # Student's t experts. The response to a filter is t over a factor, and x solves for them.
        filters = jnp.array(model["filters"]).reshape(dim, dim)
        weights = jnp.array(model["lambda"])

        def draw(z):
            freedom = 2 * weights - 1
            chi2 = 2 * jax.random.gamma(jax.random.key(3), freedom / 2, z.shape)
            return jnp.linalg.solve(filters, (z / jnp.sqrt(chi2)).T).T

        return lambda x: weights @ jnp.log1p((filters @ x) ** 2), dim, draw
    precision = jnp.array(model["precision"]).reshape(dim, dim)
    diagonal = jnp.diag(precision)
    if jnp.array_equal(precision, jnp.diag(diagonal)):
        return lambda x: 0.5 * x @ (diagonal * x), dim, lambda z: z / jnp.sqrt(diagonal)

    @jax.custom_vjp
    def energy(x):
        return 0.5 * x @ (precision @ x)

    def forward(x):
        grad = precision @ x
        return 0.5 * x @ grad, grad

    energy.defvjp(forward, lambda grad, slope: (slope * grad,))
    return energy, dim, lambda z: jnp.linalg.solve(jnp.linalg.cholesky(precision).T, z.T).T


def blackjax_loop(energy, transition, num_steps):
    import blackjax

    dim = transition["dim"]
    kernel = blackjax.hmc(
        lambda x: -energy(x),
        step_size=transition["stepSize"],
        inverse_mass_matrix=jnp.ones(dim),
        num_integration_steps=transition["numLeapfrogSteps"],
    )

    def run(key, start):
        def step(carry, key):
            state, sum_acceptance = carry
            state, info = kernel.step(key, state)
            return (state, sum_acceptance + info.acceptance_rate), None

        carry = kernel.init(start), 0.0
        (state, sum_acceptance), _ = jax.lax.scan(step, carry, jax.random.split(key, num_steps))
        return state.position, sum_acceptance / num_steps

    def inputs(key, starts):
        return (
            (key, starts[0]) if len(starts) == 1 else (jax.random.split(key, len(starts)), starts)
        )

    return jax.jit(run), jax.jit(jax.vmap(run)), inputs


def numpyro_loop(energy, transition, num_steps):
    from numpyro.infer.hmc import HMC

    kernel = HMC(
        potential_fn=energy,
        step_size=transition["stepSize"],
        num_steps=transition["numLeapfrogSteps"],
        trajectory_length=None,
        adapt_step_size=False,
        adapt_mass_matrix=False,
    )

    def run(state):
        def step(_, carry):
            state, sum_acceptance = carry
            state = kernel.sample(state, (), {})
            return state, sum_acceptance + state.accept_prob

        carry = state, jnp.zeros_like(state.accept_prob)
        state, sum_acceptance = jax.lax.fori_loop(0, num_steps, step, carry)
        return state.z, sum_acceptance / num_steps

    def inputs(key, starts):
        # Where keys are many, what NumPyro sets up moves all chains at once.
        one = len(starts) == 1
        keys, starts = (key, starts[0]) if one else (jax.random.split(key, len(starts)), starts)
        return (kernel.init(keys, 0, starts, (), {}),)

    return jax.jit(run), jax.jit(run), inputs


compiled = {}


def sample(request):
    spec = request["spec"]
    name = json.dumps(spec, sort_keys=True)
    if name not in compiled:
        energy, dim, draw = potential_of(spec["model"])
        transition = {**spec["transition"], "dim": dim}
        num_steps = spec["numDraws"] * spec["numStepsPerDraw"]
        loop = {"blackjax": blackjax_loop, "numpyro": numpyro_loop}[sys.argv[1]]
        run_one, run_many, inputs = loop(energy, transition, num_steps)
        starts = draw(jax.random.normal(jax.random.key(1), (spec["numChains"], dim)))
        given = inputs(jax.random.key(2), starts)
        run = run_one if len(starts) == 1 else run_many
        jax.block_until_ready(run(*given))
        compiled[name] = run, given
    run, given = compiled[name]
    begin = time.perf_counter()
    _, acceptance = jax.block_until_ready(run(*given))
    seconds = time.perf_counter() - begin
    return {
        "milliseconds": [1e3 * seconds],
        "acceptance": float(jnp.mean(acceptance)),
    }


def about(_request):
    return versions("jax", sys.argv[1])


serve({"sample": sample, "about": about})
