import wasmUrl from '../../dist/wasm/plain/unnorm_bg.wasm?url';
import type { Language } from '../lib/language.js';
import { isEmbedded } from './embedded.js';

/** Least time between two looks for a new version while a page stays open, in milliseconds. */
const LOOK_INTERVAL = 3_600_000;
/** How long the new version may take to take over until the page is loaded again all the same, in milliseconds. */
const PATIENCE = 20_000;

/**
 * The page's side of the service worker (`sw/`): it is set up when the page has nothing better to do, by the footer, and when it has got
 * a new version this says so. The visitor decides when to go over: a run would be lost.
 */
class Offline {
  hasNewVersion = $state(false);
  #registration: ServiceWorkerRegistration | undefined;
  #isGoingOver = false;

  /** `home` leads from this page to the landing page. The files of the page's language are kept, too. */
  async setUp(home: string, language: Language): Promise<void> {
    // Within other pages it would keep all of the site once for each of their origins.
    if (!import.meta.env.PROD || isEmbedded || window !== top) return;
    const { serviceWorker } = navigator;
    const isLab = Boolean(document.documentElement.dataset.lab);
    // The first run finds the file there, or joins in where it has come to; the service worker takes it over.
    if (isLab && !serviceWorker?.controller) await warm();
    if (!serviceWorker) return;
    try {
      const script = new URL(`${home}sw.js`, location.href);
      this.#registration = await serviceWorker.register(script, { updateViaCache: 'none' });
      this.#watch(serviceWorker, this.#registration);
      if (language !== 'en') (await serviceWorker.ready).active?.postMessage(`keep ${language}`);
    } catch {
      // Not allowed here, or no network: the site works without.
    }
  }

  /** Loads the page again, with the new version. */
  goOver(): void {
    this.#isGoingOver = true;
    const waiting = this.#registration?.waiting;
    if (!waiting) return location.reload();
    waiting.postMessage('takeOver');
    setTimeout(() => location.reload(), PATIENCE);
  }

  #watch(container: ServiceWorkerContainer, registration: ServiceWorkerRegistration): void {
    const look = () => {
      // The first version of all does not wait.
      if (registration.waiting && registration.active) this.hasNewVersion = true;
    };
    look();
    registration.addEventListener('updatefound', () => {
      registration.installing?.addEventListener('statechange', look);
    });
    const wasControlled = container.controller !== null;
    container.addEventListener('controllerchange', () => {
      if (this.#isGoingOver) location.reload();
      // Another tab has gone over. This one stays with its version until it is loaded again.
      else if (wasControlled) this.hasNewVersion = true;
    });
    let looked = performance.now();
    document.addEventListener('visibilitychange', () => {
      if (document.hidden || performance.now() - looked < LOOK_INTERVAL) return;
      looked = performance.now();
      registration.update().catch(() => {});
    });
  }
}

export const offline = new Offline();

/** Has the browser fetch what the first run needs. */
async function warm(): Promise<void> {
  try {
    await (await fetch(wasmUrl, { priority: 'low' })).arrayBuffer();
  } catch {
    // The run will say what is wrong.
  }
}
