/**
 * What a program of live code finds around it, in the worker of the sandboxed frame: the package, `console`, `plot`, and
 * files of this site in place of a network. It is one classic script; the program's own code stands behind it and calls
 * `liveRuntime.run`.
 *
 * Nobody relies on it for safety: the frame has no origin and no network whatever runs in it, and the page checks and
 * counts what it is sent.
 */
import * as formats from '../../../dist/formats/index.js';
import * as unnorm from '../../../dist/inline.js';
import type { FromProgram, ToProgram } from '../messages.js';
import { withProgress } from './engine.js';
import { given } from './given-files.js';
import { openOutput } from './output.js';
import { plotOf } from './plot.js';
import { Timers } from './timers.js';

// The program is to speak through the console, which has its limits, and cannot flood the page.
const post = self.postMessage.bind(self) as (message: FromProgram) => void;
for (const holder of [self, Object.getPrototypeOf(self)])
  Reflect.deleteProperty(holder, 'postMessage');

const output = openOutput(post);
const timers = new Timers();
const engines = withProgress(unnorm.createEngine, (verb, fraction) =>
  post({ kind: 'progress', verb, fraction }),
);

const modules: Readonly<Record<string, object>> = {
  unnorm: { ...unnorm, createEngine: engines.createEngine },
  'unnorm/inline': { ...unnorm, createEngine: engines.createEngine },
  'unnorm/formats': { ...formats },
};

/** A module by its name, with the exports that are imported. */
function module(name: string, wanted: readonly string[] = []): object {
  const found = Object.hasOwn(modules, name) ? modules[name] : undefined;
  if (!found) {
    const names = Object.keys(modules).join(', ');
    throw new Error(`There is no module “${name}” here. What can be imported is ${names}.`);
  }
  const missing = wanted.find((one) => !Object.hasOwn(found, one));
  if (missing) throw new Error(`The module “${name}” has no export “${missing}”.`);
  return found;
}

const started = new Promise<void>((resolve) => {
  self.addEventListener('message', ({ data }: MessageEvent<ToProgram>) => {
    if (data?.kind === 'ping') post({ kind: 'pong' });
    if (data?.kind !== 'start') return;
    Object.assign(globalThis, { fetch: given(data.files) });
    resolve();
  });
});

Object.assign(globalThis, {
  plot: (...args: Parameters<typeof plotOf>) => output.plot(plotOf(...args)),
});
Object.assign(console, output.console);

/** An error in words, and the lines of the script that it came through. */
function fail(error: unknown): void {
  const isError = error instanceof Error;
  const text = isError ? `${error.name}: ${error.message}` : `Uncaught ${output.inspect(error)}`;
  const stack = `${(isError && error.stack) || ''}\n${engines.stackOf(error) ?? ''}`;
  const lines = [...stack.matchAll(/blob:[^\s)]*?:(\d+):\d+/g)].map(([, line]) => Number(line));
  output.flush();
  post({ kind: 'failed', text: text.slice(0, 10_000), lines: lines.slice(0, 100) });
}
self.addEventListener('error', (event) => {
  event.preventDefault();
  fail(event.error ?? new Error(event.message));
});
self.addEventListener('unhandledrejection', (event) => {
  event.preventDefault();
  fail(event.reason);
});

/** Runs a program, and says when it and what it has begun are done. */
export async function run(program: () => Promise<void>): Promise<void> {
  await started;
  try {
    await program();
    await timers.allDone();
    await engines.allDone();
  } catch (error) {
    return fail(error);
  }
  output.flush();
  post({ kind: 'ended' });
}

export const { value, variables, begin } = output;
export { module };
/** A dynamic import, of the modules that there are. */
export const load = async (name: string) => module(String(name));
