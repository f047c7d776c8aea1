/**
 * Counts the WebAssembly instructions that each golden job executes. The count is the same on every machine and under any
 * load, so it shows when a kernel has become slower.
 *
 *     npm run instructions            says what has changed since the counts were kept
 *     npm run instructions -- --keep  keeps those of now, in tests/instructions.json
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { withBits } from '../../tests/matrix/digests.mjs';
import { goldens, withBase64 } from '../../tests/matrix/jobs.mjs';
import { Failure, main, output, root, run } from './run.mjs';
import { buildProgram, buildWasm } from './wasm.mjs';

const kept = join(root, 'tests/instructions.json');

/** Millions of instructions below which a job says little of a kernel: reading its spec takes as many. */
const MIN_MILLIONS = 20;

/** How much more a job may take, as a part of what it took; and how much less before the kept count is out of date. */
export const TOLERANCE = 0.03;

/** The compiler decides the instructions: only counts of one version can be compared. */
export function compiler() {
  return output('rustc', ['--version'])?.trim() ?? 'none';
}

/** The counts that are kept: `{ compiler, millions }`, the latter by the names of jobs. */
export function keptCounts() {
  return JSON.parse(readFileSync(kept, 'utf8'));
}

/** Millions of instructions of every golden job, by its name. Custom models are left out: theirs are JavaScript's. */
export async function countInstructions() {
  const folder = join(root, 'out/instructions');
  const counting = join(folder, 'unnorm_bg.wasm');
  const plain = join(root, 'dist/wasm/plain');
  mkdirSync(folder, { recursive: true });
  run(await buildProgram('unnorm-count'), [join(plain, 'unnorm_bg.wasm'), counting]);
  const wasm = await import(join(plain, 'unnorm.js'));
  const { instructions } = await wasm.default({ module_or_path: readFileSync(counting) });
  const millions = {};
  for (const { name, spec } of goldens()) {
    if (JSON.stringify(spec).includes('"custom"')) continue;
    const before = instructions.value;
    const job = wasm.Job.create(withBits(withBase64(spec)), undefined, undefined);
    while (!job.done) job.advance(1000);
    job.result();
    job.free();
    millions[name] = Number(instructions.value - before) / 1e6;
  }
  return millions;
}

/** What is to be said of counts against those that are kept: a line for each job that is not as it was. */
export function changesOf(millions, before) {
  const isKernel = (count) => count >= MIN_MILLIONS;
  const names = new Set([...Object.keys(before), ...Object.keys(millions)]);
  return [...names].sort().flatMap((name) => {
    const [was, is] = [before[name], millions[name]];
    if (is === undefined) return [`${name} is no job any more`];
    if (was === undefined) return isKernel(is) ? [`${name} has no count yet`] : [];
    const ratio = is / was;
    return Math.abs(ratio - 1) <= TOLERANCE
      ? []
      : [
          `${name} takes ${ratio.toFixed(3)} times the instructions: ${is.toFixed(1)} million, not ${was}`,
        ];
  });
}

/** What to do about changes. */
export const REMEDY =
  'Find out why a job takes more; where it has to, or takes less, keep the counts: npm run instructions -- --keep';

await main(import.meta.url, async (args) => {
  await buildWasm();
  const millions = await countInstructions();
  if (args.includes('--keep')) {
    const kernels = Object.entries(millions).filter(([, count]) => count >= MIN_MILLIONS);
    const rounded = kernels.map(([name, count]) => [name, Number(count.toFixed(1))]);
    const content = { compiler: compiler(), millions: Object.fromEntries(rounded) };
    writeFileSync(kept, `${JSON.stringify(content, null, 2)}\n`);
    console.log(`${kernels.length} counts are kept in tests/instructions.json.`);
    return;
  }
  const before = keptCounts();
  if (before.compiler !== compiler()) {
    throw new Failure(`The counts are of another compiler: ${before.compiler}, not ${compiler()}.`);
  }
  const changes = changesOf(millions, before.millions);
  if (changes.length > 0) throw new Failure(`${changes.join('\n')}\n${REMEDY}`);
  console.log('Every job takes the instructions that it took.');
});
