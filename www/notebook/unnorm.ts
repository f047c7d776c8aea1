/** The package as the labs have it in a notebook: `unnorm/inline`, and the widget around the page hears of every job. */
import {
  createEngine as createInline,
  type Engine,
  type EngineOptions,
} from '../../dist/inline.js';
import { type Verb, verbNames } from '../../dist/verbs.js';
import { host } from './host.js';

export * from '../../dist/inline.js';

/** A verb as any of them may be called. */
type AnyVerb = (spec: unknown, run?: unknown) => PromiseLike<{ digest: string }>;

export async function createEngine(options?: EngineOptions): Promise<Engine> {
  const engine = await createInline(options);
  const told = verbNames.map((verb) => [verb, toldOf(verb, engine[verb] as AnyVerb)]);
  return { ...engine, ...Object.fromEntries(told) };
}

function toldOf(verb: Verb, call: AnyVerb): AnyVerb {
  return (given, run) => {
    const spec = copyOf(given);
    const handle = call(given, run);
    // One that fails is its caller's.
    handle.then(
      ({ digest }) =>
        void host.then((port) => port.postMessage({ type: 'job', verb, spec, digest })),
      () => {},
    );
    return handle;
  };
}

/** As it is now; undefined for one with a function in it, which only JavaScript can run. */
function copyOf(spec: unknown): unknown {
  try {
    return structuredClone(spec);
  } catch {
    return undefined;
  }
}
