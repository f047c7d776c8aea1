"""The peers of the bench's no-U-turn sampler: BlackJAX or NumPyro (the argument), on one thread.

Reads a line of JSON a request and answers each with a line, as hmc.py does: a posterior of
www/bench/posteriors.js and our spec with the states where chains start in; milliseconds, the draws
and the number of gradients out. A whole run, warm-up and draws, is one compiled program, and
compiling is not timed. All is in float64. Each library adapts its step size and a diagonal metric
by its own defaults, to an acceptance of 0.8. Chains go one after another or all at once, whichever
was quicker.
"""

import os

# The flags leave a second thread that helps at times: one core keeps it from that.
if hasattr(os, "sched_setaffinity"):
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
os.environ["XLA_FLAGS"] = "--xla_cpu_multi_thread_eigen=false intra_op_parallelism_threads=1"

import base64
import sys
import time

import jax

jax.config.update("jax_enable_x64", True)
jax.config.update("jax_platforms", "cpu")

import jax.numpy as jnp
import numpy as np

from posteriors import energy_of
from serve import serve, versions


def blackjax_run(energy, num_warmup, num_draws):
    """Of one chain: its draws, and the number of gradients."""
    import blackjax

    def log_density(x):
        return -energy(x)

    warmup = blackjax.window_adaptation(
        blackjax.nuts,
        log_density,
        target_acceptance_rate=0.8,
        adaptation_info_fn=lambda state, info, adaptation: info.num_integration_steps,
    )

    def run(key, start):
        warmup_key, key = jax.random.split(key)
        (state, parameters), warmup_steps = warmup.run(warmup_key, start, num_steps=num_warmup)
        step = blackjax.nuts(log_density, **parameters).step

        def draw(state, key):
            state, info = step(key, state)
            return state, (state.position, info.num_integration_steps)

        _, (draws, steps) = jax.lax.scan(draw, state, jax.random.split(key, num_draws))
        return draws, jnp.sum(warmup_steps) + jnp.sum(steps)

    return run


def numpyro_run(energy, num_warmup, num_draws):
    from numpyro.infer import NUTS

    def run(key, start):
        kernel = NUTS(potential_fn=energy, target_accept_prob=0.8)

        def warm(_, carry):
            state, count = carry
            state = kernel.sample(state, (), {})
            return state, count + state.num_steps

        def draw(state, _):
            state = kernel.sample(state, (), {})
            return state, (state.z, state.num_steps)

        state = kernel.init(key, num_warmup, start, (), {})
        state, count = jax.lax.fori_loop(0, num_warmup, warm, (state, 0))
        _, (draws, steps) = jax.lax.scan(draw, state, None, num_draws)
        return draws, count + jnp.sum(steps)

    return run


def timed(run, *given):
    begin = time.perf_counter()
    result = jax.block_until_ready(run(*given))
    return 1e3 * (time.perf_counter() - begin), result


compiled = {}


def program_of(request, given):
    """The program of a posterior that was the quicker of two, compiled."""
    name = request["posterior"]["id"]
    if name not in compiled:
        energy = energy_of(request["posterior"])
        make = {"blackjax": blackjax_run, "numpyro": numpyro_run}[sys.argv[1]]
        run = make(energy, request["spec"]["numWarmup"], request["spec"]["numDraws"])
        programs = [
            jax.jit(lambda keys, starts: jax.lax.map(lambda one: run(*one), (keys, starts))),
            jax.jit(jax.vmap(run)),
        ]
        for program in programs:
            timed(program, *given)
        compiled[name] = min(programs, key=lambda program: timed(program, *given)[0])
    return compiled[name]


def posterior(request):
    spec = request["spec"]
    starts = jnp.array(spec["start"]["states"]).reshape(spec["numChains"], -1)
    given = jax.random.split(jax.random.key(spec["seed"]), len(starts)), starts
    milliseconds, (draws, counts) = timed(program_of(request, given), *given)
    # Draw by draw, as ours are.
    values = np.ascontiguousarray(np.swapaxes(np.asarray(draws), 0, 1))
    return {
        "milliseconds": [milliseconds],
        "draws": base64.b64encode(values.tobytes()).decode(),
        "numGradients": int(jnp.sum(counts)),
    }


def energies(request):
    energy = jax.jit(energy_of(request["posterior"]))
    states = np.reshape(request["states"], (-1, len(request["spec"]["model"]["variables"])))
    return {"energies": [float(energy(state)) for state in states]}


def about(_request):
    return versions("jax", sys.argv[1])


serve({"posterior": posterior, "energies": energies, "about": about})
