/**
 * The widget of `unnorm.lab` in a notebook, a module for anywidget: https://anywidget.dev/en/afm/. It shows one lab in a
 * frame, and carries settings, results and files of data between the frame and Python. `src/python/unnorm/notebook.py` is
 * the other end.
 *
 * The frame is made of a blob and has no origin (`sandbox`): a lab can reach neither the notebook nor its server, and its
 * policy lets it fetch nothing. The page comes from Python when it is first needed, and is kept for further widgets.
 */
import type { DoneJob, FromNotebookLab, ToNotebookLab } from '../embed/messages.js';
import { settingsText } from '../embed/settings.js';
import { isOnDark } from './background.js';
import { packed } from './packed.js';

type Settings = Record<string, string | number | boolean>;

/** What Python and the widget share. */
interface Traits {
  lab: string;
  settings: Settings;
  theme: 'light' | 'dark' | null;
  compact: boolean;
  version: string;
  /** Of the last run that ended; null while there is none, and while one is on. */
  result: {
    status: string;
    digest: string;
    numbers: Record<string, string>;
    jobs: DoneJob[];
  } | null;
}

/** The part of anywidget's model that is used. */
interface Model {
  get<K extends keyof Traits>(name: K): Traits[K];
  set<K extends keyof Traits>(name: K, value: Traits[K]): void;
  save_changes(): void;
  on(event: string, hear: (...values: never[]) => void): void;
  off(event: string, hear: (...values: never[]) => void): void;
  send(content: unknown): void;
}

/** What Python sends: the answer to a question for a file, or a button to press. */
type FromPython =
  | { type: 'file'; name: string; found: boolean }
  | { type: 'press'; what: 'start' | 'stop' };

/** The space a lab takes until it has said how high it is, in CSS pixels. */
const HEIGHT = 640;
/** Statuses of a run that has come to an end. */
const ENDED = ['stopped', 'done', 'failed'];
/** The most jobs of a result, the last ones. */
const MAX_JOBS = 100;
/** The most characters of all their specs: Jupyter's server hangs up at a message of 10 MiB. */
const MAX_SPECS = 8e6;

/** The pages of this notebook's widgets by their version, each fetched once. */
const PAGES = Symbol.for('unnorm.notebook.pages');
const shared = globalThis as { [PAGES]?: Map<string, Promise<string>> };
const pages = shared[PAGES] ?? new Map<string, Promise<string>>();
// Each widget has a copy of this module.
shared[PAGES] = pages;

function render({ model, el }: { model: Model; el: HTMLElement }): () => void {
  const ends = new AbortController();
  const place = document.createElement('div');
  place.style.minHeight = `${HEIGHT}px`;
  const say = (words: string) => {
    place.replaceChildren(words);
  };
  say('The lab is loading. It comes when the kernel has run the cells before it.');
  el.append(place);
  pageOf(model).then(
    (page) => {
      if (!ends.signal.aborted) showLab(model, place, page, ends.signal);
    },
    (error) => say(String(error)),
  );
  return () => {
    ends.abort();
    place.remove();
  };
}

function pageOf(model: Model): Promise<string> {
  const version = model.get('version');
  const before = pages.get(version);
  if (before) return before;
  const page = askPython(model, 'page.html.gz').then(async (bytes) => {
    if (!bytes) throw new Error('This build of unnorm has no labs in it.');
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('gzip'));
    return new Response(stream).text();
  });
  pages.set(version, page);
  // One that could not be had is not kept: the next try may fare better.
  page.catch(() => pages.delete(version));
  return page;
}

/** The bytes of a file, undefined where there is none. */
function askPython(model: Model, name: string): Promise<Uint8Array<ArrayBuffer> | undefined> {
  return new Promise((resolve) => {
    const hear = (message: FromPython, buffers: (DataView<ArrayBuffer> | ArrayBuffer)[]) => {
      if (message.type !== 'file' || message.name !== name) return;
      model.off('msg:custom', hear);
      const [bytes] = buffers ?? [];
      if (!message.found || !bytes) return resolve(undefined);
      // Copied, because some notebooks put all buffers of a message into one.
      resolve(ArrayBuffer.isView(bytes) ? bytesOf(bytes).slice() : new Uint8Array(bytes));
    };
    model.on('msg:custom', hear);
    model.send({ type: 'file', name });
  });
}

