"""Jobs in the background: progress, pause, cancel, checkpoints, Ctrl-C."""

import itertools
import multiprocessing
import signal
import subprocess
import sys
import threading

import pytest
import unnorm


def test_progress_grows(endless):
    job = unnorm.start("sample", endless, progress_interval=0)
    fractions = [progress["fraction"] for progress in itertools.islice(job, 4)]
    job.cancel()
    assert fractions == sorted(fractions)
    assert 0 <= fractions[0] < fractions[-1] < 1


def test_progress_comes_to_its_end(short):
    job = unnorm.start("sample", short, progress_interval=0)
    # However many there are: a slow loop skips to the latest.
    *_, last = job
    assert last["fraction"] == 1
    assert job.progress()["done"] is True
    assert [progress["fraction"] for progress in job] == [1], "again, after the end"
    assert job.result()["digest"] == unnorm.sample(short)["digest"]


def test_on_progress_is_called_by_the_caller(short):
    threads = set()
    unnorm.sample(short, on_progress=lambda _: threads.add(threading.current_thread()))
    assert threads == {threading.current_thread()}


def test_what_on_progress_raises_ends_the_job(short):
    def stop(progress):
        raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        unnorm.sample(short, on_progress=stop, progress_interval=0)


def test_a_paused_job_rests(endless):
    job = unnorm.start("sample", endless, progress_interval=0)
    next(iter(job))
    job.pause()
    assert job.checkpoint() == job.checkpoint()
    before = job.progress()
    assert job.progress() == before
    job.resume()
    assert any(progress["fraction"] > before["fraction"] for progress in job)
    job.cancel()


def test_a_checkpoint_goes_on_to_the_same_end(short):
    digest = unnorm.sample(short)["digest"]
    job = unnorm.start("sample", short, progress_interval=0)
    next(iter(job))
    checkpoint = job.checkpoint()
    assert job.result()["digest"] == digest
    job = unnorm.start("sample", short, checkpoint=checkpoint)
    job.pause()
    assert job.progress()["fraction"] > 0
    job.resume()
    assert job.result()["digest"] == digest
    assert unnorm.sample(short, checkpoint=checkpoint)["digest"] == digest
    # That of a finished job gives the result at once.
    assert unnorm.sample(short, checkpoint=job.checkpoint())["digest"] == digest


def test_the_seed_comes_with_the_checkpoint(short):
    del short["seed"]
    job = unnorm.start("sample", short, progress_interval=0)
    next(iter(job))
    again = unnorm.sample(short, checkpoint=job.checkpoint())
    assert again["seed"] == job.result()["seed"]
    assert again["digest"] == job.result()["digest"]


def test_a_cancelled_job_carries_its_checkpoint(endless):
    job = unnorm.start("sample", endless, progress_interval=0)
    progress = next(iter(job))
    job.cancel()
    job.cancel()
    with pytest.raises(unnorm.UnnormError, match="the job was cancelled") as caught:
        job.result()
    assert (caught.value.code, caught.value.field) == ("aborted", None)
    with pytest.raises(unnorm.UnnormError):
        list(job)
    with pytest.raises(unnorm.UnnormError) as again:
        job.result()
    assert again.value.checkpoint == caught.value.checkpoint
    assert isinstance(caught.value.checkpoint, bytes)
    again = unnorm.start("sample", endless, checkpoint=caught.value.checkpoint)
    again.pause()
    assert again.progress()["fraction"] >= progress["fraction"]
    again.cancel()
    assert not job._thread.is_alive()


def test_cancelling_a_paused_job(endless):
    job = unnorm.start("sample", endless)
    job.pause()
    job.cancel()
    with pytest.raises(unnorm.UnnormError):
        job.result()


def test_ctrl_c_in_a_callback_keeps_the_state(short):
    def interrupt(progress):
        signal.raise_signal(signal.SIGINT)

    with pytest.raises(unnorm.Interrupted) as caught:
        unnorm.sample(short, on_progress=interrupt, progress_interval=0)
    assert isinstance(caught.value, KeyboardInterrupt)
    again = unnorm.sample(short, checkpoint=caught.value.checkpoint)
    assert again["digest"] == unnorm.sample(short)["digest"]


INTERRUPTED = """
import atexit, os, signal, threading

# Called last, as it is registered first.
atexit.register(lambda: print([thread.name for thread in threading.enumerate()]))

import unnorm
from unnorm import _job

spec = {endless}

def interrupt():
    # Once there is a job and it has made progress.
    while not _job._running:
        pass
    next(iter(next(iter(_job._running))))
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=interrupt).start()
try:
    unnorm.sample(spec, progress_interval=0)
except unnorm.Interrupted as stopped:
    job = unnorm.start("sample", spec, checkpoint=stopped.checkpoint)
    job.pause()
    print(job.progress()["fraction"] > 0)
    # It still runs when the program ends.
    job.resume()
"""


def test_ctrl_c_while_waiting(endless):
    program = INTERRUPTED.format(endless=endless)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    said = "True\n['MainThread']\n"
    assert (done.returncode, done.stdout, done.stderr) == (0, said, "")


def test_several_jobs_at_once(short):
    jobs = [unnorm.start("sample", {**short, "seed": seed}) for seed in range(4)]
    digests = [job.result()["digest"] for job in jobs]
    assert digests == [unnorm.sample({**short, "seed": seed})["digest"] for seed in range(4)]


MEANWHILE = """
import os, unnorm

job = unnorm.start("sample", {endless}, progress_interval=1e9)
while not job._is_working:
    pass
# Were the interpreter's lock held during the step, this would wait for decades.
print(sum(range(10_000_000)), flush=True)
os._exit(0)
"""


def test_the_interpreter_goes_on_meanwhile(endless):
    program = MEANWHILE.format(endless=endless)
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=120
    )
    assert (done.returncode, done.stdout) == (0, "49999995000000\n")


def _digest(spec):
    return unnorm.sample(spec)["digest"]


@pytest.mark.skipif("fork" not in multiprocessing.get_all_start_methods(), reason="needs fork")
def test_a_forked_process_has_threads_of_its_own(short):
    digest = _digest(short)
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.apply_async(_digest, (short,)).get(timeout=120) == digest
