/** Results as files: complete as JSON or NPZ, or their main part as a table. */

import { extname } from 'node:path';
import { type Fields, isObject } from '../checks.js';
import { writeArviz } from '../formats/arviz.js';
import { unpackBits } from '../formats/bits.js';
import { writeCsv } from '../formats/csv.js';
import { writeJson } from '../formats/json.js';
import { type NumericArray, type NumericValues, writeNpy } from '../formats/npy.js';
import { writeNpz } from '../formats/npz.js';
import type { ContinuousDraws, PackedData, SampleResult } from '../types.js';
import { Failure } from './failure.js';
import { STANDARD } from './files.js';
import { isBinary, shapeOf } from './kinds.js';
import { REST } from './models.js';

const FORMATS = ['csv', 'npy', 'npz', 'json', 'bits', 'arviz'] as const;
export type Format = (typeof FORMATS)[number];

/** The kinds of models with a single array of parameters, which may be written as a table. */
const SINGLE = ['ising', 'ica'];

/** The report of a result: the engine's result and what else is known of it. */
export interface Report extends Fields {
  unnorm: string;
  verb: string;
  spec: Fields;
}

/** The format of an output, from its name or `--format`. */
export function outputFormat(path: string, wanted: string | undefined, rows: boolean): Format {
  const extension = extname(path).slice(1).toLowerCase();
  const fallback = path === STANDARD ? (rows ? 'csv' : 'json') : extension;
  const named = wanted ?? (path.toLowerCase().endsWith('.arviz.json') ? 'arviz' : fallback);
  const format = FORMATS.find((format) => format === named);
  if (format) return format;
  const field =
    wanted === undefined ? `${path}: its name does not end in a format` : `--format ${wanted}`;
  throw new Failure(`${field}; give --format with one of ${FORMATS.join(', ')}`);
}

/** Refuses formats in which a result cannot be written, before the work is done. */
export function checkFormat(format: Format, verb: string, model: Fields): void {
  const { kind } = model;
  const rows = ['sample', 'recall', 'mode'].includes(verb);
  const refuse = (words: string) => {
    throw new Failure(`--format ${format}: ${words}`);
  };
  if (format === 'bits' && !(rows && isBinary(model)))
    refuse('is for draws and states of zeros and ones');
  if (format === 'arviz' && verb !== 'sample') refuse('is for the draws of sample');
  const isTable = format === 'csv' || format === 'npy';
  if (isTable && ['logz', 'exact', 'spline', 'kernels', 'structure'].includes(verb)) {
    refuse(`${verb} gives no table; use json or npz`);
  }
  const isFit = verb === 'fit' || verb === 'memorize';
  if (isTable && isFit && !SINGLE.includes(kind as string)) {
    refuse(`a model of kind ${kind} has several arrays; use json or npz`);
  }
}

/** The bytes of a result in a format. */
export function encode(format: Format, report: Report): Uint8Array {
  switch (format) {
    case 'json':
      return writeJson(plain(report));
    case 'npz': {
      const arrays = new Map<string, NumericArray>();
      const rest = split(report, '', report, arrays);
      return writeNpz(arrays, new Map([[REST, writeJson(rest)]]));
    }
    case 'arviz': {
      const { numChains } = report.spec;
      return writeArviz(report as unknown as SampleResult, { numChains: numChains as number });
    }
    case 'bits':
      return (rowsOf(report) as PackedData).bits;
    case 'csv':
    case 'npy': {
      const { values, shape } = tableOf(report);
      if (format === 'npy') return writeNpy(values, shape);
      return writeCsv(values, shape.length > 1 ? (shape.at(-1) as number) : 1);
    }
  }
}

/** The rows of a result, if these are its main part. */
function rowsOf(report: Report): unknown {
  if (report.verb === 'recall') return report['states'];
  return report.verb === 'mode' ? report['state'] : report['draws'];
}

/** The main part of a result. */
function tableOf(report: Report): NumericArray {
  const { model, energies } = report;
  const rows = rowsOf(report);
  if (rows !== undefined) {
    const { values, shape } = arrayOf(rows) as NumericArray;
    const dim = shape.at(-1) as number;
    return { values, shape: [values.length / dim, dim] };
  }
  if (!isObject(model)) {
    return { values: energies as Float64Array, shape: [(energies as Float64Array).length] };
  }
  const [name, values] = Object.entries(model).find(([, value]) => ArrayBuffer.isView(value)) as [
    string,
    Float64Array,
  ];
  return { values, shape: shapeOf(model, name, values.length) };
}

/** Draws of either kind, or rows of bits, as an array. */
function arrayOf(value: unknown): NumericArray | undefined {
  if (!isObject(value)) return undefined;
  if ('bits' in value && 'numRows' in value) {
    const data = value as unknown as PackedData;
    return { values: unpackBits(data), shape: [data.numRows, data.dim] };
  }
  if ('values' in value && 'numDraws' in value) {
    const { values, numDraws, numChains, dim } = value as unknown as ContinuousDraws;
    return { values, shape: [numDraws, numChains, dim] };
  }
  return undefined;
}

/** A result for JSON, with rows as lists of lists. */
function plain(value: unknown): unknown {
  const array = arrayOf(value);
  if (array) {
    const { values, shape } = array;
    const dim = shape.at(-1) as number;
    return Array.from({ length: values.length / dim }, (_, row) =>
      values.subarray(row * dim, (row + 1) * dim),
    );
  }
  if (Array.isArray(value)) return value.map(plain);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, plain(inner)]));
}

/** Takes the arrays out of a result, by their paths; returns the rest. */
function split(
  value: unknown,
  path: string,
  owner: Fields,
  arrays: Map<string, NumericArray>,
): unknown {
  const whole = arrayOf(value);
  if (whole) {
    arrays.set(path, whole);
    return undefined;
  }
  if (ArrayBuffer.isView(value)) {
    const values = value as NumericValues;
    arrays.set(path, {
      values,
      shape: shapeIn(owner, path.split('.').at(-1) as string, values.length),
    });
    return undefined;
  }
  const deeper = (name: string | number, inner: unknown, owner: Fields) =>
    split(inner, path === '' ? `${name}` : `${path}.${name}`, owner, arrays);
  if (Array.isArray(value)) return value.map((inner, n) => deeper(n, inner, owner));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, deeper(name, inner, value)]),
  );
}

/** The shape of an array of a model or of a result. */
function shapeIn(owner: Fields, name: string, length: number): number[] {
  const { draws } = owner;
  if (isObject(draws) && (name === 'moments' || name === 'momentErrors') && length > 0) {
    return [draws['dim'] as number, draws['dim'] as number];
  }
  if (isObject(draws) && name === 'energies' && 'numChains' in draws) {
    return [draws['numDraws'] as number, draws['numChains'] as number];
  }
  const { energies } = owner;
  const isOfStates = ['gradients', 'parameters', 'conditionals', 'hidden'].includes(name);
  if (isOfStates && length > 0 && ArrayBuffer.isView(energies)) {
    const numStates = (energies as Float64Array).length;
    return [numStates, length / numStates];
  }
  return shapeOf(owner, name, length);
}
