/**
 * Fields of a spec from the command line: `--set objective.kind=mpf`.
 */

import { extname } from 'node:path';
import { type Fields, isObject } from '../checks.js';
import { readCsv } from '../formats/csv.js';
import { readJson } from '../formats/json.js';
import { readNpy } from '../formats/npy.js';
import { Failure, naming } from './failure.js';
import { readBytes } from './files.js';

const FORBIDDEN = ['__proto__', 'prototype', 'constructor'];

/** Sets the fields of all `--set` options, in order. */
export async function applySets(spec: Fields, sets: readonly string[]): Promise<void> {
  for (const set of sets) {
    const equals = set.indexOf('=');
    if (equals < 1) throw new Failure(`--set ${set}: write a field, = and a value`);
    const path = set.slice(0, equals);
    setField(spec, path, await valueAfter(path, set.slice(equals + 1)));
  }
}

/** Sets a field by its path, such as `model.layers.0.weights`; missing objects are created. */
export function setField(spec: Fields, path: string, value: unknown): void {
  const names = path.split('.');
  const bad = names.find((name) => name === '' || FORBIDDEN.includes(name));
  if (bad !== undefined) throw new Failure(`--set ${path}: '${bad}' is not the name of a field`);
  const last = names.pop() as string;
  let place: Fields | unknown[] = spec;
  for (const [at, name] of names.entries()) {
    const inner: unknown = (place as Fields)[name];
    if (inner === undefined) (place as Fields)[name] = {};
    else if (!isObject(inner) && !Array.isArray(inner)) {
      throw new Failure(`--set ${path}: ${names.slice(0, at + 1).join('.')} has no fields`);
    }
    place = (place as Fields)[name] as Fields | unknown[];
  }
  if (Array.isArray(place) && !/^\d{1,6}$/.test(last)) {
    throw new Failure(`--set ${path}: '${last}' is not a place in a list`);
  }
  (place as Fields)[last] = value;
}

/**
 * A value: JSON, else a word. After an @, the content of a file: JSON, or all numbers of a table.
 */
async function valueAfter(path: string, text: string): Promise<unknown> {
  if (!text.startsWith('@')) {
    try {
      return readJson(new TextEncoder().encode(text));
    } catch {
      // Text that begins like JSON was meant as JSON.
      if (/^[[{"]/.test(text))
        throw new Failure(`--set ${path}: ${text} is not JSON that is allowed`);
      return text;
    }
  }
  const file = text.slice(1);
  const bytes = await readBytes(file);
  return naming(file, ['bytes'], () => {
    switch (extname(file)) {
      case '.json':
        return readJson(bytes);
      case '.npy':
        return readNpy(bytes).values;
      case '.csv':
        return readCsv(bytes).values;
      default:
        throw new Failure(`--set ${path}=@${file}: give a .json, .npy or .csv file`);
    }
  });
}
