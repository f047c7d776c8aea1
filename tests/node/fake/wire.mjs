/**
 * What lies between this thread and the workers of an engine: it sees every message, loses one if told to, and knows which
 * workers owe an answer. By that it counts patience: an engine's timers of silence tick only when every worker that can
 * answer has, so that no machine is too slow for a test, and a worker that is silent is found out soon all the same.
 */
import { setTimeout as sleep } from 'node:timers/promises';

/** What an engine must be given for its patience to be counted here. */
export const PATIENCE_MS = 60_000;
/** See src/ts/silence.ts. */
const TICK_MS = PATIENCE_MS / 6;

/** What asks for an answer, and what is one. */
const ASKING = ['init', 'ping'];
const ANSWERS = ['ready', 'pong'];

export class Wire {
  /** How many answers each worker owes; of one that has fallen silent, none is expected. */
  #owed = new Map();
  /** The way and the type of the message that is lost. */
  toLose;
  #numLost = 0;
  #watchers = [];

  /** Loses the first message of a type; `way` is 'to' a worker or 'from' one. */
  lose(way, type) {
    this.toLose = { way, type };
  }

  get numLost() {
    return this.#numLost;
  }

  /** Calls `watcher` with each message from a worker, before the engine has it. */
  watch(watcher) {
    this.#watchers.push(watcher);
  }

  /** Whether every worker that can answer has. */
  get isAnswered() {
    return [...this.#owed.values()].every((count) => count === 0);
  }

  /** Starts a worker whose messages go through here. */
  join(spawn, events) {
    const worker = {};
    const owe = (change) => {
      if (this.#owed.has(worker)) this.#owed.set(worker, this.#owed.get(worker) + change);
    };
    this.#owed.set(worker, 0);
    const host = spawn({
      message: (message) => {
        // A worker that is about to fall silent says so, to nobody but us.
        if (message.fallsSilent) return void this.#owed.delete(worker);
        if (ANSWERS.includes(message.type)) owe(-1);
        for (const watcher of this.#watchers) watcher(message);
        if (!this.#isLost('from', message)) events.message(message);
      },
      failure: (words) => {
        this.#owed.delete(worker);
        events.failure(words);
      },
    });
    return {
      ...host,
      post: (message, transfer) => {
        if (this.#isLost('to', message)) return;
        host.post(message, transfer);
        if (ASKING.includes(message.type)) owe(1);
      },
      terminate: () => {
        this.#owed.delete(worker);
        return host.terminate();
      },
    };
  }

  #isLost(way, { type }) {
    if (this.#numLost > 0 || this.toLose?.way !== way || this.toLose.type !== type) return false;
    this.#numLost += 1;
    return true;
  }
}

/** The timers of silence of all engines made while `action` is on; `tick` makes each of them tick once. */
export async function withTicks(action) {
  const { setInterval, clearInterval } = globalThis;
  const ticks = new Map();
  globalThis.setInterval = (tick, wait, ...rest) => {
    if (wait !== TICK_MS) return setInterval(tick, wait, ...rest);
    const timer = { unref: () => undefined };
    ticks.set(timer, tick);
    return timer;
  };
  globalThis.clearInterval = (timer) => {
    if (!ticks.delete(timer)) clearInterval(timer);
  };
  try {
    return await action(() => {
      for (const tick of [...ticks.values()]) tick();
    });
  } finally {
    Object.assign(globalThis, { setInterval, clearInterval });
  }
}

/** Patience passes while `action` is on, as fast as workers answer. */
export function countingPatience(wire, action) {
  return withTicks(async (tick) => {
    let isOn = true;
    const passing = (async () => {
      while (isOn) {
        if (wire.isAnswered) tick();
        await sleep(5);
      }
    })();
    try {
      return await action();
    } finally {
      isOn = false;
      await passing;
    }
  });
}
