/** The browser as a platform of the engine, over the files of one entry of the package. */

import { blobWorker, type StartedWorker, whyNotStarted, workerRefused } from './browser-worker.js';
import type { Numbered } from './line.js';
import { fetchModule } from './loader.js';
import type { Loading, Platform } from './platform.js';
import type { FromWorker } from './protocol.js';

/** The files that belong to an entry of the package. */
export interface OwnFiles {
  /** Compiles the entry's own WebAssembly. */
  compile(threads: boolean, loading: Loading): Promise<WebAssembly.Module>;
  /**
   * Starts the entry's own worker script. This is `new Worker(new URL(..., import.meta.url))`,
   * which bundlers recognize by its form, or the text of a classic script, as Chromium does not
   * start a module from a blob in a page loaded from disk.
   */
  worker: (() => Worker) | string;
  /** Why the entry has no threads, if it has none. */
  threadsObstacle?: string;
}

const NOT_ISOLATED =
  'threads need a cross-origin isolated page: serve it with the headers ' +
  'Cross-Origin-Opener-Policy: same-origin and Cross-Origin-Embedder-Policy: require-corp';

/** A browser's platform. */
export function browserPlatform(files: OwnFiles): Platform {
  return {
    numProcessors: () => navigator.hardwareConcurrency || 1,

    workersObstacle: () =>
      typeof Worker === 'function' ? undefined : 'there are no web workers here',

    threadsObstacle: () =>
      files.threadsObstacle ?? (globalThis.crossOriginIsolated ? undefined : NOT_ISOLATED),

    compile: (threads, url, loading) =>
      url === undefined ? files.compile(threads, loading) : fetchModule(url, loading),

    spawn({ url, blob }, events) {
      const { worker, address, release } = start(files, url, blob);
      let answered = false;
      worker.onmessage = (event: MessageEvent<Numbered<FromWorker>>) => {
        answered = true;
        release();
        events.message(event.data);
      };
      worker.onmessageerror = () => events.failure('a message could not be read');
      worker.onerror = (event) => {
        release();
        // A script that cannot be loaded fires an event without a message.
        if (event.message) events.failure(event.message);
        else if (answered) events.failure('an error of which the browser says nothing');
        else void whyNotStarted(address(), blob).then((words) => events.failure(words));
      };
      return {
        post: (message, transfer) => worker.postMessage(message, transfer),
        setBusy: () => undefined,
        terminate: () => {
          release();
          worker.terminate();
        },
      };
    },
  };
}

function start(files: OwnFiles, given: string | URL | undefined, blob: boolean): StartedWorker {
  if (given === undefined && typeof files.worker === 'string') {
    return blobWorker(files.worker, 'classic');
  }
  const own = given === undefined ? (files.worker as () => Worker) : undefined;
  const address = () => absolute(given === undefined ? addressOf(own!) : String(given));
  if (blob) {
    const url = address();
    const text = url && `import ${JSON.stringify(url)};`;
    if (!text) throw new Error('where its script is cannot be told here: give workerUrl');
    return { ...blobWorker(text, 'module'), address };
  }
  try {
    const worker = own ? own() : new Worker(given as string | URL, { type: 'module' });
    return { worker, address, release: () => undefined };
  } catch (cause) {
    throw workerRefused(address(), cause);
  }
}

/**
 * Where a bundler has put the package's worker. Only the code it made from `new Worker(...)` knows:
 * that code is run with a stand-in for the class, which records the address and starts nothing.
 */
function addressOf(own: () => Worker): string | undefined {
  const { Worker: native } = globalThis;
  let address: string | undefined;
  try {
    globalThis.Worker = class {
      constructor(url: string | URL) {
        address = String(url);
      }
    } as typeof Worker;
    own();
  } catch {
    // If globals are frozen, the address stays unknown.
  } finally {
    if (globalThis.Worker !== native) globalThis.Worker = native;
  }
  return address;
}

/** The URL as a page or a worker would resolve it. */
function absolute(url: string | undefined): string | undefined {
  try {
    return url && new URL(url, globalThis.document?.baseURI ?? globalThis.location?.href).href;
  } catch {
    return url;
  }
}
