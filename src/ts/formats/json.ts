/**
 * JSON of specs and results. Typed arrays are written as arrays; a NaN is null and the infinities
 * are '"Infinity"' and '"-Infinity"', as JSON has no such numbers.
 */

import { joined } from './bytes.js';
import { refused, textOf } from './refusal.js';

const NUMBERS_A_PIECE = 4096;

/**
 * Parses JSON from outside. Throws an `UnnormError` of code 'invalid-data' for invalid JSON, and
 * for a field '__proto__', which would become an object's prototype where fields are copied.
 */
export function readJson(bytes: Uint8Array): unknown {
  const text = textOf(bytes, 'a JSON file');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw refused(`is not JSON: ${error instanceof Error ? error.message : String(error)}`);
  }
  // Without a reviver, which would be called for each of millions of numbers, and without
  // recursion.
  const left = [value];
  while (left.length > 0) {
    const next = left.pop();
    if (typeof next !== 'object' || next === null) continue;
    if (Object.hasOwn(next, '__proto__')) {
      throw refused("has a field '__proto__', which is not allowed; take it out");
    }
    for (const inner of Object.values(next)) if (typeof inner === 'object') left.push(inner);
  }
  return value;
}

/** Writes the numbers that JSON does not have. */
export type Nonfinite = (value: number) => string;

const quoted: Nonfinite = (value) => (Number.isNaN(value) ? 'null' : `"${value}"`);

/** JSON in pieces, as the whole may exceed the maximum length of a string. */
export function* jsonPieces(value: unknown, nonfinite: Nonfinite = quoted): Generator<string> {
  if (ArrayBuffer.isView(value)) {
    const numbers = value as Float64Array;
    yield '[';
    for (let start = 0; start < numbers.length; start += NUMBERS_A_PIECE) {
      const piece = Array.from(numbers.subarray(start, start + NUMBERS_A_PIECE));
      const text = piece.map((number) => numberJson(number, nonfinite)).join(',');
      yield start > 0 ? `,${text}` : text;
    }
    yield ']';
  } else if (Array.isArray(value)) {
    yield* sequence('[', value, ']', (item) => jsonPieces(item, nonfinite));
  } else if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).filter(([, inner]) => inner !== undefined);
    yield* sequence('{', fields, '}', function* ([name, inner]) {
      yield `${JSON.stringify(name)}:`;
      yield* jsonPieces(inner, nonfinite);
    });
  } else if (typeof value === 'number') {
    yield numberJson(value, nonfinite);
  } else {
    yield JSON.stringify(value) ?? 'null';
  }
}

/** JSON as bytes of UTF-8, with a line feed at the end. */
export function writeJson(value: unknown, nonfinite?: Nonfinite): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const chunks: Uint8Array[] = [];
  let parts: string[] = [];
  let length = 0;
  const flush = () => {
    chunks.push(encoder.encode(parts.join('')));
    parts = [];
    length = 0;
  };
  for (const piece of jsonPieces(value, nonfinite)) {
    parts.push(piece);
    length += piece.length;
    if (length > 1 << 16) flush();
  }
  parts.push('\n');
  flush();
  return joined(chunks);
}

function* sequence<T>(
  open: string,
  items: readonly T[],
  close: string,
  each: (item: T) => Generator<string>,
): Generator<string> {
  yield open;
  let first = true;
  for (const item of items) {
    if (!first) yield ',';
    first = false;
    yield* each(item);
  }
  yield close;
}

function numberJson(value: number, nonfinite: Nonfinite): string {
  if (!Number.isFinite(value)) return nonfinite(value);
  return Object.is(value, -0) ? '-0' : `${value}`;
}
