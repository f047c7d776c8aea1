/**
 * The parts of a service worker's global scope that are used here. TypeScript's own library of them contradicts that of
 * pages, and one folder can have only one of the two.
 */
interface ExtendableEvent extends Event {
  waitUntil(promise: Promise<unknown>): void;
}

export interface FetchEvent extends ExtendableEvent {
  readonly request: Request;
  /** Which page or worker asks; empty for a navigation. */
  readonly clientId: string;
  respondWith(response: Promise<Response>): void;
}

interface ServiceWorkerScope {
  readonly registration: { readonly scope: string };
  readonly clients: {
    claim(): Promise<void>;
    matchAll(options: {
      includeUncontrolled: boolean;
      type: 'all';
    }): Promise<readonly { readonly id: string; readonly url: string }[]>;
  };
  skipWaiting(): Promise<void>;
  addEventListener(type: 'install' | 'activate', listener: (event: ExtendableEvent) => void): void;
  addEventListener(type: 'fetch', listener: (event: FetchEvent) => void): void;
  addEventListener(
    type: 'message',
    listener: (event: ExtendableEvent & { data: unknown }) => void,
  ): void;
}

export const worker = globalThis as unknown as ServiceWorkerScope;

/** Where the site is: the address of its landing page. */
export const home: string = worker.registration.scope;
