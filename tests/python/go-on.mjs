/**
 * Goes on with the jobs of tests/golden from the checkpoints NAME.python of a folder, keeps a checkpoint of each on its
 * way as NAME.node, and prints the digests by name.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withBits } from '../matrix/digests.mjs';
import { jobsOf } from '../matrix/jobs.mjs';
import { createEngine } from '../node/package.mjs';

const [, , folder] = process.argv;
const digests = {};
const engine = await createEngine({ numWorkers: 2 });
for (const { name, spec } of jobsOf([0])) {
  const { verb, ...rest } = withBits(spec);
  const resumeFrom = new Uint8Array(readFileSync(join(folder, `${name}.python`)));
  const handle = engine[verb](rest, { resumeFrom });
  writeFileSync(join(folder, `${name}.node`), await handle.checkpoint());
  digests[name] = (await handle).digest;
}
await engine.close();
console.log(JSON.stringify(digests));
