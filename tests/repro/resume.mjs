// An engine that keeps the result of every job that has ended, so that a reproduction of hours that was stopped goes on
// where it was. Results are kept by the job's spec and by the package's build: another build computes all of them anew.
// A job with an `onProgress` is always run again: the report may use what that function is given.

import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';

/**
 * @param engine the engine that runs what is not kept
 * @param folder a URL with a slash at its end: where results are kept
 * @param build bytes of the package's WebAssembly
 * @returns {{ engine, keptSeconds(): number }} an engine, and how long the jobs took that it did not have to run again
 */
export function resuming(engine, folder, build) {
  mkdirSync(folder, { recursive: true });
  const buildDigest = createHash('sha256').update(build).digest();
  let keptSeconds = 0;

  const run = (verb) => (spec, options) => {
    const file = options?.onProgress ? undefined : fileOf(verb, spec);
    if (!file) return engine[verb](spec, options);
    if (existsSync(file)) {
      const { result, seconds } = deserialize(readFileSync(file));
      keptSeconds += seconds;
      return Promise.resolve(result);
    }
    const started = performance.now();
    const job = engine[verb](spec, options);
    return Promise.resolve(job).then((result) => {
      // Written beside and renamed: a run stopped in between leaves no half of a file.
      const part = new URL(`${file}.part`);
      writeFileSync(part, serialize({ result, seconds: (performance.now() - started) / 1000 }));
      renameSync(part, file);
      return result;
    });
  };

  function fileOf(verb, spec) {
    let bytes;
    try {
      bytes = serialize([verb, spec]);
    } catch {
      // A spec with functions in it has no bytes.
      return undefined;
    }
    const digest = createHash('sha256').update(buildDigest).update(bytes).digest('hex');
    return new URL(`${verb}-${digest}.bin`, folder);
  }

  return {
    engine: new Proxy(engine, {
      get: (_, name) =>
        typeof engine[name] === 'function' && name !== 'close' ? run(name) : engine[name],
    }),
    keptSeconds: () => keptSeconds,
  };
}
