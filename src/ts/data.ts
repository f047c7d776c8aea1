/**
 * Checks and copies a data set before it is posted. Rust checks that its values are bits or spins,
 * that sizes match and that files are valid.
 */

import {
  copyBytes,
  describe,
  invalidData,
  isObject,
  refuseUnknown,
  tagOf,
  tryCopy,
} from './checks.js';
import type { WireData } from './protocol.js';
import type { Entries } from './types.js';

const MAX_COUNT = 2 ** 32 - 1;
const BINARY = 'every entry must be exactly 0 or 1, or of spins −1 or 1';

/** Checks and copies a data set. `field` is its path, for messages. */
export function prepareData(data: unknown, field: string): WireData {
  if (!isObject(data)) throw invalidData(field, `must be an object, got ${describe(data)}`);
  const check = (known: string[]) => refuseUnknown(data, known, field, 'invalid-data');
  switch (data['kind']) {
    case 'rows':
      check(['kind', 'rows']);
      return flatten(data['rows'], `${field}.rows`);
    case 'values':
      check(['kind', 'dim', 'values']);
      return {
        kind: 'values',
        dim: checkCount(data['dim'], `${field}.dim`),
        values: copyValues(data['values'], `${field}.values`),
      };
    case 'bits':
      check(['kind', 'dim', 'numRows', 'bits', 'entries']);
      return {
        kind: 'bits',
        dim: checkCount(data['dim'], `${field}.dim`),
        numRows: checkCount(data['numRows'], `${field}.numRows`),
        bits: copyBytes(data['bits'], `${field}.bits`, 'invalid-data'),
        ...checkEntries(data['entries'], `${field}.entries`),
      };
    case 'csv':
    case 'npy':
      check(['kind', 'bytes']);
      return {
        kind: data['kind'],
        bytes: copyBytes(data['bytes'], `${field}.bytes`, 'invalid-data'),
      };
    default: {
      const words = `must be 'rows', 'values', 'bits', 'csv' or 'npy'`;
      throw invalidData(`${field}.kind`, `${words}, got ${describe(data['kind'])}`);
    }
  }
}

/** Row-major values in a form that wasm takes. */
function copyValues(values: unknown, field: string): Uint8Array | Int8Array | Float64Array {
  if (Array.isArray(values)) {
    // One by one, as a typed array would turn null into 0 and '1' into 1.
    return Float64Array.from(values as unknown[], (value, index) => {
      if (typeof value === 'number') return value;
      throw invalidData(`${field}[${index}]`, `is ${describe(value)}; ${BINARY}`);
    });
  }
  switch (tagOf(values)) {
    case 'Uint8Array':
      return copyBytes(values, field, 'invalid-data');
    case 'Int8Array':
      return tryCopy(() => new Int8Array(values as Int8Array), field, 'invalid-data');
    case 'Float64Array':
      return tryCopy(() => new Float64Array(values as Float64Array), field, 'invalid-data');
    default: {
      const words = 'must be a Uint8Array, an Int8Array, a Float64Array or an array of numbers';
      throw invalidData(field, `${words}, got ${describe(values)}`);
    }
  }
}

/**
 * Rows as one block, as cloning nested arrays takes many times as long. They are checked first, as
 * a block no longer shows in which row a mistake is.
 */
function flatten(rows: unknown, field: string): WireData {
  if (!Array.isArray(rows)) throw invalidData(field, `must be an array, got ${describe(rows)}`);
  if (rows.length === 0) throw invalidData(field, 'has no rows; give at least one');
  const dim = Array.isArray(rows[0]) ? rows[0].length : 0;
  if (dim === 0) throw invalidData(`${field}[0]`, 'must be an array of at least one number');
  const values = new Int8Array(rows.length * dim);
  /** The first entry that tells bits from spins, and its position. */
  let low: { value: number; place: string } | undefined;
  for (let index = 0; index < rows.length; index++) {
    const row: unknown = rows[index];
    const here = `${field}[${index}]`;
    if (!Array.isArray(row)) throw invalidData(here, `must be an array, got ${describe(row)}`);
    if (row.length !== dim) {
      throw invalidData(here, `has ${row.length} entries where the first row has ${dim}`);
    }
    for (let column = 0; column < dim; column++) {
      const value: unknown = row[column];
      if (value !== 0 && value !== 1 && value !== -1) {
        throw invalidData(`${here}[${column}]`, `is ${describe(value)}; ${BINARY}`);
      }
      if (value !== 1) {
        low ??= { value, place: `${here}[${column}]` };
        if (low.value !== value) {
          const words = `is ${value}, but ${low.place} is ${low.value}`;
          throw invalidData(`${here}[${column}]`, `${words}; ${BINARY}, and not both`);
        }
      }
      values[index * dim + column] = value;
    }
  }
  return { kind: 'values', dim, values };
}

function checkEntries(entries: unknown, field: string): { entries?: Entries } {
  if (entries === undefined) return {};
  if (entries === 'bits' || entries === 'spins') return { entries };
  throw invalidData(field, `must be 'bits' or 'spins', got ${describe(entries)}`);
}

/** Without this check wasm-bindgen would silently change −1, 2.5 and NaN. */
function checkCount(count: unknown, field: string): number {
  if (Number.isInteger(count) && (count as number) >= 1 && (count as number) <= MAX_COUNT) {
    return count as number;
  }
  const words = `must be a whole number from 1 to ${MAX_COUNT}`;
  throw invalidData(field, `${words}, got ${describe(count)}`);
}
