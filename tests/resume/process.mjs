// Runs the jobs of tests/golden with checkpoints in a folder, and goes on from them, beginning at the job of a number:
// node process.mjs FOLDER NUMBER
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createEngine } from '../../dist/node.js';
import { jobsOf } from '../matrix/jobs.mjs';
import { goOn } from './go-on.mjs';

const [, , folder, first] = process.argv;
const pathOf = (name, what) => join(folder, `${name}.${what}`);
const read = (path) => (existsSync(path) ? readFileSync(path) : undefined);

/** Whole or not at all, whenever the process ends. */
function write(path, bytes) {
  writeFileSync(`${path}.new`, bytes);
  renameSync(`${path}.new`, path);
}

const workerUrl = new URL('worker.mjs', import.meta.url);
const engine = await createEngine({ numWorkers: 2, workerUrl });
const jobs = jobsOf([0]);
await goOn(engine, [...jobs.slice(first), ...jobs.slice(0, first)], {
  digest: (name) => read(pathOf(name, 'digest'))?.toString(),
  checkpoint: (name) => read(pathOf(name, 'checkpoint')),
  keep: (name, checkpoint) => write(pathOf(name, 'checkpoint'), checkpoint),
  finish: (name, digest) => write(pathOf(name, 'digest'), digest),
});
await engine.close();
