/**
 * The service worker: after one visit to any page the whole site works without a network, and on hosts that send no
 * headers its pages are cross-origin isolated. `files.ts` says how files are kept, `versions.ts` how versions change.
 *
 * A version is got whole or not at all, and whatever fails here, the site goes on from the network as if there were no
 * service worker.
 */
import { fetchInto, isKnown, isolated } from './files.js';
import { type FetchEvent, home, worker } from './scope.js';
import {
  activate,
  current,
  install,
  keepLanguage,
  openVersion,
  others,
  prune,
  versionOf,
} from './versions.js';

worker.addEventListener('install', (event) => event.waitUntil(install()));

worker.addEventListener('activate', (event) =>
  event.waitUntil(activate().then(() => worker.clients.claim())),
);

// The visitor has asked for the new version, or reads another language than English.
worker.addEventListener('message', (event) => {
  const { data } = event;
  if (data === 'takeOver') event.waitUntil(worker.skipWaiting());
  const [, code] = /^keep ([a-z]+)$/.exec(String(data)) ?? [];
  if (code) event.waitUntil(keepLanguage(code));
});

worker.addEventListener('fetch', (event) => {
  const { request } = event;
  if (request.method !== 'GET' || !request.url.startsWith(home)) return;
  // What asks for a part of a file, or for what the browser has and nothing else, is the browser's own affair.
  if (request.headers.has('range') || request.cache === 'only-if-cached') return;
  event.waitUntil(prune());
  event.respondWith(answer(event));
});

async function answer({ request, clientId: asker }: FetchEvent): Promise<Response> {
  // Whoever asks for a page, the page that comes is a new one.
  const clientId = request.mode === 'navigate' ? '' : asker;
  const address = request.url.replace(/[?#].*$/, '').replace(/\/index\.html$/, '/');
  try {
    const kept = await keptAt(address, clientId);
    if (kept) return kept;
    // As static hosts do. The browser takes the part after # along.
    if (request.mode === 'navigate' && isKnown(`${address}/`))
      return Response.redirect(`${address}/${new URL(request.url).search}`);
  } catch {
    // The caches cannot be read; the network may do.
  }
  try {
    return isolated(await fetch(request));
  } catch (error) {
    if (request.mode === 'navigate') return notKept();
    throw error;
  }
}

/** The file in the cache of the page's version. */
async function keptAt(address: string, clientId: string): Promise<Response | undefined> {
  const version = await versionOf(clientId);
  const cache = await openVersion(version);
  const kept = await cache.match(address);
  if (kept) return kept;
  // A name with a hash means the same in every version. The workers of an old page are known by ids of their own.
  if (address.startsWith(`${home}assets/`)) {
    for (const other of await others(version)) {
      const same = await (await openVersion(other)).match(address);
      if (same) return same;
    }
  }
  if (version !== current || !isKnown(address)) return undefined;
  return fetchInto(cache, address).catch(() => undefined);
}

function notKept(): Response {
  const page =
    '<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">' +
    '<title>No network · unnorm</title><style>:root{color-scheme:light dark;font:1rem/1.6 system-ui,sans-serif}' +
    'body{max-width:40rem;margin:4rem auto;padding:0 1rem}</style>' +
    `<h1>No network</h1><p>There is no such page among those kept on this device. <a href="${home}">All labs</a> are.</p>`;
  return new Response(page, {
    status: 503,
    headers: { 'Content-Type': 'text/html; charset=utf-8', 'Cache-Control': 'no-store' },
  });
}
