// Reads jobs as JSON from standard input, runs them with the package, and writes their digests as JSON:
// node digests-node.mjs NUM_WORKERS < jobs > digests.

import { createEngine } from '../../dist/node.js';
import { digestsOf } from './digests.mjs';

const jobs = JSON.parse(Buffer.concat(await process.stdin.toArray()).toString());
const options = {
  numWorkers: Number(process.argv[2]),
  workerUrl: new URL('worker-node.mjs', import.meta.url),
  // An emulated processor starts a worker in seconds.
  patience: Number.POSITIVE_INFINITY,
};
process.stdout.write(JSON.stringify(await digestsOf(jobs, createEngine, options)));
