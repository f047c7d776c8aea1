/**
 * Makes the worker it is called in share out rounds that it would do alone for being short, and take checkpoints as
 * often as long jobs do. No bit depends on either. Runs in Node and in pages.
 */

/** How much faster the worker's clock goes: whether a round is worth sharing out is a question of time. */
const HASTE = 100;
/** How long a job waits for helpers to come, in times of a millisecond. */
const PATIENCE = 40;

/** @param wasm the classes that the worker uses */
export function shareOut({ Job, ShardWorker }) {
  const now = performance.now.bind(performance);
  performance.now = () => HASTE * now();

  const wait = waiter(now);
  const waited = new WeakMap();
  const { work } = Job.prototype;
  Job.prototype.work = function (...shard) {
    const times = waited.get(this) ?? 0;
    if (times < PATIENCE && this.numShards > 1) {
      waited.set(this, times + 1);
      wait();
    }
    return work.apply(this, shard);
  };

  // The first part that a helper has done of a job is told of.
  const channel = new BroadcastChannel('unnorm helped');
  channel.unref?.();
  const told = new WeakSet();
  const help = ShardWorker.prototype.work;
  ShardWorker.prototype.work = function (...shard) {
    const part = help.apply(this, shard);
    if (part && !told.has(this)) {
      told.add(this);
      channel.postMessage(null);
    }
    return part;
  };
}

/** Waits for a millisecond, asleep where that can be had. */
function waiter(now) {
  if (typeof SharedArrayBuffer === 'function') {
    const asleep = new Int32Array(new SharedArrayBuffer(4));
    return () => Atomics.wait(asleep, 0, 0, 1);
  }
  return () => {
    const end = now() + 1;
    while (now() < end);
  };
}
