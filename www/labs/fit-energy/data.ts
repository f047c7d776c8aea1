import type { ContinuousResult, Engine, SampleResult } from 'unnorm';
import { isSet, setTo } from '../../lib/bit-pictures.js';
import { count, bytes as sizeInWords } from '../../lib/format.js';
import { variablesFrom } from '../../lib/formula-names.js';
import { tableOfText } from '../../lib/own-table.js';
import { bytesPerRow, fileId, type PackedRows } from '../../lib/packed-rows.js';
import { drawnRows, rowsAt } from '../../lib/resampled.js';
import type { Example } from './examples.js';
import { MAX_ROWS, printStarts } from './settings.js';

/** Rows that an energy is fitted to. */
export type Rows =
  | { isBinary: false; dim: number; numRows: number; states: Float64Array }
  | { isBinary: true; dim: number; numRows: number; bits: Uint8Array };

/** A table of the visitor's. */
export interface OwnTable {
  name: string;
  rows: Rows;
  variables: string[];
  /** Size and fingerprint, as a link carries them. */
  id: string;
  /** An energy to begin with, and its parameters. */
  formula: string;
  starts: string;
}

const LARGEST_FILE = 5e6;
const MAX_COLUMNS = 8;
/** So many bits have no more states than can be looked at. */
const MAX_BITS = 12;

/** What exact draws of an example are asked for. */
export function drawSpec(example: Example, numRows: number, seed: number) {
  return {
    ...example.source,
    numChains: numRows,
    numWarmup: 0,
    numDraws: 1,
    start: { kind: 'exact' },
    seed,
  } as const;
}

/** Independent exact draws of an example. */
export async function drawn(
  engine: Engine,
  example: Example,
  numRows: number,
  seed: number,
): Promise<Rows> {
  const result = await engine.sample(drawSpec(example, numRows, seed));
  if (example.isBinary) {
    const { bits, dim } = (result as unknown as SampleResult).draws;
    return { isBinary: true, dim, numRows, bits };
  }
  const { values } = (result as ContinuousResult).draws;
  return { isBinary: false, dim: example.variables.length, numRows, states: values };
}

/** As many rows, drawn from these with replacement. */
export function resampled(rows: Rows, seed: number, stream: number): Rows {
  const drawn = drawnRows(rows.numRows, seed, stream);
  return rows.isBinary
    ? { ...rows, bits: rowsAt(rows.bits, bytesPerRow(rows.dim), drawn) }
    : { ...rows, states: rowsAt(rows.states, rows.dim, drawn) };
}

/** The rows as numbers, one after another: as energies are asked of them. */
export function asNumbers(rows: Rows): Float64Array {
  if (!rows.isBinary) return rows.states;
  const { dim, numRows, bits } = rows;
  const width = bytesPerRow(dim);
  return Float64Array.from({ length: numRows * dim }, (_, at) => {
    const [row, site] = [Math.floor(at / dim), at % dim];
    return isSet(bits, 8 * width * row + site) ? 1 : 0;
  });
}

/** The rows as a fit takes them. */
export function asInput(rows: Rows) {
  if (!rows.isBinary) return { states: rows.states };
  const { dim, numRows, bits } = rows;
  return { data: { kind: 'bits', dim, numRows, bits } as const };
}

/** Reads a table of numbers; columns of 0 and 1 alone are bits. */
export async function readOwnTable(file: File): Promise<OwnTable> {
  const name = `The file “${file.name}”`;
  if (file.size > LARGEST_FILE) {
    throw new Error(
      `${name} has ${sizeInWords(file.size)}; this page takes up to ${sizeInWords(LARGEST_FILE)}.`,
    );
  }
  const { heads, rows: table } = tableOfText(await file.text());
  const [numRows, dim] = [table.length, table[0]?.length ?? 0];
  const numbers = table.flat();
  const isBinary = numbers.every((entry) => entry === 0 || entry === 1);
  const most = isBinary ? MAX_BITS : MAX_COLUMNS;
  if (numRows < 10 || dim < 1) throw new Error(`${name} needs ten rows at least.`);
  if (numRows > MAX_ROWS || dim > most) {
    throw new Error(
      `${name} has ${count(numRows)} rows and ${dim} columns; this page takes up to ${count(MAX_ROWS)} and ${most}${isBinary ? ' of 0 and 1' : ''}.`,
    );
  }
  const variables = variablesFrom(heads, dim);
  const rows: Rows = isBinary
    ? { isBinary, dim, numRows, bits: packed(table, dim) }
    : { isBinary, dim, numRows, states: Float64Array.from(numbers) };
  return {
    name: file.name,
    rows,
    variables,
    id: await fileId(asPacked(rows)),
    ...(isBinary ? pairsOf(variables) : bellOf(variables, table)),
  };
}

function packed(table: readonly number[][], dim: number): Uint8Array {
  const width = bytesPerRow(dim);
  const bits = new Uint8Array(table.length * width);
  table.forEach((row, n) => {
    row.forEach((bit, site) => {
      setTo(bits, 8 * width * n + site, bit === 1);
    });
  });
  return bits;
}

/** The bytes of the rows, by which a file is known again. */
function asPacked(rows: Rows): PackedRows {
  if (rows.isBinary) return rows;
  const { states } = rows;
  const bits = new Uint8Array(states.buffer, states.byteOffset, states.byteLength);
  return { dim: rows.dim, numRows: rows.numRows, bits };
}

/** Names that no column has: those given, or with a number behind. */
function freeName(name: string, taken: readonly string[]): string {
  for (let n = 0; ; n++) {
    const tried = n === 0 ? name : `${name}_${n}`;
    if (!taken.includes(tried)) return tried;
  }
}

/** A bias for each bit and, where there are few, a coupling for each pair. */
function pairsOf(variables: readonly string[]): { formula: string; starts: string } {
  const names = variables.map((_, n) => freeName(`h${n + 1}`, variables));
  const terms = variables.map((variable, n) => `${names[n]}*${variable}`);
  if (variables.length <= 5) {
    for (let i = 0; i < variables.length; i++) {
      for (let j = i + 1; j < variables.length; j++) {
        const name = freeName(`j${i + 1}${j + 1}`, variables);
        names.push(name);
        terms.push(`${name}*${variables[i]}*${variables[j]}`);
      }
    }
  }
  const starts = names.map((name) => ({ name, value: 0, positive: false }));
  return { formula: terms.join(' + '), starts: printStarts(starts) };
}

/** A Gaussian of its own for each column, to begin where the column is. */
function bellOf(
  variables: readonly string[],
  table: readonly number[][],
): { formula: string; starts: string } {
  const alone = variables.length === 1;
  const parts = variables.map((variable, column) => {
    const values = table.map((row) => row[column] ?? 0);
    const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
    const variance = values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
    const [m, s] = ['m', 's'].map((name) =>
      freeName(alone ? name : `${name}${column + 1}`, variables),
    );
    const sd = Math.sqrt(variance) || 1;
    return {
      term: `(${variable} - ${m})^2/(2*${s}^2)`,
      starts: [
        { name: m ?? '', value: Number(mean.toPrecision(3)), positive: false },
        { name: s ?? '', value: Number(sd.toPrecision(3)), positive: true },
      ],
    };
  });
  return {
    formula: parts.map(({ term }) => term).join(' + '),
    starts: printStarts(parts.flatMap(({ starts }) => starts)),
  };
}
