/**
 * Runs in the page: an engine at work on jobs whose digests are known, and faults at random moments.
 */
import { withBits } from './digests.mjs';
import { uniforms } from './uniforms.mjs';

const PATIENCE_MS = 2000;
/** The most that an engine is given on a machine too busy for less. */
const MAX_PATIENCE_MS = 8000;
/** How long anything may take to come to an end; with the faults that come meanwhile, too. */
const BOUND_MS = 60_000;
const NUM_JOBS_AT_ONCE = 4;
/** The errors that faults may lead to. */
const EXPECTED = ['aborted', 'closed', 'worker-crashed', 'wasm-unavailable'];

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Workers that the engine has made and not ended, by name. */
const living = new Map();
let numMade = 0;
/**
 * What is to happen to the next message: 'loseTo', 'delayTo' on its way to a worker, 'loseFrom', 'delayFrom' from one.
 * One of each at most, for while all workers hang none is used up, and ten in store would fail ten starts in a row.
 */
const pending = { loseTo: false, loseFrom: false, delayTo: false, delayFrom: false };

function take(name) {
  const taken = pending[name];
  pending[name] = false;
  return taken;
}

globalThis.Worker = class extends Worker {
  constructor(url, options) {
    super(url, { ...options, name: `w${numMade}` });
    this.ownName = `w${numMade++}`;
    living.set(this.ownName, this);
  }
  postMessage(message, transfer) {
    if (take('loseTo')) return;
    if (take('delayTo')) setTimeout(() => super.postMessage(message, transfer), 100);
    else super.postMessage(message, transfer);
  }
  set onmessage(receive) {
    super.onmessage = (event) => {
      if (take('loseFrom')) return;
      if (take('delayFrom')) setTimeout(() => receive(event), 100);
      else receive(event);
    };
  }
  terminate() {
    living.delete(this.ownName);
    super.terminate();
  }
  /** As something else would, behind the engine's back. */
  kill() {
    super.terminate();
  }
};

const channel = new BroadcastChannel('chaos');

/** What can be done to a worker. */
const toWorkers = {
  kill: (worker) => worker.kill(),
  errorEvent: (worker) => worker.dispatchEvent(new ErrorEvent('error', { message: 'chaos' })),
  wordlessError: (worker) => worker.dispatchEvent(new Event('error')),
  messageError: (worker) => worker.dispatchEvent(new MessageEvent('messageerror')),
};
for (const fault of ['trap', 'throw', 'close', 'hang', 'losePort']) {
  toWorkers[fault] = (worker) => channel.postMessage({ worker: worker.ownName, fault });
}
/** How the server answers the next requests for a worker's files. */
const answers = ['missing', 'webPage', 'cutOff', 'brokenOff', 'stalled'];
const faults = [
  ...Object.keys(toWorkers),
  ...Object.keys(pending),
  ...answers,
  'cancel',
  'pause',
  'checkpoint',
  'closeEngine',
];