function showLab(model: Model, place: HTMLElement, page: string, ended: AbortSignal): void {
  const theme = () => model.get('theme') ?? (isOnDark(place) ? 'dark' : 'light');
  let shownTheme = theme();
  let jobs: DoneJob[] = [];
  /** The settings that the lab has, as it said or as it was told. */
  let settings = settingsText(model.get('settings'));

  const frame = document.createElement('iframe');
  const form = model.get('compact') ? 'compact' : 'whole';
  frame.name = JSON.stringify({ lab: model.get('lab'), form, theme: shownTheme });
  frame.title = `${model.get('lab')}: a live lab of unnorm`;
  frame.setAttribute('sandbox', 'allow-scripts allow-downloads allow-popups');
  frame.allow = 'clipboard-write';
  frame.style.cssText = `display: block; box-sizing: border-box; width: 100%; height: ${HEIGHT}px; border: 1px solid #8885; border-radius: 10px;`;
  const address = URL.createObjectURL(new Blob([page], { type: 'text/html' }));
  const { port1: port, port2 } = new MessageChannel();
  const tell = (message: ToNotebookLab) => port.postMessage(message);
  frame.onload = () => {
    // It has no origin to name.
    frame.contentWindow?.postMessage({ unnorm: 'connect' }, '*', [port2]);
  };

  port.onmessage = ({ data }: MessageEvent<FromNotebookLab>) => {
    switch (data.type) {
      case 'ready':
        place.style.minHeight = '0';
        frame.style.height = `${data.height + 2}px`;
        return tell({ type: 'theme', theme: shownTheme });
      case 'size':
        // Two pixels are the frame's border.
        frame.style.height = `${data.height + 2}px`;
        return;
      case 'settings':
        settings = data.settings;
        return save({ settings: settingsIn(settings) });
      case 'job': {
        const { verb, spec, digest } = data;
        jobs = [...jobs, { verb, spec: packed(spec), digest }].slice(-MAX_JOBS);
        return;
      }
      case 'run': {
        const { status, digest, numbers } = data;
        if (ENDED.includes(status)) {
          save({ result: { status, digest, numbers, jobs: withinLimit(jobs, digest) } });
          jobs = [];
        } else if (model.get('result')) save({ result: null });
        return;
      }
      case 'file':
        void askPython(model, `data/${data.name}`).then((bytes) =>
          tell({ type: 'file', name: data.name, ...(bytes && { bytes }) }),
        );
    }
  };

  function save(traits: Partial<Traits>): void {
    for (const [name, value] of Object.entries(traits)) model.set(name as keyof Traits, value);
    model.save_changes();
  }

  const showTheme = () => {
    if (theme() === shownTheme) return;
    shownTheme = theme();
    tell({ type: 'theme', theme: shownTheme });
  };
  const takeSettings = () => {
    const given = settingsText(model.get('settings'));
    if (given === settings) return;
    settings = given;
    tell({ type: 'settings', settings });
  };
  const hear = (message: FromPython) => {
    if (message.type === 'press') tell(message);
  };
  model.on('change:theme', showTheme);
  model.on('change:settings', takeSettings);
  model.on('msg:custom', hear);
  const themes = new MutationObserver(showTheme);
  for (const element of [document.documentElement, document.body])
    themes.observe(element, { attributes: true });
  ended.addEventListener('abort', () => {
    model.off('change:theme', showTheme);
    model.off('change:settings', takeSettings);
    model.off('msg:custom', hear);
    themes.disconnect();
    port.close();
    // Not before: without it the part after the # cannot change.
    URL.revokeObjectURL(address);
  });

  frame.src = `${address}#${settings}`;
  place.replaceChildren(frame);
}

/** The jobs, some without their specs if these are too long: that of the digest is kept first, then the newest. */
function withinLimit(jobs: DoneJob[], digest: string): DoneJob[] {
  const kept = new Set<DoneJob>();
  let left = MAX_SPECS;
  const isWanted = (job: DoneJob) => job.digest === digest;
  for (const job of [...jobs.filter(isWanted), ...[...jobs].reverse()]) {
    const length = kept.has(job) ? 0 : (JSON.stringify(job.spec)?.length ?? 0);
    if (length > left) continue;
    left -= length;
    kept.add(job);
  }
  return jobs.map((job) => (kept.has(job) ? job : { verb: job.verb, digest: job.digest }));
}

/** Settings of a link's text as Python has them: numbers where they read the same. */
function settingsIn(text: string): Settings {
  const entries = [...new URLSearchParams(text)];
  return Object.fromEntries(
    entries.map(([name, value]) => [name, String(Number(value)) === value ? Number(value) : value]),
  );
}

function bytesOf({
  buffer,
  byteOffset,
  byteLength,
}: DataView<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer, byteOffset, byteLength);
}

export default { render };
