/** Loads the WebAssembly module, once for all workers, and explains why it cannot be loaded. */

import { messageOf, UnnormError } from './errors.js';
import type { Loading, Platform } from './platform.js';
import { Silence } from './silence.js';

/** A module whose only function returns a 128-bit vector: valid only where there is SIMD. */
const SIMD_MODULE = new Uint8Array([
  ...[0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00], // magic number, version
  ...[0x01, 0x05, 0x01, 0x60, 0x00, 0x01, 0x7b], // type 0: () -> v128
  ...[0x03, 0x02, 0x01, 0x00], // function 0 has type 0
  ...[0x0a, 0x08, 0x01, 0x06, 0x00, 0x41, 0x00, 0xfd, 0x0f, 0x0b], // i32.const 0, i8x16.splat
]);

/** Refuses platforms on which the module could not run. */
export function checkSupport(platform: Platform, threads: boolean): void {
  const refuse = (words: string) => {
    throw new UnnormError('unsupported', words);
  };
  if (typeof WebAssembly !== 'object') {
    refuse('WebAssembly is not available here; a current browser or Node 20 is needed');
  }
  if (!WebAssembly.validate(SIMD_MODULE)) {
    refuse('WebAssembly has no SIMD here; a browser from 2023 or later, or Node 20, is needed');
  }
  const obstacle = platform.workersObstacle() ?? (threads ? platform.threadsObstacle() : undefined);
  if (obstacle !== undefined) refuse(obstacle);
}

/** Advice on a file that was not found where it was expected. */
const DEPLOY = 'put it there, or give createEngine its address as wasmUrl';

/** Fetches and compiles a module; gives up when the server has been silent for too long. */
export async function fetchModule(
  url: string | URL,
  { signal, patience }: Loading,
): Promise<WebAssembly.Module> {
  const controller = new AbortController();
  const abort = () => controller.abort(signal?.reason);
  const silence = new Silence(patience, {
    tooLong: () => {
      const words = `did not come: its server has been silent for ${patience / 1000} seconds; try again`;
      controller.abort(unavailable(url, words));
    },
  });
  signal?.addEventListener('abort', abort);
  silence.watch();
  try {
    return await fetchAndCompile(url, controller.signal, () => silence.heard());
  } catch (error) {
    const { aborted, reason } = controller.signal;
    if (!aborted) throw error;
    throw signal?.aborted ? startAborted(signal) : reason;
  } finally {
    silence.stop();
    signal?.removeEventListener('abort', abort);
  }
}

/** The error for an engine whose start was aborted. */
export function startAborted(signal: AbortSignal): UnnormError {
  return new UnnormError('aborted', 'the start of the engine was cancelled', {
    cause: signal.reason,
  });
}

async function fetchAndCompile(
  url: string | URL,
  signal: AbortSignal,
  heard: () => void,
): Promise<WebAssembly.Module> {
  let response: Response;
  try {
    response = await fetch(url, { signal });
  } catch (cause) {
    const policies =
      'if it is there, its server must allow other origins, or the content security policy must ' +
      'allow it in connect-src';
    throw unavailable(
      url,
      `could not be fetched (${messageOf(cause)}): ${DEPLOY}; ${policies}`,
      cause,
    );
  }
  if (!response.ok) {
    throw unavailable(url, `could not be fetched: status ${response.status}: ${DEPLOY}`);
  }
  void listen(response.clone(), heard);
  const type = response.headers.get('content-type') ?? '';
  if (!type.startsWith('application/wasm')) {
    let bytes: ArrayBuffer;
    try {
      bytes = await response.arrayBuffer();
    } catch (cause) {
      throw brokenOff(url, cause);
    }
    return compileBytes(new Uint8Array(bytes), url);
  }
  try {
    return await WebAssembly.compileStreaming(response);
  } catch (cause) {
    if (!(cause instanceof WebAssembly.CompileError))
      throw refused(url, cause) ?? brokenOff(url, cause);
    throw (
      refused(url, cause) ??
      unavailable(url, `is not a WebAssembly file: ${messageOf(cause)}`, cause)
    );
  }
}

/**
 * Reads a copy of a response, to notice when its bytes arrive. The browser compiles the response
 * itself.
 */
async function listen(copy: Response, heard: () => void): Promise<void> {
  try {
    const reader = copy.body?.getReader();
    while (reader && !(await reader.read()).done) heard();
  } catch {
    // The reader of the response itself reports the failure.
  }
}

function brokenOff(url: string | URL, cause: unknown): UnnormError {
  return unavailable(url, `was broken off on its way (${messageOf(cause)}): try again`, cause);
}

/** Compiles the bytes of a file. `url` is its origin, for messages. */
export async function compileBytes(
  bytes: Uint8Array<ArrayBuffer>,
  url: string | URL,
): Promise<WebAssembly.Module> {
  if (bytes.length < 4 || SIMD_MODULE.slice(0, 4).some((byte, i) => bytes[i] !== byte)) {
    const start = new TextDecoder().decode(bytes.slice(0, 200)).trimStart();
    throw unavailable(
      url,
      start.startsWith('<')
        ? `was answered with a web page; the file is probably not deployed with the site: ${DEPLOY}`
        : `is not a WebAssembly file: ${DEPLOY}`,
    );
  }
  try {
    return await WebAssembly.compile(bytes);
  } catch (cause) {
    throw (
      refused(url, cause) ?? unavailable(url, `could not be compiled: ${messageOf(cause)}`, cause)
    );
  }
}

/** The error for a module that the page's security policy forbids, if that is the cause. */
function refused(url: string | URL, cause: unknown): UnnormError | undefined {
  const words = messageOf(cause);
  if (!/unsafe-eval|content.security|\bCSP\b/i.test(words)) return undefined;
  const advice =
    "is forbidden by the page's content security policy: add 'wasm-unsafe-eval' to its script-src";
  return unavailable(url, `${advice} (${words})`, cause);
}

/** The error for a WebAssembly file that cannot be used. */
export function unavailable(url: string | URL, words: string, cause?: unknown): UnnormError {
  const message = `the WebAssembly file ${String(url)} ${words}`;
  return new UnnormError('wasm-unavailable', message, { cause });
}
