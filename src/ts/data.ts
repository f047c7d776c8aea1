/**
 * The checks and copies of a data set made before it is posted. That its values are 0 and 1, that
 * sizes match and that files are what they should be is checked in Rust.
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

const MAX_COUNT = 2 ** 32 - 1;

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
      check(['kind', 'dim', 'numRows', 'bits']);
      return {
        kind: 'bits',
        dim: checkCount(data['dim'], `${field}.dim`),
        numRows: checkCount(data['numRows'], `${field}.numRows`),
        bits: copyBytes(data['bits'], `${field}.bits`, 'invalid-data'),
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
function copyValues(values: unknown, field: string): Uint8Array | Float64Array {
  if (Array.isArray(values)) {
    const copy = new Float64Array(values.length);
    copyRow(values, copy, 0, field);
    return copy;
  }
  switch (tagOf(values)) {
    case 'Uint8Array':
      return copyBytes(values, field, 'invalid-data');
    case 'Float64Array':
      return tryCopy(() => new Float64Array(values as Float64Array), field, 'invalid-data');
    default: {
      const words = 'must be a Uint8Array, a Float64Array or an array of numbers';
      throw invalidData(field, `${words}, got ${describe(values)}`);
    }
  }
}

/** Rows as one block: cloning nested arrays takes many times as long as copying a block. */
function flatten(rows: unknown, field: string): WireData {
  if (!Array.isArray(rows)) throw invalidData(field, `must be an array, got ${describe(rows)}`);
  if (rows.length === 0) throw invalidData(field, 'must have at least one row');
  const dim = Array.isArray(rows[0]) ? rows[0].length : 0;
  if (dim === 0) throw invalidData(`${field}[0]`, 'must be an array of at least one number');
  const values = new Float64Array(rows.length * dim);
  for (let index = 0; index < rows.length; index++) {
    const row: unknown = rows[index];
    if (!Array.isArray(row)) {
      throw invalidData(`${field}[${index}]`, `must be an array, got ${describe(row)}`);
    }
    if (row.length !== dim) {
      const words = `has ${row.length} values where the first row has ${dim}`;
      throw invalidData(`${field}[${index}]`, words);
    }
    copyRow(row, values, index * dim, `${field}[${index}]`);
  }
  return { kind: 'values', dim, values };
}

/** Copies numbers one by one, since assigning to a typed array would coerce anything else. */
function copyRow(row: unknown[], into: Float64Array, offset: number, field: string): void {
  for (let index = 0; index < row.length; index++) {
    const value = row[index];
    if (typeof value !== 'number') {
      throw invalidData(`${field}[${index}]`, `must be a number, got ${describe(value)}`);
    }
    into[offset + index] = value;
  }
}

/** wasm-bindgen would turn −1, 2.5 and NaN into other numbers without a word. */
function checkCount(count: unknown, field: string): number {
  if (Number.isInteger(count) && (count as number) >= 1 && (count as number) <= MAX_COUNT) {
    return count as number;
  }
  const words = `must be a whole number from 1 to ${MAX_COUNT}`;
  throw invalidData(field, `${words}, got ${describe(count)}`);
}