/** Runs `numFaults` faults from a seed on. `goldens` have a title, a spec with its verb, and the digest. */
globalThis.runChaos = async ({ numFaults, seed, goldens }) => {
  const { createEngine, UnnormError } = await import('./unnorm/index.js');
  const numbers = uniforms(seed);
  const random = () => numbers.next().value;
  const pick = (list) => list[Math.floor(random() * list.length)];
  const count = (counts, name) => {
    counts[name] = (counts[name] ?? 0) + 1;
  };
  const done = {};
  const outcomes = {};
  const wrong = [];
  let mostWorkers = 0;
  let numEngines = 0;
  const jobs = new Set();
  /** Every promise that the engine has given and that is not settled, with when it was given. */
  const promised = new Map();
  const track = (name, promise) => {
    const key = {};
    promised.set(key, { name, since: performance.now() });
    const settled = () => promised.delete(key);
    promise.then(settled, settled);
    return promise;
  };
  const typed = (error, where) => {
    count(outcomes, error.code);
    if (error instanceof UnnormError && EXPECTED.includes(error.code)) return;
    wrong.push(`${where}: ${error.code}: ${error}`);
  };

  /** An engine, of which the files may be spoilt again and again, and which a busy machine may be slow to start. */
  const start = async (least = PATIENCE_MS) => {
    for (let patience = least; ; ) {
      try {
        const options = { numWorkers: 2, patience };
        const made = await track(`createEngine, ${patience} ms`, createEngine(options));
        numEngines += 1;
        return made;
      } catch (error) {
        typed(error, 'createEngine');
        patience = Math.max(least, Math.min(2 * patience, MAX_PATIENCE_MS));
      }
    }
  };
  let engine = await start();

  const begin = (golden = pick(goldens), resumeFrom = undefined) => {
    const { verb, ...spec } = withBits(golden.spec);
    const handle = engine[verb](spec, { resumeFrom, progressInterval: pick([0, 10, 50]) });
    const job = { golden, handle };
    jobs.add(job);
    track(golden.title, handle.result).then(
      ({ digest }) => {
        jobs.delete(job);
        count(outcomes, resumeFrom ? 'resumed' : 'done');
        if (digest !== golden.digest) wrong.push(`${golden.title}: digest ${digest}`);
      },
      (error) => {
        jobs.delete(job);
        typed(error, golden.title);
        // Once, for on an engine that is closed it would fail at once and for ever.
        if (error.checkpoint && !resumeFrom) begin(golden, error.checkpoint);
      },
    );
    return job;
  };
  const read = () => {
    const reading = engine.readData({
      kind: 'rows',
      rows: [
        [0, 1, 1],
        [1, 0, 0],
      ],
    });
    track('readData', reading).then(
      ({ numRows, bits }) => {
        count(outcomes, 'read');
        if (numRows !== 2 || String(bits) !== '6,1') wrong.push(`readData: ${numRows} ${bits}`);
      },
      (error) => typed(error, 'readData'),
    );
  };

  const toJobs = {
    /** One that has just begun to report, and so has a checkpoint if its worker lives: it goes on from that. */
    cancel: async () => {
      const { handle } = begin();
      const first = handle[Symbol.asyncIterator]().next();
      await Promise.race([first.catch(() => undefined), sleep(1000)]);
      handle.cancel();
    },
    pause: async ({ handle }) => {
      await track('pause', handle.pause());
      await sleep(50 * random());
      handle.resume();
    },
    checkpoint: ({ handle }) =>
      track('checkpoint', handle.checkpoint()).catch((error) => typed(error, 'checkpoint')),
  };

  /** Does it, unless there is nothing to do it to. */
  const inject = async (fault) => {
    if (toWorkers[fault]) {
      if (living.size === 0) return false;
      toWorkers[fault](pick([...living.values()]));
    } else if (fault in pending) {
      if (pending[fault]) return false;
      pending[fault] = true;
    } else if (answers.includes(fault)) await fetch(`./answer?${fault}`);
    else if (toJobs[fault]) {
      if (jobs.size === 0) return false;
      void toJobs[fault](pick([...jobs]));
    } else {
      await track('close', engine.close());
      if (living.size > 0) wrong.push(`${living.size} workers are left after close`);
      living.clear();
      engine = await start();
    }
    return true;
  };

  const checkBound = () => {
    for (const { name, since } of promised.values()) {
      const waiting = performance.now() - since;
      if (waiting > BOUND_MS) throw new Error(`${name} has not settled in ${waiting / 1000} s`);
    }
    mostWorkers = Math.max(mostWorkers, living.size);
    if (living.size > 2) wrong.push(`${living.size} workers at once`);
  };

  const run = async () => {
    for (let numDone = 0; numDone < numFaults; ) {
      while (jobs.size < NUM_JOBS_AT_ONCE) begin();
      if (random() < 0.1) read();
      await sleep(300 * random());
      checkBound();
      const fault = pick(faults);
      if (!(await inject(fault))) continue;
      numDone += 1;
      count(done, fault);
      globalThis.numFaultsDone = numDone;
    }

    // No more faults: all comes to an end, and a job of each kind gives what it should.
    for (const name of Object.keys(pending)) pending[name] = false;
    await fetch('./answer?');
    const untilSettled = async () => {
      while (promised.size > 0) {
        await sleep(50);
        checkBound();
      }
    };
    await untilSettled();
    await track('close', engine.close());
    // No fault comes any more, so none may be seen, however busy the machine is.
    engine = await start(BOUND_MS);
    const before = outcomes.done ?? 0;
    for (const golden of goldens) {
      begin(golden);
      await untilSettled();
    }
    if (outcomes.done - before !== goldens.length) wrong.push('a job failed after the faults');
    await track('close', engine.close());
    if (living.size > 0) wrong.push(`${living.size} workers are left at the end`);
    return { faults: done, outcomes, wrong, numWorkers: numMade, mostWorkers, numEngines };
  };

  // Also while this waits for the engine itself.
  let watch;
  const late = new Promise((_, reject) => {
    watch = setInterval(() => {
      try {
        checkBound();
      } catch (error) {
        reject(error);
      }
    }, 1000);
  });
  try {
    return await Promise.race([run(), late]);
  } finally {
    clearInterval(watch);
  }
};
