/** The jobs of `tests/golden`, and the same with other seeds. Runs in Node. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../../src/tools/run.mjs';

const folder = join(root, 'tests/golden');

/** All of them: `{ name, title, spec, digest }`, data as `base64` or in a `file`. */
export function goldens() {
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  if (names.length < 6) throw new Error('files are missing from tests/golden');
  return names.sort().map((file) => ({
    name: file.slice(0, -'.json'.length),
    ...JSON.parse(readFileSync(join(folder, file), 'utf8')),
  }));
}

/** The same with the bytes of every `file` in the spec itself, so that any machine can run it. */
export function withBase64(value) {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { file, ...others } = value;
  const fields = Object.entries(others).map(([name, field]) => [name, withBase64(field)]);
  const own = file === undefined ? {} : { base64: readFileSync(join(root, file), 'base64') };
  return { ...Object.fromEntries(fields), ...own };
}

/**
 * One job for each seed: the spec's own, whose digest is known, and others made of it. What takes no seed is one job.
 * @param numbers which of the seeds; 0 is the spec's own
 */
export function jobsOf(numbers, all = goldens()) {
  return all.flatMap(({ name, spec, digest }) => {
    const own = withBase64(spec);
    // What is not random has no other seed.
    const chosen = spec.seed === undefined ? [0] : numbers;
    return chosen.map((number) => {
      if (number === 0) return { name, seed: spec.seed ?? null, spec: own, digest };
      const away = number * 1_000_003;
      const seed = spec.seed + (spec.seed > 2 ** 52 ? -away : away);
      return { name, seed, spec: { ...own, seed } };
    });
  });
}
