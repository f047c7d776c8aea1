// Much work for long: memory and workers do not grow, and no digest is wrong.
//
//   npm run soak [-- --minutes 60] [--seed 1]
//
// What is done and counted is said in soak.mjs. Writes out/soak.json; the exit status is 1 if anything is amiss.

import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from '../../src/tools/build.mjs';
import { Failure, main, root } from '../../src/tools/run.mjs';
import { complaintsOf, growthOf, MAX_GROWTH, soak } from './soak.mjs';

const options = {
  minutes: { type: 'string', default: '60' },
  seed: { type: 'string', default: '1' },
};
const USAGE = 'Usage: npm run soak [-- --minutes N] [--seed N]';

await main(import.meta.url, async (args) => {
  let values;
  try {
    ({ values } = parseArgs({ args, options }));
  } catch (error) {
    throw new Failure(`${error.message}. ${USAGE}`);
  }
  const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
  if (!(minutes > 0)) throw new Failure(`--minutes ${values.minutes}: give a number above 0.`);
  if (!(Number.isInteger(seed) && seed > 0 && seed < 2147483647)) {
    throw new Failure(`--seed ${values.seed}: give a whole number from 1 to 2147483646.`);
  }
  await build({ site: false });
  const mega = (bytes) => (bytes === null ? '?' : (bytes / 1e6).toFixed(1));
  const report = await soak(
    { seconds: 60 * minutes, warmUpSeconds: 60, spellSeconds: 20, seed },
    ({ seconds, bytes, residentBytes, numWorkers, jobs }, warm) => {
      const memory = `${mega(bytes)} MB held, ${mega(residentBytes)} MB resident`;
      const when = `${seconds.toFixed(0).padStart(6)} s`;
      console.log(
        `${when}  ${jobs} jobs, ${memory}, ${numWorkers} workers${warm ? '' : ', warm-up'}`,
      );
    },
  );
  const complaints = complaintsOf(report, MAX_GROWTH);
  const growth = Object.fromEntries(
    Object.keys(MAX_GROWTH).map((name) => [name, growthOf(report.spells.map((s) => s[name]))]),
  );
  const file = join(root, 'out/soak.json');
  writeFileSync(file, `${JSON.stringify({ ...report, growth, complaints }, null, 1)}\n`);
  const percent = (part) => `${(100 * part).toFixed(2)} %`;
  const { jobs, cancelled, resumed, done } = report.counts;
  console.log(
    `${jobs} jobs: ${cancelled} cancelled, ${resumed} of these resumed, ${done} digests, ` +
      `${report.wrong.length} wrong; held ${percent(growth.bytes)}, resident ` +
      `${percent(growth.residentBytes)} more in the last third than in the first. ${file}`,
  );
  if (complaints.length > 0) throw new Failure(complaints.join('; '));
});
