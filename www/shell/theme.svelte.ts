import type { Theme } from '../lib/colours.js';
import { isEmbedded } from './embedded.js';

/**
 * The theme of the page: the system's, until the visitor chooses the other one. The choice is kept, and forgotten
 * again when it is the same as the system's. Within another page it is what that page asks for. The script in index.html
 * sets the first theme before the first paint.
 */
class PageTheme {
  current = $state<Theme>(document.documentElement.dataset.theme === 'dark' ? 'dark' : 'light');
  readonly #systemIsDark = matchMedia('(prefers-color-scheme: dark)');
  /** What the page around this one asks for. */
  #asked: Theme | undefined = isEmbedded
    ? themeIn(new URLSearchParams(location.search).get('theme'))
    : undefined;

  constructor() {
    this.#systemIsDark.addEventListener('change', () => {
      if (!this.#asked && (isEmbedded || !stored())) this.#show(this.#system);
    });
  }

  /** Goes over to a theme, or back to the system's, without keeping the choice. */
  ask(theme: unknown): void {
    this.#asked = themeIn(theme);
    this.#show(this.#asked ?? this.#system);
  }

  toggle(): void {
    this.#show(this.current === 'dark' ? 'light' : 'dark');
    store(this.current === this.#system ? undefined : this.current);
  }

  get #system(): Theme {
    return this.#systemIsDark.matches ? 'dark' : 'light';
  }

  #show(theme: Theme): void {
    this.current = theme;
    document.documentElement.dataset.theme = theme;
  }
}

export const pageTheme = new PageTheme();

/** A colour of styles.css, as the canvases need it. Reads the current theme, so that effects run again when it changes. */
export function themeColour(name: `--${string}`): string {
  void pageTheme.current;
  return getComputedStyle(document.documentElement).getPropertyValue(name).trim();
}

function themeIn(given: unknown): Theme | undefined {
  return given === 'light' || given === 'dark' ? given : undefined;
}

// Storage may be switched off; then the choice lasts as long as the page.
function stored(): boolean {
  try {
    return localStorage.getItem('theme') !== null;
  } catch {
    return false;
  }
}

function store(theme: Theme | undefined): void {
  try {
    if (theme) localStorage.setItem('theme', theme);
    else localStorage.removeItem('theme');
  } catch {}
}
