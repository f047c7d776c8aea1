/**
 * A result in a few lines for people, and as JSON for programs.
 */

import { type Fields, isObject } from '../checks.js';
import type { Report } from './result-file.js';

const DIGITS = 10;
/** Parts of a result of which a summary shows only these fields. */
const ONLY: Record<string, string[]> = { forward: ['weightEss'], reverse: ['weightEss'] };
const LEFT_OUT = ['unnorm', 'verb', 'spec', 'inputs', 'warnings', 'starts'];

/** The numbers of a result, one per line: its name, then its value. */
export function summaryOf(report: Report, output: { file: string } | undefined): string {
  const lines: [string, string][] = [];
  for (const [name, value] of Object.entries(report)) {
    if (!LEFT_OUT.includes(name)) describe(name, value, lines);
  }
  if (output) lines.push(['output', output.file]);
  const width = Math.max(...lines.map(([name]) => name.length));
  return lines.map(([name, value]) => `${name.padEnd(width)}  ${value}\n`).join('');
}

function describe(name: string, value: unknown, lines: [string, string][]): void {
  if (typeof value === 'number') lines.push([name, show(value)]);
  else if (typeof value === 'string' || typeof value === 'boolean') lines.push([name, `${value}`]);
  else if (name === 'summary' && isObject(value)) lines.push(...worst(value));
  else if (isRows(value)) lines.push([name, sizeOf(value as Fields)]);
  else if (name === 'model' && isObject(value)) lines.push([name, `${value['kind']}`]);
  else if (isObject(value)) {
    const only = ONLY[name];
    for (const [inner, value_] of Object.entries(value)) {
      if (!only || only.includes(inner)) describe(`${name}.${inner}`, value_, lines);
    }
  }
}

/** The worst diagnostics among all entries of the state. */
function worst(summary: Fields): [string, string][] {
  const [rhat, essBulk, essTail] = ['rhat', 'essBulk', 'essTail'].map(
    (name) => summary[name] as Float64Array,
  );
  return [
    ['largest rhat', show(Math.max(...(rhat as Float64Array)))],
    ['least essBulk', show(Math.min(...(essBulk as Float64Array)))],
    ['least essTail', show(Math.min(...(essTail as Float64Array)))],
  ];
}

function sizeOf(value: Fields): string {
  const { numRows, numDraws, numChains, dim } = value;
  if (numRows !== undefined) return `${numRows} rows of ${dim}`;
  return `${numDraws} of each of ${numChains} chains, of ${dim} entries`;
}

/** A result without its arrays, for `--json` when a file has everything. */
export function withoutArrays(value: unknown): unknown {
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(
    ([, inner]) => !ArrayBuffer.isView(inner) && !isRows(inner),
  );
  return Object.fromEntries(kept.map(([name, inner]) => [name, withoutArrays(inner)]));
}

function isRows(value: unknown): boolean {
  return (
    isObject(value) && (ArrayBuffer.isView(value['bits']) || ArrayBuffer.isView(value['values']))
  );
}

function show(value: number): string {
  // Whole numbers, such as seeds, with all digits.
  return `${Number.isSafeInteger(value) ? value : Number(value.toPrecision(DIGITS))}`;
}
