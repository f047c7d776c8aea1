/** Node as a platform of the engine: workers are `node:worker_threads`. */

import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { pathToFileURL } from 'node:url';
import { type TransferListItem, Worker } from 'node:worker_threads';

import { messageOf } from './errors.js';
import type { Numbered } from './line.js';
import { compileBytes, fetchModule, unavailable } from './loader.js';
import type { Platform } from './platform.js';
import type { FromWorker } from './protocol.js';

/** Advice if the package's files are missing. */
const BUNDLED =
  'a bundler for Node must leave unnorm out of its bundle (mark it as external), or be given ' +
  'wasmUrl and workerUrl';

/** The platform over an entry's files. */
export function nodePlatform(files: { wasm: URL; worker: URL; threadsObstacle: string }): Platform {
  return {
    numProcessors: availableParallelism,
    workersObstacle: () => undefined,
    threadsObstacle: () => files.threadsObstacle,

    async compile(_threads, given, loading) {
      const url = asUrl(given ?? files.wasm);
      if (url.protocol !== 'file:') return fetchModule(url, loading);
      let bytes: Uint8Array<ArrayBuffer>;
      try {
        bytes = new Uint8Array(await readFile(url));
      } catch (cause) {
        throw unavailable(url, `could not be read: ${messageOf(cause)}; ${BUNDLED}`, cause);
      }
      return compileBytes(bytes, url);
    },

    spawn(script, events) {
      const url = asUrl(script.url ?? files.worker);
      // Options of the process, such as --input-type, must not apply to the worker's script.
      const worker = new Worker(url, { execArgv: [] });
      worker.on('message', (message: Numbered<FromWorker>) => events.message(message));
      worker.on('messageerror', (error) => events.failure(error.message));
      worker.on('error', (error) => {
        // The code begins with ERR_ if a module is missing that the script imports.
        const isMissing = (error as NodeJS.ErrnoException).code?.endsWith('MODULE_NOT_FOUND');
        events.failure(`${messageOf(error)}${isMissing ? `; ${BUNDLED}` : ''}`);
      });
      worker.on('exit', (code) => events.failure(`it ended with exit code ${code}`));
      return {
        post: (message, transfer) =>
          worker.postMessage(message, transfer as unknown as TransferListItem[]),
        setBusy: (busy) => (busy ? worker.ref() : worker.unref()),
        terminate: () => worker.terminate(),
      };
    },
  };
}

/** Converts URLs and, as elsewhere in Node, paths; a single letter before a colon is a drive. */
function asUrl(given: string | URL): URL {
  if (given instanceof URL) return given;
  return /^[a-z][a-z0-9+.-]+:/i.test(given) ? new URL(given) : pathToFileURL(given);
}
