"""Jobs on a cluster of two processes: what a lost process costs, and what a second one gains.

    target/wheel-test/bin/python tests/python/distributed_by_hand.py

Kills a process at random in the middle of a job, twenty times, and prints how often the digest was
that of one process; then the seconds of an annealing job and of a sweep over seeds with one process
and with two. It wants a machine with two idle processors.
"""

import json
import os
import random
import signal
import statistics
import threading
import time
from functools import partial

import numpy as np
import unnorm
from distributed import Client, LocalCluster
from unnorm import distributed

NUM_KILLS = 20


def glass(num_distributions):
    couplings = np.triu(np.random.default_rng(1).normal(size=(60, 60)) / 8, 1)
    return {
        "model": {"kind": "ising", "dim": 60, "couplings": couplings + couplings.T},
        "numChains": 400,
        "numDistributions": num_distributions,
        "seed": 1,
    }


def cluster_of(num_workers):
    return LocalCluster(n_workers=num_workers, threads_per_worker=1, dashboard_address=None)


def seconds_of(what):
    start = time.perf_counter()
    result = what()
    return time.perf_counter() - start, result


def kills():
    spec = glass(3000)
    # Short rounds, too, are done on the cluster.
    distributed._LEAST_WORK = 0.0
    digest = unnorm.log_z(spec)["digest"]
    rng = random.Random(1)
    kills, same = 0, 0
    with cluster_of(2) as cluster, Client(cluster) as client:
        distributed.run("logZ", spec, client=client)
        usual, _ = seconds_of(lambda: distributed.run("logZ", spec, client=client))
        while kills < NUM_KILLS:
            client.wait_for_workers(2)
            pid = rng.choice(sorted(client.run(os.getpid).values()))
            killed_at = []

            def kill(pid=pid, killed_at=killed_at):
                os.kill(pid, signal.SIGKILL)
                killed_at.append(time.perf_counter())

            timer = threading.Timer(rng.uniform(0.1, 0.9) * usual, kill)
            timer.start()
            result = distributed.run("logZ", spec, client=client)
            ended_at = time.perf_counter()
            timer.cancel()
            timer.join()
            # A kill counts if the job had not ended.
            if killed_at and killed_at[0] < ended_at:
                kills += 1
                same += result["digest"] == digest
    return {"kills": kills, "same digest": same}


def speed():
    spec = glass(60_000)
    sweep = [("logZ", {**glass(400), "seed": seed}) for seed in range(16)]
    works = {
        "annealing": lambda client: distributed.run("logZ", spec, client=client),
        "sweep": lambda client: distributed.run_all(sweep, client=client),
    }
    taken = {name: {1: [], 2: []} for name in works}
    for _ in range(3):
        for num_workers in (1, 2):
            with cluster_of(num_workers) as cluster, Client(cluster) as client:
                for name, work in works.items():
                    taken[name][num_workers].append(seconds_of(partial(work, client))[0])
    return {
        name: {
            **{f"seconds with {n}": statistics.median(seconds) for n, seconds in by.items()},
            "speedup": statistics.median(by[1]) / statistics.median(by[2]),
        }
        for name, by in taken.items()
    }


def one_thread_a_worker():
    """In whole jobs, too."""
    os.environ["RAYON_NUM_THREADS"] = "1"


if __name__ == "__main__":
    one_thread_a_worker()
    print(json.dumps({**speed(), **kills()}, indent=2))
