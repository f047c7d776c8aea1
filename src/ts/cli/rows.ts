/** Rows from files: bits for binary models, read by the engine where possible, and numbers. */

import { extname } from 'node:path';
import { isObject } from '../checks.js';
import type { Engine } from '../engine.js';
import { unpackBits } from '../formats/bits.js';
import { readCsv } from '../formats/csv.js';
import { readJson } from '../formats/json.js';
import { readNpy } from '../formats/npy.js';
import { startsWith } from '../formats/refusal.js';
import { readZip } from '../formats/zip.js';
import type { DataSpec, ReadData } from '../types.js';
import { Failure, naming } from './failure.js';
import { nameOf, readBytes } from './files.js';
import { type Given, wholeNumber } from './options.js';

export const ROW_FORMATS = ['csv', 'npy', 'npz', 'json', 'bits'] as const;
export type RowFormat = (typeof ROW_FORMATS)[number];

/** Names that the engine's messages may use for the rows. */
const FIELDS = ['data.bytes', 'data.rows', 'data.values', 'data.bits', 'data', 'bytes'];
const MAX_DIM = 2 ** 24;

/** Rows of numbers, one after another. */
export interface NumberRows {
  dim: number;
  values: Float64Array;
}

/** Reads rows of bits or of spins. */
export async function readBits(path: string, given: Given, engine: Engine): Promise<ReadData> {
  const bytes = await readBytes(path);
  return naming(nameOf(path), FIELDS, async () => {
    const format = formatOf(path, given, bytes);
    return engine.readData(await dataOf(format, bytes, given));
  });
}

async function dataOf(format: RowFormat, bytes: Uint8Array, given: Given): Promise<DataSpec> {
  switch (format) {
    case 'csv':
    case 'npy':
      return { kind: format, bytes };
    case 'npz':
      return { kind: 'npy', bytes: await memberOf(bytes, given.array) };
    case 'json':
      return { kind: 'rows', rows: rowsOf(readJson(bytes)) as number[][] };
    case 'bits': {
      const dim = wholeNumber(given, 'dim', 1, MAX_DIM);
      if (dim === undefined) {
        throw new Failure('--dim: the format bits does not tell how long a row is; give --dim');
      }
      const width = Math.ceil(dim / 8);
      if (bytes.length % width !== 0) {
        const words = `no multiple of the ${width} of a row of ${dim} bits`;
        throw new Failure(`--dim ${dim}: the file has ${bytes.length} bytes, ${words}`);
      }
      return { kind: 'bits', dim, numRows: bytes.length / width, bits: bytes };
    }
  }
}

/** Reads rows of numbers; in arrays of more than two dimensions the rows run along the last. */
export async function readNumbers(path: string, given: Given): Promise<NumberRows> {
  const bytes = await readBytes(path);
  return naming(nameOf(path), ['bytes'], async () => {
    switch (formatOf(path, given, bytes)) {
      case 'csv':
        return table(readCsv(bytes));
      case 'npy':
        return table(readNpy(bytes));
      case 'npz':
        return table(readNpy(await memberOf(bytes, given.array)));
      case 'json':
        return numbersOf(rowsOf(readJson(bytes)));
      case 'bits':
        throw new Failure(
          `${nameOf(path)}: bits are for binary models; give csv, npy, npz or json`,
        );
    }
  });
}

/** Rows of bits as numbers. */
export function asNumbers(data: ReadData): NumberRows {
  return { dim: data.dim, values: Float64Array.from(unpackBits(data)) };
}

function formatOf(path: string, given: Given, bytes: Uint8Array): RowFormat {
  const { from } = given;
  const named = from ?? extname(path).slice(1).toLowerCase();
  const format = ROW_FORMATS.find((format) => format === named);
  if (format) return format;
  if (from !== undefined)
    throw new Failure(`--from ${from}: give one of ${ROW_FORMATS.join(', ')}`);
  if (startsWith(bytes, '\x93NUMPY')) return 'npy';
  if (startsWith(bytes, 'PK')) return 'npz';
  // A table does not begin with a bracket.
  const start = new TextDecoder('latin1').decode(bytes.subarray(0, 64));
  return /^\s*[[{]/.test(start) ? 'json' : 'csv';
}

/** The requested .npy file of an archive, or its only one. */
async function memberOf(bytes: Uint8Array, wanted: string | undefined): Promise<Uint8Array> {
  const members = await readZip(bytes);
  const names = [...members.keys()].flatMap((name) =>
    name.endsWith('.npy') ? [name.slice(0, -4)] : [],
  );
  const likely = ['draws', 'states'].find((name) => names.includes(name));
  const name = wanted ?? (names.length === 1 ? names[0] : likely);
  const member = name === undefined ? undefined : members.get(`${name}.npy`);
  if (member) return member;
  const problem = wanted === undefined ? 'has several arrays' : `has no array '${wanted}'`;
  const words =
    names.length === 0 ? 'has no arrays' : `${problem}; name one of ${names.join(', ')}`;
  throw new Failure(`--array: the file ${words}`);
}

/** A list of rows, or the rows of a result of sampling or recall. */
function rowsOf(json: unknown): unknown[] {
  const rows = isObject(json) ? (json['draws'] ?? json['states']) : json;
  if (Array.isArray(rows)) return rows;
  throw new Failure('the JSON must be a list of rows, or a result with draws or states');
}

function numbersOf(rows: unknown[]): NumberRows {
  const dim = Array.isArray(rows[0]) ? rows[0].length : 0;
  if (dim === 0) throw new Failure('row 0 must be a list of at least one number');
  const values = new Float64Array(rows.length * dim);
  for (const [at, row] of rows.entries()) {
    if (!Array.isArray(row) || row.length !== dim) {
      throw new Failure(`row ${at} must be a list of ${dim} numbers, as row 0 is`);
    }
    for (const [column, value] of row.entries()) {
      if (typeof value !== 'number') {
        throw new Failure(`row ${at}, column ${column} must be a number, got ${typeof value}`);
      }
      values[at * dim + column] = value;
    }
  }
  return { dim, values };
}

function table({ shape, values }: { shape: number[]; values: Float64Array }): NumberRows {
  const dim = shape.at(-1) ?? 0;
  if (shape.length < 2 || dim === 0 || values.length === 0) {
    const words = `is an array of shape (${shape.join(', ')})`;
    throw new Failure(`the file ${words}; reshape it to (rows, columns), at least one of each`);
  }
  return { dim, values };
}
