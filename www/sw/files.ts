/**
 * The files of one version of the site, and how they get into its cache. A file counts only if its bytes are those that
 * were built: a host that is half-way through an update, or sends an old page from some cache, gives others, and a page
 * of one version with a script of another would be broken for as long as it is kept.
 */
import { home } from './scope.js';

/** What the build knows: the version, and of every file its name below the landing page and the SHA-256 of its bytes. */
export interface Manifest {
  version: string;
  /** Fetched when the version is installed: with these everything works without a network. */
  files: Readonly<Record<string, string>>;
  /** Kept when they were first asked for: no page needs them. */
  later: Readonly<Record<string, string>>;
  /** Those of other languages than English, by its code: fetched for who reads it. */
  languages: Readonly<Record<string, Readonly<Record<string, string>>>>;
}

declare const __MANIFEST__: Manifest;
export const manifest: Manifest = __MANIFEST__;

/** What makes pages and workers cross-origin isolated on hosts that send no such headers, and lets others frame them. */
const ISOLATION = {
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Embedder-Policy': 'require-corp',
  'Cross-Origin-Resource-Policy': 'cross-origin',
};

/** Types that browsers insist on, whatever the host says. */
const TYPES: Readonly<Record<string, string>> = {
  wasm: 'application/wasm',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  html: 'text/html; charset=utf-8',
  svg: 'image/svg+xml',
};

const NUM_AT_A_TIME = 4;

/** The address of a file. Pages go by that of their folder: some hosts redirect from index.html to it. */
export function addressOf(file: string): string {
  return new URL(file.replace(/(^|\/)index\.html$/, '$1'), home).href;
}

const hashes = new Map(
  Object.entries(
    Object.assign(
      {},
      manifest.files,
      manifest.later,
      ...Object.values(manifest.languages),
    ) as Record<string, string>,
  ).map(([file, hash]) => [addressOf(file), { file, hash }]),
);

/** Whether the site has a file at an address. */
export function isKnown(address: string): boolean {
  return hashes.has(address);
}

/** Puts files into the cache: those of earlier versions that are the same from there, the rest from the network. */
export async function fill(
  cache: Cache,
  earlier: readonly Cache[],
  wanted: Readonly<Record<string, string>>,
): Promise<void> {
  const files = Object.keys(wanted);
  let failed = false;
  const work = async () => {
    for (let file = files.pop(); file !== undefined && !failed; file = files.pop()) {
      try {
        const address = addressOf(file);
        if (await cache.match(address)) continue;
        const same = await firstWith(earlier, address);
        if (same) await cache.put(address, same);
        else await fetchInto(cache, address);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all(Array.from({ length: NUM_AT_A_TIME }, work));
}

/** Fetches a file and keeps it, if it is the one that was built. */
export async function fetchInto(cache: Cache, address: string): Promise<Response> {
  const known = hashes.get(address);
  if (!known) throw new Error(`${address} is no file of this version.`);
  // Asks the host again even if the browser has one: that of a name without a hash may be old.
  const response = await fetch(address, { cache: 'no-cache' });
  if (!response.ok) throw new Error(`${address} was answered with status ${response.status}.`);
  const bytes = await response.arrayBuffer();
  if ((await sha256(bytes)) !== known.hash)
    throw new Error(`${address} is not the file that was built.`);
  const type = TYPES[known.file.split('.').at(-1) ?? ''] ?? response.headers.get('content-type');
  const kept = new Response(bytes, {
    headers: {
      ...ISOLATION,
      'Content-Type': type ?? 'application/octet-stream',
      'Content-Length': String(bytes.byteLength),
      'X-Hash': known.hash,
    },
  });
  await cache.put(address, kept.clone());
  return kept;
}

/** The answer of a host with the headers of isolation, for what this version does not know. */
export function isolated(response: Response): Response {
  const { status, statusText, body } = response;
  if (response.type !== 'basic' || status !== 200) return response;
  const headers = new Headers(response.headers);
  for (const [name, value] of Object.entries(ISOLATION)) headers.set(name, value);
  return new Response(body, { status, statusText, headers });
}

async function firstWith(caches: readonly Cache[], address: string): Promise<Response | undefined> {
  for (const cache of caches) {
    const response = await cache.match(address);
    if (response?.headers.get('X-Hash') === hashes.get(address)?.hash) return response;
  }
  return undefined;
}

async function sha256(bytes: ArrayBuffer): Promise<string> {
  const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
