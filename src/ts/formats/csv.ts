/**
 * CSV files of numbers, by the rules of the core's reader of bits (`src/data/csv.rs`): the
 * separator is the first of tab, semicolon, comma and space that occurs in the first line with
 * anything on it; that line is taken for names, and skipped, if none of its entries is a number.
 * Byte order mark, any line ends, blank lines and quotes are fine.
 */

import { joined } from './bytes.js';
import type { NumericArray, NumericValues } from './npy.js';
import { MAX_ENTRIES, refused, textOf } from './refusal.js';

const SEPARATORS = ['\t', ';', ',', ' '];
const NUMBER = /^[+-]?(?:(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?|nan|inf(?:inity)?)$/i;
const LINES_A_PIECE = 1024;

/**
 * Reads a table of numbers, `[numRows, dim]` row-major. Throws an `UnnormError` of code
 * 'invalid-data' naming line and column, both from 1, as an editor counts them.
 */
export function readCsv(bytes: Uint8Array): NumericArray<Float64Array> {
  const lines = textOf(bytes, 'a CSV file of numbers').split(/\r\n|\r|\n/);
  const first = lines.findIndex((line) => line.trim() !== '');
  const separator = SEPARATORS.find((mark) => lines[first]?.trim().includes(mark)) ?? ',';
  const values: number[] = [];
  let dim = 0;
  let numRows = 0;
  for (let n = Math.max(first, 0); n < lines.length; n++) {
    const entries = entriesOf(lines[n] as string, separator);
    if (entries.every((entry) => entry === '') && (entries.length <= 1 || separator === ' ')) {
      continue;
    }
    if (n === first && entries.every((entry) => !NUMBER.test(entry))) continue;
    if (numRows === 0) dim = entries.length;
    if (entries.length !== dim) {
      const words = `line ${n + 1} has ${entries.length} columns where the first row has ${dim}`;
      throw refused(`${words}; all rows must be equally long`);
    }
    if (values.length + dim > MAX_ENTRIES) {
      throw refused(`has more than ${MAX_ENTRIES} entries; split the file`);
    }
    entries.forEach((entry, column) => {
      values.push(numberOf(entry, n + 1, column + 1));
    });
    numRows += 1;
  }
  if (numRows === 0) throw refused('has no rows; give at least one');
  return { shape: [numRows, dim], values: Float64Array.from(values) };
}

/**
 * Writes a row-major table, a row a line, separated by commas and without a line of names. Every
 * number reads back to the same bits.
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

function entriesOf(line: string, separator: string): string[] {
  const entries = line.split(separator).map((entry) => entry.trim().replace(/^"(.*)"$/, '$1'));
  // Spaces may come in runs, before and after the numbers too.
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
