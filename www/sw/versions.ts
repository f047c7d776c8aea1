/**
 * Which version of the site a page gets its files from. Every version has a cache of its own. A page stays with the
 * version it was opened with for as long as it is open, also when another tab has gone over to a newer one, so that
 * nothing it still asks for is of another build; when the last such page is gone, so is its cache.
 */
import { addressOf, fill, manifest } from './files.js';
import { home, worker } from './scope.js';

/** Several sites may live below different paths of one origin, and all share its caches. */
const PREFIX = `unnorm ${home} `;
const STATE = `${PREFIX}state`;
export const { version: current } = manifest;

interface State {
  /** The version that new pages get. */
  active: string | undefined;
  /** Pages and workers that were there before it, by their ids, with the version that is theirs. */
  clients: Record<string, string>;
}

/** As it is kept; a service worker is stopped and started at the browser's will. */
let state: Promise<State> | undefined;

export function openVersion(version: string = current): Promise<Cache> {
  return caches.open(PREFIX + version);
}

/** Gets all files of this version. What fails leaves the version before it in its place, and the site online. */
export async function install(): Promise<void> {
  const names = (await caches.keys()).filter((name) => name.startsWith(PREFIX) && name !== STATE);
  const earlier = await Promise.all(
    names.filter((name) => name !== PREFIX + current).map((name) => caches.open(name)),
  );
  try {
    const cache = await openVersion();
    await fill(cache, earlier, manifest.files);
    for (const files of Object.values(manifest.languages)) {
      if (await isIn(earlier, files)) await fill(cache, earlier, files);
    }
  } catch (error) {
    // Where there is no room, none may be taken; what a poor line has brought so far serves the next try.
    if (error instanceof DOMException && error.name === 'QuotaExceededError')
      await caches.delete(PREFIX + current);
    throw error;
  }
}

/** Keeps all that a language needs besides. Without a network what is missing is got at the next page. */
export async function keepLanguage(code: string): Promise<void> {
  const files = manifest.languages[code];
  if (files) await fill(await openVersion(), [], files).catch(() => {});
}

/** Whether any of the files was kept by an earlier version: somebody reads that language here. */
async function isIn(
  earlier: readonly Cache[],
  files: Readonly<Record<string, string>>,
): Promise<boolean> {
  const kept = await Promise.all(earlier.map((cache) => cache.keys()));
  const addresses = new Set(kept.flat().map(({ url }) => url));
  return Object.keys(files).some((file) => addresses.has(addressOf(file)));
}

/** Makes this the version of new pages, and removes those that no page uses any more. */
export async function activate(): Promise<void> {
  const { active, clients } = await readState();
  const living = await livingIds();
  const next: State = { active: current, clients: {} };
  for (const id of living) {
    const version = clients[id] ?? active;
    if (version !== undefined && version !== current) next.clients[id] = version;
  }
  await writeState(next);
  const used = new Set(
    [current, ...Object.values(next.clients)].map((version) => PREFIX + version),
  );
  for (const name of await caches.keys()) {
    if (name.startsWith(PREFIX) && name !== STATE && !used.has(name)) await caches.delete(name);
  }
}

/** The version of a page or worker. */
export async function versionOf(clientId: string): Promise<string> {
  return (await readState()).clients[clientId] ?? current;
}

/** The versions that are kept besides a version. */
export async function others(version: string): Promise<string[]> {
  const { clients } = await readState();
  return [...new Set([current, ...Object.values(clients)])].filter((other) => other !== version);
}

/** Least time between two looks whether old pages are gone, in milliseconds. */
const PRUNE_INTERVAL = 1000;
let pruned = 0;

/**
 * Forgets pages that are gone, and removes versions whose last page was among them. Nothing tells of their end, so this
 * is asked at every request; there is something to do only after a change of versions.
 */
export async function prune(): Promise<void> {
  const { active, clients } = await readState();
  if (Object.keys(clients).length === 0 || Date.now() - pruned < PRUNE_INTERVAL) return;
  pruned = Date.now();
  const living = await livingIds();
  const left = Object.fromEntries(Object.entries(clients).filter(([id]) => living.has(id)));
  await writeState({ active, clients: left });
  const used = new Set([current, ...Object.values(left)]);
  for (const version of new Set(Object.values(clients))) {
    if (!used.has(version)) await caches.delete(PREFIX + version);
  }
}

async function livingIds(): Promise<Set<string>> {
  const living = await worker.clients.matchAll({ includeUncontrolled: true, type: 'all' });
  // Other sites of the origin are none of this one's affairs.
  return new Set(living.filter(({ url }) => url.startsWith(home)).map(({ id }) => id));
}

function readState(): Promise<State> {
  state ??= caches
    .open(STATE)
    .then((cache) => cache.match(home))
    .then((response) => response?.json() ?? { active: undefined, clients: {} })
    .catch((error) => {
      state = undefined;
      throw error;
    });
  return state;
}

async function writeState(next: State): Promise<void> {
  state = Promise.resolve(next);
  const cache = await caches.open(STATE);
  await cache.put(home, Response.json(next));
}
