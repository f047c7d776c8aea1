/** Runs jobs of `jobs.mjs` and gives their digests. Runs in Node and in pages. */

/** A spec with the bytes of its data in place of `base64`. */
export function withBits(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { base64, ...others } = value;
  const fields = Object.entries(others).map(([name, field]) => [name, withBits(field)]);
  const spec = Object.fromEntries(fields);
  if (base64 === undefined) return spec;
  return { ...spec, bits: Uint8Array.from(atob(base64), (c) => c.charCodeAt(0)) };
}

/**
 * The digest of each job, or why there is none, how many times a worker helped with a job of another, and the graphics
 * processor that was used to the end
 * @param createEngine of the package under test
 * @param options the engine's
 */
export async function digestsOf(jobs, createEngine, options) {
  const helped = new BroadcastChannel('unnorm helped');
  helped.unref?.();
  let numHelpers = 0;
  helped.onmessage = () => {
    numHelpers += 1;
  };
  const engine = await createEngine(options);
  try {
    const digests = [];
    for (const { spec } of jobs) {
      const { verb, ...rest } = withBits(spec);
      digests.push(
        await engine[verb](rest).then(
          ({ digest }) => digest,
          ({ code, message }) => `${code}: ${message}`,
        ),
      );
    }
    // Threads share out rounds where nobody sees it.
    return { digests, numHelpers: options.threads ? null : numHelpers, gpu: engine.gpu };
  } finally {
    helped.close();
    await engine.close();
  }
}
