"""How much faster a cluster of 1 to 1,000 workers is than one: a simulation.

    target/wheel-test/bin/python tests/python/cluster_curve.py

Rounds almost without work, of 2 to 16 tasks, tell what Dask needs for a round and for each of its
tasks. The check of the simulation is an annealing job on two workers, which is timed, too. Prints
all as JSON, and draws the speedups in `www/docs/pictures/cluster.svg`. It wants a machine with two
idle processors.
"""

import heapq
import json
import statistics
from functools import partial
from pathlib import Path

import matplotlib
import numpy as np
from distributed import Client
from distributed_by_hand import cluster_of, glass, one_thread_a_worker, seconds_of
from unnorm import distributed

matplotlib.use("svg")
import matplotlib.pyplot as plt

PICTURE = Path(__file__).parents[2] / "www/docs/pictures/cluster.svg"

NUM_SHARDS = 16
# Seconds of work of the shortest rounds.
FIRST_ROUND = 0.25
# The sweep: whole jobs, each a task of so many seconds.
NUM_JOBS = 10_000
JOB_SECONDS = 10.0


def overheads():
    """Seconds of a round almost without work, and of each of its tasks more."""
    tiny = {**glass(1000), "model": {"kind": "ising", "dim": 2}}
    num_tasks, seconds = [], []
    usual = distributed._TASKS_PER_THREAD, distributed._LEAST_WORK, distributed._ROUND_SECONDS
    distributed._LEAST_WORK = distributed._ROUND_SECONDS = 0.0
    with cluster_of(1) as cluster, Client(cluster) as client:
        distributed.run("logZ", tiny, client=client)
        for tasks in [2, 4, 8, 16] * 2:
            distributed._TASKS_PER_THREAD = tasks
            rounds: list[dict] = []
            work = partial(distributed.run, "logZ", tiny, client=client, on_progress=rounds.append)
            spent, _ = seconds_of(work)
            num_tasks.append(tasks)
            seconds.append(spent / len(rounds))
    distributed._TASKS_PER_THREAD, distributed._LEAST_WORK, distributed._ROUND_SECONDS = usual
    a_task, a_round = np.polyfit(num_tasks, seconds, 1)
    return float(a_round), float(a_task)


def makespan(tasks, num_workers):
    """Seconds until workers, each taking the next task when it is free, have done all."""
    free = [0.0] * min(num_workers, len(tasks))
    for seconds in tasks:
        heapq.heapreplace(free, free[0] + seconds)
    return max(free)


def job_seconds(work, num_workers, a_round, a_task):
    """Seconds of one annealing job: rounds become longer as `unnorm.distributed` has them."""
    total, left = 0.0, work
    num_tasks = min(NUM_SHARDS, distributed._TASKS_PER_THREAD * num_workers)
    shards_of = [len(range(task, NUM_SHARDS, num_tasks)) for task in range(num_tasks)]
    factors = [1]

    class Job:
        lengthen_rounds = staticmethod(factors.append)

    length = distributed._Length(Job())
    while left > 0:
        of_round = min(left, factors[-1] * FIRST_ROUND)
        tasks = [of_round * shards / NUM_SHARDS for shards in shards_of]
        seconds = a_round + a_task * num_tasks + makespan(tasks, num_workers)
        length.adapt(seconds, of_round)
        total += seconds
        left -= of_round
    return total


def sweep_seconds(num_workers, a_round, a_task):
    """Seconds of the sweep: the scheduler sends one task after another."""
    free = [0.0] * num_workers
    for at in range(NUM_JOBS):
        sent = at * a_task
        heapq.heapreplace(free, max(free[0], sent) + JOB_SECONDS)
    return a_round + max(free)


def measured(num_distributions):
    """Seconds of an annealing job on one worker and on two: medians of three."""
    spec = glass(num_distributions)
    taken = {1: [], 2: []}
    for _ in range(3):
        for num_workers, seconds in taken.items():
            with cluster_of(num_workers) as cluster, Client(cluster) as client:
                run = partial(distributed.run, "logZ", spec, client=client)
                seconds.append(seconds_of(run)[0])
    return {num_workers: statistics.median(seconds) for num_workers, seconds in taken.items()}


def draw(curves):
    plt.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "unnorm", "font.size": 11})
    grey = "#7a7f87"
    figure, axes = plt.subplots(figsize=(4.6, 3.4))
    styles = [("#2f7ed8", 130, "bottom"), ("#c9652b", 1000, "top")]
    for (name, curve), (colour, at, side) in zip(curves.items(), styles, strict=True):
        axes.loglog(list(curve), list(curve.values()), color=colour, linewidth=2)
        place = (at, curve[max(n for n in curve if n <= at)])
        axes.annotate(
            name,
            place,
            (-6, 6 if side == "bottom" else -6),
            textcoords="offset points",
            color=colour,
            ha="right",
            va=side,
        )
    for axis in (axes.xaxis, axes.yaxis):
        axis.set_major_formatter("{x:,.0f}")
    axes.set_xlabel("workers of one thread", color=grey)
    axes.set_ylabel("times as fast as one", color=grey)
    axes.tick_params(colors=grey, which="both")
    axes.set_xlim(1, 1000)
    axes.set_ylim(1, 1000)
    for side, spine in axes.spines.items():
        spine.set_color(grey)
        spine.set_visible(side in ("left", "bottom"))
    figure.savefig(
        PICTURE, transparent=True, bbox_inches="tight", metadata={"Date": None, "Creator": None}
    )


def curves_of(a_round, a_task):
    """Speedups, by the number of workers."""
    workers = sorted({round(10 ** (at / 20)) for at in range(61)})

    def speedups(seconds):
        return {n: seconds(1) / seconds(n) for n in workers}

    return {
        "10,000 jobs of 10 s": speedups(lambda n: sweep_seconds(n, a_round, a_task)),
        "one annealing job of 30 s": speedups(lambda n: job_seconds(30.0, n, a_round, a_task)),
    }


def main():
    a_round, a_task = overheads()
    two = measured(60_000)
    simulated = {n: job_seconds(two[1], n, a_round, a_task) for n in (1, 2)}
    curves = curves_of(a_round, a_task)
    draw(curves)
    print(
        json.dumps(
            {
                "milliseconds of a round": 1000 * a_round,
                "milliseconds of a task": 1000 * a_task,
                "annealing on two workers": {
                    "measured": two[1] / two[2],
                    "simulated": simulated[1] / simulated[2],
                },
                "simulated": {
                    name: {n: round(curve[n], 1) for n in (2, 10, 100, 1000)}
                    for name, curve in curves.items()
                },
            },
            indent=2,
        )
    )


if __name__ == "__main__":
    one_thread_a_worker()
    main()
