/** One run of live code, as the page shows it. */
import type { FromProgram } from './messages.js';
import type { Block } from './program.js';

/** Something that the program has shown. */
export type Entry = Extract<FromProgram, { kind: 'line' | 'table' | 'plot' | 'value' }>;

export type RunStatus = 'ready' | 'loading' | 'running' | 'done' | 'failed' | 'stopped';

/** How often the program is asked for a sign of life, and after how many without an answer it is busy, in milliseconds. */
const PING_INTERVAL = 1000;
const UNANSWERED = 2;

/** One at a time on a page: another one ends it. */
let current: LiveRun | undefined;

export class LiveRun {
  status = $state<RunStatus>('ready');
  entries = $state.raw<readonly Entry[]>([]);
  variables = $state.raw<readonly (readonly [string, string])[]>([]);
  omitted = $state(0);
  progress = $state.raw<{ verb: string; fraction: number } | undefined>();
  /** Whether the program does not answer, as in an endless loop. */
  busy = $state(false);
  error = $state.raw<{ text: string; where: string } | undefined>();
  /** Blocks before the one that is run, which lead up to it. */
  numBefore = $state(0);
  #controller: AbortController | undefined;

  readonly isActive = $derived(this.status === 'loading' || this.status === 'running');

  /** Runs the last of some blocks, after the others. */
  async start(blocks: readonly Block[], host: HTMLElement): Promise<void> {
    if (current !== this) current?.stop();
    this.#controller?.abort();
    current = this;
    const controller = new AbortController();
    const { signal } = controller;
    this.#controller = controller;
    Object.assign(this, { status: 'loading', entries: [], variables: [], omitted: 0 });
    Object.assign(this, { progress: undefined, busy: false, error: undefined });
    this.numBefore = blocks.length - 1;
    try {
      const [{ programOf }, { openSandbox }] = await Promise.all([
        import('./program.js'),
        import('./sandbox.js'),
      ]);
      const program = await programOf(blocks);
      let unanswered = 0;
      const sandbox = await openSandbox(program, {
        host,
        signal,
        on: (message) => {
          unanswered = 0;
          this.busy = false;
          if (message.kind !== 'failed') return this.#take(message);
          const place = message.lines.map((line) => program.placeOf(line)).find((one) => one);
          this.#fail(message.text, place && whereOf(place, blocks.length));
        },
      });
      this.status = 'running';
      const timer = setInterval(() => {
        if (unanswered >= UNANSWERED) this.busy = true;
        unanswered += 1;
        sandbox.ping();
      }, PING_INTERVAL);
      signal.addEventListener('abort', () => clearInterval(timer));
    } catch (error) {
      if (signal.aborted) return;
      const isCode = error instanceof SyntaxError;
      const words = error instanceof Error ? error.message : String(error);
      this.#fail(isCode ? words : `What runs the code could not be loaded (${words}). Try again.`);
    }
  }

  /** Ends it, whatever it does. */
  stop(): void {
    if (this.isActive) this.#end('stopped');
  }

  /** Forgets what was shown. */
  clear(): void {
    this.#end('ready');
    Object.assign(this, { entries: [], variables: [], omitted: 0, error: undefined });
  }

  #take(message: Exclude<FromProgram, { kind: 'failed' }>): void {
    switch (message.kind) {
      case 'variables':
        this.variables = message.entries;
        break;
      case 'omitted':
        this.omitted = message.count;
        break;
      case 'progress':
        this.progress = message.fraction < 1 ? message : undefined;
        break;
      case 'ended':
        this.#end('done');
        break;
      case 'pong':
        break;
      default:
        this.entries = [...this.entries, message];
    }
  }

  #fail(text: string, where = ''): void {
    this.error = { text, where };
    this.#end('failed');
  }

  #end(status: RunStatus): void {
    this.#controller?.abort();
    this.status = status;
    this.busy = false;
    this.progress = undefined;
    if (current === this) current = undefined;
  }
}

function whereOf({ block, line }: { block: number; line: number }, numBlocks: number): string {
  const before = numBlocks - 1 - block;
  const which =
    before === 0 ? '' : before === 1 ? ' of the block before' : ` of the block ${before} before`;
  return `Line ${line + 1}${which}`;
}
