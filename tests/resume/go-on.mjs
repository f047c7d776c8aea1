/** Jobs that outlive whoever runs them. Runs in Node and in pages. */
import { withBits } from '../matrix/digests.mjs';

/** How many jobs there are at once. */
const AT_ONCE = 6;

/**
 * Runs all jobs that are not done, each from its last checkpoint if there is one, and keeps a checkpoint whenever there
 * is progress.
 * @param jobs those of `tests/matrix/jobs.mjs`
 * @param store `digest(name)`, `checkpoint(name)`, `keep(name, checkpoint)`, `finish(name, digest)`, all of which may
 *   give promises
 */
export async function goOn(engine, jobs, store) {
  const waiting = [...jobs];
  const lane = async () => {
    for (let job = waiting.shift(); job; job = waiting.shift()) {
      const { name, spec } = job;
      if (await store.digest(name)) continue;
      const { verb, ...rest } = withBits(spec);
      const resumeFrom = (await store.checkpoint(name)) ?? undefined;
      const handle = engine[verb](rest, { resumeFrom, progressInterval: 0 });
      for await (const _ of handle) await store.keep(name, await handle.checkpoint());
      await store.finish(name, (await handle).digest);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, lane));
}
