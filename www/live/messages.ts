/**
 * What the sandbox may say to the page. The code in there can be anybody's, so that nothing is taken as it comes:
 * `readMessage` copies the fields that a message has to have, and refuses what is longer than the runtime would send.
 */
import type { LivePlot } from './plots.js';
import { readPlot } from './plots.js';

/** A cell of `console.table`, as text. */
export interface LiveTable {
  head: readonly string[];
  rows: readonly (readonly string[])[];
}

/** A message of a program that runs. */
export type FromProgram =
  | { kind: 'line'; stream: 'out' | 'error'; text: string }
  | { kind: 'table'; table: LiveTable }
  | { kind: 'plot'; plot: LivePlot }
  /** How many lines, tables and plots have been left out by now. */
  | { kind: 'omitted'; count: number }
  /** The value of the last statement, as Node prints it. */
  | { kind: 'value'; text: string }
  /** The variables that the block declares at its top level, as Node prints them. */
  | { kind: 'variables'; entries: readonly (readonly [name: string, text: string])[] }
  | { kind: 'progress'; verb: string; fraction: number }
  | { kind: 'pong' }
  /** `lines` are places in the script, the innermost first. */
  | { kind: 'failed'; text: string; lines: readonly number[] }
  | { kind: 'ended' };

/** What the page says to a program. */
export type ToProgram =
  /** Files that the program may fetch, by their address. */
  { kind: 'start'; files: ReadonlyMap<string, Uint8Array<ArrayBuffer>> } | { kind: 'ping' };

/** How much a program may show. What is beyond is counted and left out. */
export const LIMITS = {
  /** Characters of one line of output, and of all. */
  line: 20_000,
  output: 200_000,
  /** Lines, tables and plots. */
  entries: 1_000,
  plots: 20,
} as const;

/** More than the runtime ever sends in one run, other than answers to pings: messages, and characters and numbers in them. */
export const MAX_SENT = { messages: 20_000, size: 6_000_000 } as const;

/** The characters and numbers in a message. */
export function sizeOf(message: FromProgram): number {
  switch (message.kind) {
    case 'table':
      return [message.table.head, ...message.table.rows].flat().join('').length;
    case 'variables':
      return message.entries.flat().join('').length;
    case 'plot': {
      const { plot } = message;
      return plot.kind === 'matrix' ? plot.values.length : plot.x.length * (1 + plot.series.length);
    }
    default:
      return 'text' in message ? message.text.length : 1;
  }
}

/** A message as it came, checked; undefined for what the runtime does not send. */
export function readMessage(data: unknown): FromProgram | undefined {
  if (typeof data !== 'object' || data === null) return undefined;
  const { kind, text } = data as Record<string, unknown>;
  const fields = data as Record<string, unknown>;
  switch (kind) {
    case 'line': {
      const { stream } = fields;
      if (!isText(text) || (stream !== 'out' && stream !== 'error')) return undefined;
      return { kind, stream, text };
    }
    case 'value':
      return isText(text) ? { kind, text } : undefined;
    case 'table': {
      const table = readTable(fields['table']);
      return table && { kind, table };
    }
    case 'plot': {
      const plot = readPlot(fields['plot']);
      return plot && { kind, plot };
    }
    case 'omitted': {
      const { count } = fields;
      return Number.isSafeInteger(count) ? { kind, count: count as number } : undefined;
    }
    case 'variables': {
      const { entries } = fields;
      if (!isList(entries, LIMITS.entries)) return undefined;
      const pairs = entries.filter((pair): pair is [string, string] => isTexts(pair, 2));
      return { kind, entries: pairs.map(([name, value]) => [name, value]) };
    }
    case 'progress': {
      const { verb, fraction } = fields;
      if (!isText(verb) || typeof fraction !== 'number') return undefined;
      return { kind, verb: verb.slice(0, 40), fraction: Math.min(1, Math.max(0, fraction)) };
    }
    case 'failed': {
      const { lines } = fields;
      if (!isText(text) || !isList(lines, 100)) return undefined;
      return { kind, text, lines: lines.filter((line) => Number.isSafeInteger(line)) as number[] };
    }
    case 'pong':
    case 'ended':
      return { kind };
    default:
      return undefined;
  }
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 2 * LIMITS.line;

const isList = (value: unknown, most: number): value is unknown[] =>
  Array.isArray(value) && value.length <= most;

const isTexts = (value: unknown, most: number): value is string[] =>
  isList(value, most) && value.every(isText);

function readTable(value: unknown): LiveTable | undefined {
  const { head, rows } = (value ?? {}) as Record<string, unknown>;
  if (!isTexts(head, 100) || !isList(rows, LIMITS.entries)) return undefined;
  if (!rows.every((row) => isTexts(row, 100))) return undefined;
  return { head: [...head], rows: (rows as string[][]).map((row) => [...row]) };
}
