/**
 * Checks and copies a spec before it is posted. It handles what structured cloning or the
 * conversion to wasm would change silently, refuse with an obscure message, or take from the
 * caller. Rust checks everything else.
 */

import {
  describe,
  type Fields,
  invalidData,
  invalidSpec,
  isObject,
  tagOf,
  tryCopy,
} from './checks.js';
import { checkCustom } from './custom.js';
import { prepareData } from './data.js';
import type { WireData } from './protocol.js';
import { rowsOf, type Verb } from './verbs.js';

/** A spec as copied plain data, with the data set separate. */
export interface PreparedSpec {
  spec: Fields;
  data: WireData | undefined;
  /** The path of the data in the spec. */
  dataField: string;
}

const MAX_DEPTH = 32;

/** Minimum number of entries, 512 kB, for which sharing an array is worthwhile. */
const LARGE = 1 << 16;

/** Copies a spec, so that later changes by the caller have no effect, and takes its data out. */
export function prepareSpec(verb: Verb, spec: unknown): PreparedSpec {
  if (!isObject(spec)) throw invalidSpec('spec', `must be an object, got ${describe(spec)}`);
  if ('verb' in spec) throw invalidSpec('verb', 'is not a field of a spec');
  if ('seed' in spec) checkSeed(spec['seed']);
  checkCustom(spec);
  const { rest, data } = takeData(verb, spec);
  return {
    spec: { ...copyFields(rest, '', 0), verb },
    data,
    dataField: rowsOf(verb)?.field ?? 'data',
  };
}

/** Splits a spec into its data and the rest, which is still the caller's until it is copied. */
function takeData(verb: Verb, spec: Fields): { rest: Fields; data: WireData | undefined } {
  const rows = rowsOf(verb);
  if (!rows) return { rest: spec, data: undefined };
  const [field, inner] = rows.field.split('.') as [string, string?];
  if (inner !== undefined) {
    const outer = spec[field];
    if (!isObject(outer) || outer['kind'] !== inner) return { rest: spec, data: undefined };
    const { [inner]: data, ...others } = outer;
    return { rest: { ...spec, [field]: others }, data: prepareData(data, rows.field) };
  }
  const { [field]: data, ...rest } = spec;
  if (data !== undefined || rows.required) return { rest, data: prepareData(data, field) };
  if (verb === 'fit' && spec['states'] === undefined) {
    const words =
      'is missing; give rows of zeros and ones, or, to fit a model on the reals, states';
    throw invalidData(field, words);
  }
  return { rest, data: undefined };
}

function copyFields(fields: Fields, path: string, depth: number): Fields {
  const copy: Fields = {};
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined) continue;
    const field = path === '' ? name : `${path}.${name}`;
    // It would become the copy's prototype, and so be ignored silently.
    if (name === '__proto__') throw invalidSpec(field, 'is not a known field');
    copy[name] = copyPlain(value, field, depth + 1);
  }
  return copy;
}

/** Whether all entries are numbers; a gap is none. */
function areNumbers(items: readonly unknown[]): boolean {
  for (const item of items) if (typeof item !== 'number') return false;
  return true;
}

/** A deep copy of plain data; refuses anything that is neither JSON nor an array of numbers. */
function copyPlain(value: unknown, field: string, depth: number): unknown {
  if (depth > MAX_DEPTH) throw invalidSpec(field, 'is nested too deeply');
  if (value === null || ['number', 'string', 'boolean'].includes(typeof value)) return value;
  if (Array.isArray(value)) {
    return Array.from(value, (item: unknown, index) => {
      if (typeof item === 'number') return item;
      // Lists of pairs are long: no names are made for what is plainly sound.
      if (Array.isArray(item) && areNumbers(item)) return item.slice();
      return copyPlain(item, `${field}[${index}]`, depth + 1);
    });
  }
  if (isObject(value)) return copyFields(value, field, depth);
  const tag = tagOf(value);
  if (tag === 'Uint8Array' || tag === 'Uint8ClampedArray') {
    // Pictures are large, and would be eight times as large as doubles.
    return tryCopy(() => new Uint8Array(value as Uint8Array), field, 'invalid-spec');
  }
  if (tag?.endsWith('Array') && !tag.startsWith('Big')) {
    return tryCopy(() => copyNumbers(value as Float64Array), field, 'invalid-spec');
  }
  throw invalidSpec(field, `must be plain data, got ${describe(value)}`);
}

/**
 * A copy that workers can read in place, if it is large and memory can be shared. Otherwise each
 * worker would be sent a separate copy.
 */
function copyNumbers(numbers: ArrayLike<number>): Float64Array {
  const mayShare =
    typeof SharedArrayBuffer === 'function' && globalThis.crossOriginIsolated !== false;
  if (!mayShare || numbers.length < LARGE) return new Float64Array(numbers);
  const copy = new Float64Array(new SharedArrayBuffer(8 * numbers.length));
  copy.set(numbers);
  return copy;
}

/** Seeds must survive JSON, URLs and 64-bit integers. */
function checkSeed(seed: unknown): void {
  if (seed === undefined || (Number.isSafeInteger(seed) && (seed as number) >= 0)) return;
  const words = `must be a whole number from 0 to ${Number.MAX_SAFE_INTEGER}`;
  throw invalidSpec('seed', `${words}, got ${describe(seed)}`);
}
