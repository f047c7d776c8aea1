/**
 * `<unnorm-lab name="annealing"></unnorm-lab>`: any lab on any page, by one script of the site, `embed.js`.
 *
 * The lab is in a frame of the site's own origin, not in a shadow root of the page's. A shadow root keeps styles apart
 * and nothing else: scripts and workers of another origin need the host's permission and that of the page's content
 * security policy, module workers cannot be started from there at all, and labs use what a page has one of: the part of
 * the address after #, the theme on the root element, the storage. In a frame each lab has those to itself, several
 * on a page do not know of one another, an error in one stays there, and when the element is removed the browser ends
 * its workers and gives back its memory, whatever they were doing. What a frame lacks is done here: it is as high as its
 * lab, loads when it comes near the window, and speaks with the page over a port that is handed to the site's origin only.
 *
 * Attributes: `name`; `settings`, as in a link after the #, or as JSON; `theme`, light or dark, the system's if absent;
 * `compact`, without numbers and code; `loading="eager"`. Events: `unnorm-ready`, `unnorm-settings` with
 * `detail.settings`, `unnorm-run` with `detail.status`, `.digest` and `.numbers`. Methods: `start()`, `stop()`.
 * What is inside of the element is shown until the lab is there, and on paper. The guide is docs/guides/embed.md.
 */
import type { FromLab, ToLab } from './messages.js';
import { settingsText } from './settings.js';

/** The labs by their names; the build puts them in. */
declare const __TITLES__: Record<string, string>;
const TITLES = __TITLES__;

/** A frame that has not answered after so many milliseconds is given up. */
const PATIENCE = 30_000;
/** The space a lab takes until it has said how high it is, in CSS pixels. */
const HEIGHT = 640;

const STYLE = `
  :host { display: block; }
  :host([hidden]) { display: none; }
  div { position: relative; min-height: ${HEIGHT}px; }
  div.ready, div.problem { min-height: 0; }
  iframe { display: block; box-sizing: border-box; width: 100%; height: ${HEIGHT}px; border: 1px solid #8885; border-radius: 10px; }
  div:not(.ready) iframe { position: absolute; visibility: hidden; }
  div.ready slot { display: none; }
  @media print {
    div.stands-in { min-height: 0; }
    div.stands-in iframe { display: none; }
    div.stands-in slot { display: contents; }
  }
  p { margin: 0; padding: 0.8em 1em; border: 1px solid; border-radius: 10px; }
`;

/** The folder this script is in: the site. */
const site = new URL('./', addressOfScript());

