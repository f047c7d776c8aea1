/**
 * Web workers from a script's text or from another origin, and the reasons why a worker did not
 * start.
 */

import { messageOf } from './errors.js';

/** How long to search for the reason, in milliseconds. */
const WHY_PATIENCE_MS = 10_000;

/** A worker that was started. */
export interface StartedWorker {
  worker: Worker;
  /** Where its script is, for messages; undefined if that is not known. */
  address(): string | undefined;
  /** Frees what it was started from. Call it once the worker has answered or failed. */
  release(): void;
}

/** Starts a worker from the text of a script. */
export function blobWorker(text: string, type: WorkerType): StartedWorker {
  const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  const release = () => URL.revokeObjectURL(url);
  try {
    return {
      worker: new Worker(url, { type }),
      address: () => undefined,
      release,
    };
  } catch (cause) {
    release();
    throw cause;
  }
}

const WORKER_URL = 'give createEngine the address of a copy as workerUrl';

/** The error for a worker that the browser refuses to create. */
export function workerRefused(address: string | undefined, cause: unknown): Error {
  const words = messageOf(cause);
  if (!(cause instanceof DOMException) || cause.name !== 'SecurityError') {
    return new Error(`${address ?? 'its script'}: ${words}`, { cause });
  }
  const advice =
    'a worker cannot be started straight from another origin: give createEngine ' +
    '{ blobWorker: true }, or have the package on the origin of the page';
  return new Error(`${address ?? 'its script'}: ${advice} (${words})`, { cause });
}

/**
 * Finds out why a worker's script could not be loaded, which the browser itself does not say.
 * @param address where the script is, if that is known
 * @param blob whether it was imported by a worker from a blob
 */
export async function whyNotStarted(address: string | undefined, blob: boolean): Promise<string> {
  const policy = `a content security policy must allow ${blob || !address ? 'blob:' : 'its origin'} in worker-src`;
  if (address === undefined) return `its script could not be loaded; ${policy}`;
  const script = `its script ${address}`;
  const deploy = `put the file there, or ${WORKER_URL}`;
  let response: Response;
  try {
    response = await fetch(address, { signal: AbortSignal.timeout(WHY_PATIENCE_MS) });
  } catch (cause) {
    const sharing = blob ? '; its server must allow that with Access-Control-Allow-Origin' : '';
    return `${script} could not be fetched (${messageOf(cause)})${sharing}; ${deploy}`;
  }
  void response.body?.cancel();
  if (!response.ok) return `${script} was answered with status ${response.status}: ${deploy}`;
  const type = (response.headers.get('content-type') ?? '').replace(/;.*/, '').trim();
  if (type === 'text/html') {
    return `${script} was answered with a web page; it is probably not deployed with the site: ${deploy}`;
  }
  if (!/^(text|application)\/(x-)?(java|ecma)script$/.test(type)) {
    const named = type === '' ? 'without a type' : `as ${type}`;
    return `${script} was served ${named}: have the server send it as text/javascript`;
  }
  return `${script}, or a module that it imports, could not be loaded: the files of the package belong together in one folder, and ${policy}`;
}
