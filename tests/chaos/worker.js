/**
 * Runs in each worker before the package's script: does to it what the page says over a channel, by the
 * name that the page gave the worker.
 */

/** What to do with the next call of the WebAssembly: 'trap', 'hang'. */
let atNextCall;
/** Messages to and from other workers that are to be lost. */
let numToLose = 0;

const channel = new BroadcastChannel('chaos');
channel.onmessage = ({ data: { worker, fault } }) => {
  if (worker !== self.name) return;
  if (fault === 'trap' || fault === 'hang') atNextCall = fault;
  if (fault === 'close') self.close();
  if (fault === 'losePort') numToLose = 1;
  if (fault === 'throw') {
    setTimeout(() => {
      throw new Error('chaos: not caught');
    });
  }
};

const { postMessage } = MessagePort.prototype;
MessagePort.prototype.postMessage = function (message, ...rest) {
  // What has no type is this worker's message to itself.
  if (numToLose > 0 && message?.type !== undefined) numToLose -= 1;
  else postMessage.call(this, message, ...rest);
};

function perhapsFail() {
  const fault = atNextCall;
  if (fault === undefined) return;
  atNextCall = undefined;
  if (fault === 'hang') for (;;);
  throw new WebAssembly.RuntimeError('chaos: a trap');
}

const { instantiate } = WebAssembly;
WebAssembly.instantiate = async (...args) => {
  const instance = await instantiate(...args);
  const exports = Object.fromEntries(
    Object.entries(instance.exports).map(([name, value]) => [
      name,
      // What the core calls back for, such as memory for a result, is part of a call that goes on.
      typeof value !== 'function' || name.startsWith('__wb')
        ? value
        : (...values) => {
            perhapsFail();
            return value(...values);
          },
    ]),
  );
  return Object.create(WebAssembly.Instance.prototype, { exports: { value: exports } });
};
