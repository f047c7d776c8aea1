/** What is set up in a page before the package, so that no test depends on how soon its workers answer. */

/**
 * An engine's patience, the default of a minute, passes as fast as its workers answer: its timers of silence tick only when
 * every worker that can answer has. A worker cannot that was ended by its `end`, behind the engine's back; where
 * `canStart` is false, none can. `made` has all workers. Before the first there is no end to patience.
 */
export function countPatience({ canStart = true } = {}) {
  /** A sixth of the patience: see src/ts/silence.ts. */
  const TICK_MS = 10_000;
  const { setInterval, clearInterval } = globalThis;
  const ticks = new Map();
  let numTimers = 0;
  globalThis.setInterval = (tick, wait, ...rest) => {
    if (wait !== TICK_MS) return setInterval(tick, wait, ...rest);
    numTimers += 1;
    ticks.set(-numTimers, tick);
    return -numTimers;
  };
  globalThis.clearInterval = (timer) => {
    if (!ticks.delete(timer)) clearInterval(timer);
  };
  /** How many answers each worker owes. */
  const owed = new Map();
  globalThis.made = [];
  globalThis.Worker = class extends Worker {
    constructor(...args) {
      super(...args);
      globalThis.made.push(this);
      if (canStart) owed.set(this, 0);
      this.addEventListener('message', ({ data }) => {
        if (['ready', 'pong'].includes(data.type)) this.owe(-1);
      });
    }
    owe(change) {
      if (owed.has(this)) owed.set(this, owed.get(this) + change);
    }
    postMessage(message, transfer) {
      super.postMessage(message, transfer);
      if (['init', 'ping'].includes(message.type)) this.owe(1);
    }
    terminate() {
      this.end();
    }
    end() {
      owed.delete(this);
      super.terminate();
    }
  };
  const pass = () => {
    const areAnswered = [...owed.values()].every((count) => count === 0);
    if (globalThis.made.length > 0 && areAnswered) {
      for (const tick of [...ticks.values()]) tick();
    }
    setTimeout(pass, 5);
  };
  pass();
}

/** Workers wait for the module of a custom model for a tenth of a second only; the engine is patient. */
export function shortenModulePatience() {
  const { postMessage } = Worker.prototype;
  Worker.prototype.postMessage = function (message, transfer) {
    const changes = message.type === 'init' ? { patience: 100 } : {};
    postMessage.call(this, { ...message, ...changes }, transfer);
  };
}
