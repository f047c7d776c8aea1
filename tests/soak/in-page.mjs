/** The work of a soak, in a page: many jobs at once over one engine, cancelled at random, resumed at random. */
import { withBits } from '../matrix/digests.mjs';
import { uniforms } from '../node/uniforms.mjs';

/** How many jobs there are at once. */
const AT_ONCE = 3;
/** Of the jobs: how many are cancelled, within how long, and how many of these are then gone on with. */
const CANCELLED = 0.5;
const CANCELLED_WITHIN_MS = 40;
const RESUMED = 0.5;

/**
 * An engine, and what keeps it at work.
 * @param createEngine of the package under test
 * @param jobs those of `tests/matrix/jobs.mjs`, with their digests
 */
export async function createSoak(createEngine, jobs, { seed, numWorkers }) {
  const engine = await createEngine({ numWorkers });
  const uniform = uniforms(seed);
  const random = () => uniform.next().value;
  const counts = { jobs: 0, cancelled: 0, resumed: 0, done: 0 };
  const wrong = [];

  async function one({ name, spec, digest }) {
    counts.jobs += 1;
    const { verb, ...rest } = withBits(spec);
    const check = (result) => {
      counts.done += 1;
      if (result.digest !== digest) wrong.push(`${name}: ${result.digest}`);
    };
    const handle = engine[verb](rest, { onProgress: () => undefined });
    const timer =
      random() < CANCELLED && setTimeout(() => handle.cancel(), random() * CANCELLED_WITHIN_MS);
    const isResumed = random() < RESUMED;
    try {
      check(await handle);
    } catch (error) {
      if (error.code !== 'aborted') throw error;
      counts.cancelled += 1;
      if (!isResumed || !error.checkpoint) return;
      counts.resumed += 1;
      check(await engine[verb](rest, { resumeFrom: error.checkpoint }));
    } finally {
      clearTimeout(timer);
    }
  }

  return {
    /**
     * Every job, and then the one with the most data more times at once than ever after: WebAssembly's memory does not
     * shrink, and from here on need not grow.
     */
    async warmUp() {
      await Promise.all(jobs.map(one));
      const sizes = jobs.map((job) => JSON.stringify(job).length);
      const largest = jobs[sizes.indexOf(Math.max(...sizes))];
      await Promise.all(Array.from({ length: AT_ONCE * numWorkers }, () => one(largest)));
    },
    /** Works for some time, until nothing is left to do. */
    async spell(milliseconds) {
      const end = performance.now() + milliseconds;
      const lane = async () => {
        while (performance.now() < end) await one(jobs[Math.floor(random() * jobs.length)]);
      };
      await Promise.all(Array.from({ length: AT_ONCE }, lane));
      return { counts, wrong };
    },
    /** What the page and its workers hold, in bytes, once garbage is collected. */
    async bytes() {
      return (await performance.measureUserAgentSpecificMemory()).bytes;
    },
  };
}
