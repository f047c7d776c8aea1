/** Texts and tests that the checks of specs, data and options share. */

import { UnnormError, type UnnormErrorCode } from './errors.js';

export type Fields = Record<string, unknown>;

/** Whether a value is an object with named fields, as opposed to an array, a map or a buffer. */
export function isObject(value: unknown): value is Fields {
  return Object.prototype.toString.call(value) === '[object Object]';
}

/** The name of a typed array's type, the same in every realm. */
export function tagOf(value: unknown): string | undefined {
  return ArrayBuffer.isView(value)
    ? Object.prototype.toString.call(value).slice('[object '.length, -1)
    : undefined;
}

/** A value in a few words, for messages. */
export function describe(value: unknown): string {
  switch (typeof value) {
    case 'string':
      return `'${value.length > 40 ? `${value.slice(0, 40)}…` : value}'`;
    case 'bigint':
      return `${value}n`;
    case 'function':
      return 'a function';
    case 'symbol':
      return 'a symbol';
    case 'object': {
      if (value === null) return 'null';
      if (Array.isArray(value)) return 'an array';
      if (isObject(value)) return 'an object';
      return `a value of type ${Object.prototype.toString.call(value).slice('[object '.length, -1)}`;
    }
    default:
      return String(value);
  }
}

export function invalidSpec(field: string, words: string): UnnormError {
  return new UnnormError('invalid-spec', `${field}: ${words}`, { field });
}

export function invalidData(field: string, words: string): UnnormError {
  return new UnnormError('invalid-data', `${field}: ${words}`, { field });
}

/** Refuses names that are not in `known`; `path` is the object that has them, '' at the top. */
export function refuseUnknown(
  fields: object,
  known: readonly string[],
  path: string,
  code: UnnormErrorCode,
): void {
  for (const name of Object.keys(fields)) {
    if (known.includes(name)) continue;
    const field = path === '' ? name : `${path}.${name}`;
    const words = `is not a known field; the known ones are ${known.join(', ')}`;
    throw new UnnormError(code, `${field}: ${words}`, { field });
  }
}

/** Runs a copy of a typed array, and reports its failure as a sentence. */
export function tryCopy<T>(copy: () => T, field: string, code: UnnormErrorCode): T {
  try {
    return copy();
  } catch (cause) {
    // A detached buffer gives a TypeError, one that is too large a RangeError.
    const words =
      cause instanceof TypeError
        ? 'has lost its buffer: it was transferred to another thread'
        : 'could not be copied: there is not enough memory';
    throw new UnnormError(code, `${field}: ${words}`, { field, cause });
  }
}

/** A copy of bytes, so that the caller's bytes are never changed or detached. */
export function copyBytes(bytes: unknown, field: string, code: UnnormErrorCode): Uint8Array {
  if (tagOf(bytes) !== 'Uint8Array') {
    throw new UnnormError(code, `${field}: must be a Uint8Array, got ${describe(bytes)}`, {
      field,
    });
  }
  return tryCopy(() => new Uint8Array(bytes as Uint8Array), field, code);
}
