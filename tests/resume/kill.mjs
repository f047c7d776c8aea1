/**
 * Has the worker it is called in end a job, or all of its process, before a step that a file names. A step is a round
 * gathered or, in helpers, a part done.
 *
 * The file, whose name is in UNNORM_TEST_KILL, is read when a job is made, and taken away by whoever obeys:
 * `{ in: 'coordinator' | 'helper' | 'process', step, how: 'trap' | 'exit' | 'kill' }`. Steps are counted for each job,
 * and for `process` over all jobs of this worker.
 */
import { existsSync, readFileSync, rmSync } from 'node:fs';

const file = process.env.UNNORM_TEST_KILL;
const steps = new WeakMap();
let numSteps = 0;

/** @param wasm the classes that the worker uses */
export function obeyKills({ Job, ShardWorker }) {
  const channel = new BroadcastChannel('unnorm steps');
  channel.unref();

  const create = Job.create.bind(Job);
  Job.create = (spec, data, checkpoint) => {
    const job = create(spec, data, checkpoint);
    channel.postMessage({ resumed: checkpoint !== undefined });
    return job;
  };
  const { gather, advance, result } = Job.prototype;
  Job.prototype.gather = function (parts) {
    step(this, 'coordinator');
    return gather.call(this, parts);
  };
  Job.prototype.advance = function (maxRounds) {
    for (let round = 0; round < maxRounds && !this.done; round++) {
      step(this, 'coordinator');
      advance.call(this, 1);
    }
  };
  Job.prototype.result = function () {
    channel.postMessage({ steps: steps.get(this) ?? 0 });
    return result.call(this);
  };
  const { work } = ShardWorker.prototype;
  ShardWorker.prototype.work = function (...shard) {
    const part = work.apply(this, shard);
    if (part) step(this, 'helper');
    return part;
  };
}

/** Counts a step of a job, and obeys if it is the one. */
function step(job, role) {
  const own = (steps.get(job) ?? 0) + 1;
  steps.set(job, own);
  numSteps += role === 'coordinator' ? 1 : 0;
  if (!existsSync(file)) return;
  const plan = JSON.parse(readFileSync(file, 'utf8'));
  const isDue =
    plan.in === 'process'
      ? role === 'coordinator' && numSteps === plan.step
      : plan.in === role && own === plan.step;
  if (!isDue) return;
  rmSync(file);
  if (plan.how === 'kill') process.kill(process.pid, 'SIGKILL');
  if (plan.how === 'exit') process.exit(7);
  throw new WebAssembly.RuntimeError('unreachable');
}
