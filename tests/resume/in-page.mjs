/** Runs jobs in a page with checkpoints in its origin's IndexedDB, and goes on from them. */
import { goOn } from './go-on.mjs';

const settled = (request) =>
  new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });

/**
 * @param createEngine of the package under test
 * @param kept is called whenever a checkpoint has been put away
 * @returns the digests by name, and how many jobs had something to go on from
 */
export async function run(createEngine, jobs, kept) {
  const opening = indexedDB.open('resume', 1);
  opening.onupgradeneeded = () => {
    for (const name of ['checkpoints', 'digests']) opening.result.createObjectStore(name);
  };
  const database = await settled(opening);
  const read = (what, name) => settled(database.transaction(what).objectStore(what).get(name));
  const write = (what, name, value) => {
    const transaction = database.transaction(what, 'readwrite');
    transaction.objectStore(what).put(value, name);
    return new Promise((resolve, reject) => {
      transaction.oncomplete = () => resolve();
      transaction.onabort = () => reject(transaction.error);
    });
  };
  const workerUrl = '/tests/matrix/worker-web.mjs';
  const engine = await createEngine({ numWorkers: 2, workerUrl });
  let numResumed = 0;
  await goOn(engine, jobs, {
    digest: (name) => read('digests', name),
    async checkpoint(name) {
      const checkpoint = await read('checkpoints', name);
      if (checkpoint) numResumed += 1;
      return checkpoint;
    },
    async keep(name, checkpoint) {
      await write('checkpoints', name, checkpoint);
      kept(name);
    },
    finish: (name, digest) => write('digests', name, digest),
  });
  await engine.close();
  const digests = jobs.map(async ({ name }) => [name, await read('digests', name)]);
  return { digests: Object.fromEntries(await Promise.all(digests)), numResumed };
}
