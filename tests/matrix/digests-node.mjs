// Digests of jobs by the package in Node, in a process of its own: node digests-node.mjs NUM_WORKERS < jobs > digests,
// both as JSON.

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