function addressOfScript(): string {
  // A module has no current script.
  const all = document.querySelectorAll<HTMLScriptElement>('script[src]');
  const own = [...all].find(({ src }) => /\/embed\.js$/.test(src.replace(/[?#].*$/, '')));
  const src = (document.currentScript as HTMLScriptElement | null)?.src || own?.src;
  if (!src) throw new Error('embed.js has to be loaded by a script element with its address.');
  return src;
}

class UnnormLab extends HTMLElement {
  static readonly observedAttributes = ['name', 'settings', 'theme', 'compact'];
  /** All that is in the shadow root: what the element has inside of itself, until the lab is there. */
  readonly #place = document.createElement('div');
  #frame: HTMLIFrameElement | undefined;
  #port: MessagePort | undefined;
  #near: IntersectionObserver | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Where the lab is, so that it comes back as it was when the element is moved. */
  #settings: string | undefined;

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open' });
    // No style element: the page's content security policy may forbid those.
    const style = new CSSStyleSheet();
    style.replaceSync(STYLE);
    root.adoptedStyleSheets = [style];
    root.append(this.#place);
  }

  /** The settings the lab has now, as in a link after the #. */
  get settings(): string {
    return this.#settings ?? settingsIn(this.getAttribute('settings') ?? '') ?? '';
  }

  set settings(settings: string | Readonly<Record<string, unknown>>) {
    const text = typeof settings === 'string' ? settings : JSON.stringify(settings);
    this.setAttribute('settings', text);
  }

  /** Presses the lab's main button, unless a run is on. */
  start(): void {
    this.#tell({ type: 'press', what: 'start' });
  }

  /** Stops the run, if there is one. */
  stop(): void {
    this.#tell({ type: 'press', what: 'stop' });
  }

  connectedCallback(): void {
    this.#begin();
  }

  disconnectedCallback(): void {
    this.#end();
  }

  /** Moved as one piece, the frame goes on where it is. */
  connectedMoveCallback(): void {}

  attributeChangedCallback(name: string, before: string | null, now: string | null): void {
    if (before === now) return;
    if (name === 'settings') this.#settings = undefined;
    if (!this.isConnected) return;
    const settings = settingsIn(this.getAttribute('settings') ?? '');
    if (this.#port && name === 'theme') {
      this.#tell({ type: 'theme', theme: this.#theme });
    } else if (this.#port && name === 'settings' && settings !== undefined) {
      this.#tell({ type: 'settings', settings });
    } else {
      if (name === 'name') this.#settings = undefined;
      this.#end();
      this.#begin();
    }
  }

  get #theme(): 'light' | 'dark' | undefined {
    const theme = this.getAttribute('theme');
    return theme === 'light' || theme === 'dark' ? theme : undefined;
  }

  #begin(): void {
    const slot = document.createElement('slot');
    this.#place.replaceChildren(slot);
    this.#place.className = '';
    // Paper has what is inside of the element, such as a picture, where there is something.
    const look = () => this.#place.classList.toggle('stands-in', this.childElementCount > 0);
    slot.onslotchange = look;
    look();
    const name = this.getAttribute('name') ?? '';
    if (!Object.hasOwn(TITLES, name)) {
      const names = Object.keys(TITLES).join(', ');
      const wrong = name === '' ? 'This lab has no name' : `There is no lab “${name}”`;
      return this.#refuse(`${wrong}. The labs are ${names}.`);
    }
    if (settingsIn(this.getAttribute('settings') ?? '') === undefined)
      return this.#refuse(
        'The settings of this lab are neither those of a link nor a JSON object.',
      );
    if (this.getAttribute('loading') === 'eager') return this.#load(name);
    this.#near = new IntersectionObserver(
      (entries) => {
        if (entries.some(({ isIntersecting }) => isIntersecting)) this.#load(name);
      },
      { rootMargin: '400px' },
    );
    this.#near.observe(this);
  }

  #load(name: string): void {
    this.#near?.disconnect();
    const address = new URL(`labs/${name}/`, site);
    address.searchParams.set('embed', this.hasAttribute('compact') ? 'compact' : '');
    if (this.#theme) address.searchParams.set('theme', this.#theme);
    address.hash = this.settings;
    const frame = document.createElement('iframe');
    frame.part.add('frame');
    frame.title = `${TITLES[name]}: a live lab of unnorm`;
    frame.allow = 'clipboard-write; cross-origin-isolated';
    frame.referrerPolicy = 'no-referrer';
    // An isolated page takes frames from elsewhere only with headers that few hosts send, or without credentials.
    if (globalThis.crossOriginIsolated && site.origin !== location.origin)
      frame.setAttribute('credentialless', '');
    frame.onload = () => this.#connect(frame);
    document.addEventListener('securitypolicyviolation', this.#onViolation);
    this.#timer = setTimeout(() => this.#giveUp(), PATIENCE);
    frame.src = address.href;
    this.#frame = frame;
    this.#place.append(frame);
  }

  /** Hands a port to the page in the frame, which has to be the site's. */
  #connect(frame: HTMLIFrameElement): void {
    const { port1, port2 } = new MessageChannel();
    this.#port?.close();
    this.#port = port1;
    port1.onmessage = ({ data }: MessageEvent<FromLab>) => this.#hear(data);
    frame.contentWindow?.postMessage({ unnorm: 'connect' }, site.origin, [port2]);
  }

  #hear(message: FromLab): void {
    const frame = this.#frame;
    if (!frame) return;
    switch (message.type) {
      case 'ready':
        clearTimeout(this.#timer);
        frame.style.height = `${message.height + 2}px`;
        this.#place.classList.add('ready');
        return this.#say('ready', {});
      case 'size':
        // Two pixels are the frame's border.
        frame.style.height = `${message.height + 2}px`;
        return;
      case 'settings':
        if (this.#settings === message.settings) return;
        this.#settings = message.settings;
        return this.#say('settings', { settings: message.settings });
      case 'run': {
        const { status, digest, numbers } = message;
        return this.#say('run', { status, digest, numbers });
      }
    }
  }

  #say(name: string, detail: object): void {
    this.dispatchEvent(
      new CustomEvent(`unnorm-${name}`, { detail, bubbles: true, composed: true }),
    );
  }

  #tell(message: ToLab): void {
    this.#port?.postMessage(message);
  }

  readonly #onViolation = ({ effectiveDirective, blockedURI }: SecurityPolicyViolationEvent) => {
    const isFrame = ['frame-src', 'child-src', 'default-src'].includes(effectiveDirective);
    if (isFrame && blockedURI.startsWith(site.origin)) {
      this.#end();
      this.#refuse(
        `This page’s content security policy keeps the lab out: add ${site.origin} to frame-src.`,
      );
    }
  };

  #giveUp(): void {
    this.#end();
    this.#refuse(
      `This lab could not be loaded from ${site.host}. Check the connection and load the page again.`,
    );
  }

  /** A sentence in the place of the lab. */
  #refuse(words: string): void {
    const sentence = document.createElement('p');
    sentence.setAttribute('role', 'alert');
    sentence.textContent = words;
    this.#place.className = 'problem';
    this.#place.replaceChildren(sentence);
  }

  #end(): void {
    this.#near?.disconnect();
    clearTimeout(this.#timer);
    document.removeEventListener('securitypolicyviolation', this.#onViolation);
    this.#port?.close();
    this.#port = undefined;
    this.#frame?.remove();
    this.#frame = undefined;
  }
}

/** Settings as in a link, from a whole link, its part after the # or a JSON object; undefined where it is none. */
function settingsIn(given: string): string | undefined {
  const text = given.trim();
  if (!text.startsWith('{')) return text.replace(/^[^#]*#/, '');
  try {
    return settingsText(JSON.parse(text));
  } catch {
    return undefined;
  }
}

if (!customElements.get('unnorm-lab')) customElements.define('unnorm-lab', UnnormLab);
