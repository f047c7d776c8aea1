import { format, inspect as nodeInspect } from 'node-inspect-extracted';
import { type FromProgram, LIMITS, type LiveTable } from '../messages.js';
import { type LivePlot, MAX_NUMBERS } from '../plots.js';

/** Typed arrays above this length are cut before they are printed: the printer would go through all of their keys. */
const LONG = 200;
const TypedArray: { prototype: Float64Array } = Object.getPrototypeOf(Float64Array);
Object.defineProperty(TypedArray.prototype, nodeInspect.custom, {
  value(this: Float64Array, _depth: number, options: { maxArrayLength?: number | null }) {
    if (this.length <= LONG) return this;
    const shown = Math.min(options.maxArrayLength ?? LONG, LONG);
    const rest = this.length - shown;
    const text = nodeInspect(this.subarray(0, shown), { ...options, customInspect: false });
    return text
      .replace(`(${shown})`, `(${this.length})`)
      .replace(/\s*\]$/, `,\n  ... ${rest} more item${rest > 1 ? 's' : ''}\n]`);
  },
});

/** What a program prints, as Node would print it, within the limits. */
export function openOutput(post: (message: FromProgram) => void) {
  let [charactersLeft, entriesLeft, plotsLeft] = [LIMITS.output, LIMITS.entries, LIMITS.plots] as [
    number,
    number,
    number,
  ];
  let omitted = 0;
  let said = 0;
  let indent = '';
  /** Blocks that only lead up to the one that is run print nothing. */
  let silent = false;

  const omit = () => {
    omitted += 1;
    // Said at 1, 2, 4, …, so that an endless loop says it too.
    if (omitted < 2 * said) return;
    said = omitted;
    post({ kind: 'omitted', count: omitted });
  };

  /** Sends what there is room for. `size` is its characters. */
  const send = (size: number, message: () => FromProgram) => {
    if (silent) return;
    if (entriesLeft < 1 || charactersLeft < size) return omit();
    entriesLeft -= 1;
    charactersLeft -= size;
    post(message());
  };

  const inspect = (given: unknown) => nodeInspect(given, { depth: 2, breakLength: 80 });
  const short = (given: unknown, depth: number, length: number) =>
    cut(
      nodeInspect(given, { depth, maxArrayLength: 20, maxStringLength: 200, breakLength: 80 }),
      length,
    );

  const print =
    (stream: 'out' | 'error') =>
    (...args: unknown[]) => {
      if (silent) return;
      // Formatting takes time, too.
      if (entriesLeft < 1 || charactersLeft < 1) return omit();
      const whole = format(...args).replaceAll('\n', `\n${indent}`);
      const text = cut(indent + whole, Math.min(LIMITS.line, charactersLeft));
      send(Math.min(text.length, charactersLeft), () => ({ kind: 'line', stream, text }));
    };

  const table = (data: unknown, columns?: readonly string[]) => {
    const found = tableOf(data, columns, (cell) => short(cell, 0, 200));
    if (!found) return print('out')(data);
    const size = [found.head, ...found.rows].flat().reduce((sum, cell) => sum + cell.length, 0);
    send(size, () => ({ kind: 'table', table: found }));
  };

  return {
    inspect,
    plot(plot: LivePlot) {
      if (silent) return;
      const numbers =
        plot.kind === 'matrix' ? plot.values.length : plot.x.length * (1 + plot.series.length);
      if (numbers > MAX_NUMBERS)
        throw new RangeError(`plot: ${numbers} numbers; at most ${MAX_NUMBERS} can be drawn.`);
      if (plotsLeft < 1) return omit();
      plotsLeft -= 1;
      send(0, () => ({ kind: 'plot', plot }));
    },
    console: {
      log: print('out'),
      info: print('out'),
      debug: print('out'),
      dir: print('out'),
      warn: print('error'),
      error: print('error'),
      table,
      group(...args: unknown[]) {
        if (args.length > 0) print('out')(...args);
        indent += '  ';
      },
      groupEnd() {
        indent = indent.slice(2);
      },
    },
    /** The value of the last statement. */
    value(given: unknown) {
      if (given === undefined) return;
      const text = short(given, 2, LIMITS.line);
      send(text.length, () => ({ kind: 'value', text }));
    },
    /** What the block has declared: plain data, not functions or engines. */
    variables(given: Readonly<Record<string, unknown>>) {
      if (silent) return;
      const entries = Object.entries(given)
        .slice(0, 200)
        .filter(([, entry]) => isPlain(entry))
        .map(([name, entry]) => [name, short(entry, 1, 2_000)] as const);
      if (entries.length > 0) post({ kind: 'variables', entries });
    },
    /** A block begins; only that with `isShown` is to print. */
    begin(isShown: boolean) {
      silent = !isShown;
    },
    /** Says how much was left out, to the last. */
    flush() {
      if (omitted > said) post({ kind: 'omitted', count: omitted });
    },
  };
}

function cut(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, Math.max(0, length - 1))}…`;
}

function isPlain(value: unknown): boolean {
  if (value === undefined || typeof value === 'function') return false;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null || ArrayBuffer.isView(value);
}

/** Rows and columns as `console.table` of Node has them; undefined for what is no table. */
function tableOf(
  data: unknown,
  columns: readonly string[] | undefined,
  print: (cell: unknown) => string,
): LiveTable | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const entries = Object.entries(data).slice(0, LIMITS.entries);
  const isRow = (row: unknown): row is object => typeof row === 'object' && row !== null;
  const found = entries.flatMap(([, row]) => (isRow(row) ? Object.keys(row) : []));
  const keys = (columns ?? [...new Set(found)]).slice(0, 90);
  const hasValues = entries.some(([, row]) => !isRow(row));
  const rows = entries.map(([index, row]) => [
    index,
    ...keys.map((key) =>
      isRow(row) && Object.hasOwn(row, key) ? print(Reflect.get(row, key)) : '',
    ),
    ...(hasValues ? [isRow(row) ? '' : print(row)] : []),
  ]);
  return { head: ['(index)', ...keys, ...(hasValues ? ['Values'] : [])], rows };
}
