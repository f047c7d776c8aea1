/**
 * CSV files of numbers, by the rules of the core's reader of bits (`src/data/csv.rs`): the
 * separator is the first of tab, semicolon, comma and space that occurs in the first line that is
 * not blank; that line is taken for names, and skipped, if none of its entries is a number. Byte
 * order mark, any line endings, blank lines and quotes are accepted.
 */

import { joined } from './bytes.js';
import type { NumericArray, NumericValues } from './npy.js';
import { MAX_ENTRIES, refused, textOf } from './refusal.js';

const SEPARATORS = ['\t', ';', ',', ' '];
const NUMBER = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|nan|inf(?:inity)?)$/i;
/** Maximum number of entries per line: split into more, one long line would take gigabytes. */
const MAX_COLUMNS = 2 ** 20;
const LINES_A_PIECE = 1024;

/**
 * Reads a table of numbers, `[numRows, dim]` row-major. Throws an `UnnormError` of code
 * 'invalid-data' naming line and column, both from 1, as an editor counts them.
 */
export function readCsv(bytes: Uint8Array): NumericArray<Float64Array> {
  const text = textOf(bytes, 'a CSV file of numbers');
  // Line by line, as a file of line endings alone would make millions of lines at once.
  let separator: string | undefined;
  let values = new Float64Array(1024);
  let length = 0;
  let dim = 0;
  let numRows = 0;
  for (const { line, number } of linesOf(text)) {
    const isFirst = separator === undefined && line.trim() !== '';
    if (isFirst) separator = SEPARATORS.find((mark) => line.trim().includes(mark)) ?? ',';
    if (separator === undefined) continue;
    const entries = entriesOf(line, separator, number);
    if (entries.every((entry) => entry === '') && (entries.length <= 1 || separator === ' ')) {
      continue;
    }
    if (isFirst && entries.every((entry) => !NUMBER.test(entry))) continue;
    if (numRows === 0) dim = entries.length;
    if (entries.length !== dim) {
      const words = `line ${number} has ${entries.length} columns where the first row has ${dim}`;
      throw refused(`${words}; all rows must be equally long`);
    }
    if (length + dim > MAX_ENTRIES) {
      throw refused(`has more than ${MAX_ENTRIES} entries; split the file`);
    }
    if (length + dim > values.length) {
      const larger = new Float64Array(Math.min(2 * (length + dim), MAX_ENTRIES));
      larger.set(values.subarray(0, length));
      values = larger;
    }
    for (let column = 0; column < dim; column++) {
      values[length + column] = numberOf(entries[column] as string, number, column + 1);
    }
    length += dim;
    numRows += 1;
  }
  if (numRows === 0) throw refused('has no rows; give at least one');
  return { shape: [numRows, dim], values: values.slice(0, length) };
}

/** The lines of a text and their numbers, from 1. */
function* linesOf(text: string): Generator<{ line: string; number: number }> {
  const lineEnd = /\r\n|\r|\n/g;
  let start = 0;
  for (let number = 1; ; number++) {
    const end = lineEnd.exec(text);
    yield { line: text.slice(start, end?.index), number };
    if (!end) return;
    start = lineEnd.lastIndex;
  }
}

/**
 * Writes a row-major table, one row per line, separated by commas and without a line of names.
 * Every number reads back to the same bits.
 */
export function writeCsv(values: NumericValues, numColumns: number): Uint8Array<ArrayBuffer> {
  const pieces: Uint8Array[] = [];
  const encoder = new TextEncoder();
  let lines: string[] = [];
  for (let start = 0; start < values.length; start += numColumns) {
    const row = Array.from(values.subarray(start, start + numColumns));
    lines.push(row.map((value) => (Object.is(value, -0) ? '-0' : `${value}`)).join(','));
    if (lines.length === LINES_A_PIECE || start + numColumns >= values.length) {
      pieces.push(encoder.encode(`${lines.join('\n')}\n`));
      lines = [];
    }
  }
  return joined(pieces);
}

function entriesOf(line: string, separator: string, number: number): string[] {
  let most = MAX_COLUMNS;
  for (let at = line.indexOf(separator); at >= 0; at = line.indexOf(separator, at + 1)) {
    if (--most > 0) continue;
    throw refused(`line ${number} has more than ${MAX_COLUMNS} columns; write shorter rows`);
  }
  const entries = line.split(separator).map((entry) => entry.trim().replace(/^"(.*)"$/, '$1'));
  // Spaces may be repeated, also before and after the numbers.
  return separator === ' ' ? entries.filter((entry) => entry !== '') : entries;
}

function numberOf(entry: string, line: number, column: number): number {
  if (NUMBER.test(entry)) {
    const word = /^([+-]?)(nan|inf)/i.exec(entry);
    if (!word) return Number(entry);
    if (word[2]?.toLowerCase() === 'nan') return Number.NaN;
    return word[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  const shown = [...entry.slice(0, 20)].filter((c) => c >= ' ').join('');
  const what = entry === '' ? 'is empty' : `is '${shown}${entry.length > 20 ? '…' : ''}'`;
  throw refused(`line ${line}, column ${column} ${what}; every entry must be a number`);
}
