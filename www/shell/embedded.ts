/**
 * A lab within another page, at its own address with `?embed`: there is no navigation, and what the page around it
 * needs to know goes over a port. `embed/embed.ts` is the other end, and has the messages.
 *
 * Any page may embed a lab. It can change what a link could change, press the lab's button, and hear the settings, the
 * state of the run, its digest and the numbers of the table. Data that a visitor drops stay here.
 */
import type { FromLab, ToLab } from '../embed/messages.js';
import { ADDRESS_FOLLOWED } from '../frame/address.js';

/** Whether this page is to be shown without what leads away from the lab. */
export const isEmbedded = document.documentElement.dataset.embed !== undefined;

/** Answers the page around this one, once it has said who it is. */
export function answerHost(askTheme: (theme: unknown) => void): void {
  if (!isEmbedded || window === parent) return;
  let hangUp = () => {};
  addEventListener('message', ({ source, data, ports: [port] }) => {
    if (source !== parent || data?.unnorm !== 'connect' || !port) return;
    hangUp();
    hangUp = talk(port, askTheme);
  });
}

function talk(port: MessagePort, askTheme: (theme: unknown) => void): () => void {
  const tell = (message: FromLab) => port.postMessage(message);
  const body = document.getElementById('app') ?? document.body;
  const height = () => Math.ceil(body.getBoundingClientRect().height);

  const sizes = new ResizeObserver(() => tell({ type: 'size', height: height() }));
  sizes.observe(body);

  const tellSettings = () => tell({ type: 'settings', settings: location.hash.slice(1) });
  addEventListener(ADDRESS_FOLLOWED, tellSettings);
  addEventListener('hashchange', tellSettings);

  let told = '';
  const tellRun = () => {
    const status = document.querySelector<HTMLElement>('[data-status]')?.dataset.status;
    if (status === undefined) return;
    const digest = document.querySelector<HTMLElement>('[data-digest]')?.dataset.digest ?? '';
    if (told === `${status} ${digest}`) return;
    told = `${status} ${digest}`;
    tell({ type: 'run', status, digest, numbers: status === 'done' ? numbersOnPage() : {} });
  };
  // The table has its last numbers a moment after the state has changed.
  const states = new MutationObserver(() => setTimeout(tellRun));
  states.observe(body, {
    subtree: true,
    childList: true,
    attributeFilter: ['data-status', 'data-digest'],
  });

  port.onmessage = ({ data }: MessageEvent<ToLab>) => {
    switch (data?.type) {
      case 'theme':
        return askTheme(data.theme);
      case 'settings':
        return goTo(`#${String(data.settings)}`);
      case 'press':
        return press(data.what);
    }
  };
  tell({ type: 'ready', height: height() });
  tellSettings();
  tellRun();
  return () => {
    sizes.disconnect();
    states.disconnect();
    removeEventListener(ADDRESS_FOLLOWED, tellSettings);
    removeEventListener('hashchange', tellSettings);
    port.close();
  };
}

/** The lab hears of a new address. Frames without an origin, in notebooks, change theirs in this way only. */
function goTo(hash: string): void {
  if (hash === location.hash) return;
  history.replaceState(history.state, '', hash);
  dispatchEvent(new HashChangeEvent('hashchange'));
}

/** The main button starts a run and, while there is one, stops it. */
function press(what: 'start' | 'stop'): void {
  const status = document.querySelector<HTMLElement>('[data-status]')?.dataset.status ?? '';
  const isBusy = ['starting', 'running', 'paused'].includes(status);
  if (isBusy === (what === 'stop'))
    document.querySelector<HTMLButtonElement>('[data-action="primary"]')?.click();
}

/** The numbers of the table as they stand there, by their names; of several columns the first. */
function numbersOnPage(): Record<string, string> {
  const rows = document.querySelectorAll<HTMLElement>('[data-number]');
  return Object.fromEntries(
    [...rows].map((row) => [
      row.dataset.number ?? '',
      row.querySelector('.value')?.textContent?.trim() ?? '',
    ]),
  );
}
