import { count, bytes as sizeInWords } from '../../lib/format.js';
import { fileId } from '../../lib/packed-rows.js';
import { datesAsYears, seriesOfText } from '../../lib/time-series.js';
import { STEPS, type TimeUnit, UNITS, YEARS } from './sources.js';

/** A series of the visitor's. */
export interface OwnSeries {
  name: string;
  times: number[];
  values: number[];
  /** Names of the two, from the first line; empty if it has none. */
  timeName: string;
  valueName: string;
  unit: TimeUnit;
  /** Size and fingerprint, as a link carries them. */
  id: string;
}

const LARGEST_FILE = 1e6;
/** Two thirds of them are ten, the fewest that the engine takes. */
const MIN_VALUES = 15;
/** Means of neighbours bring them below the limit of the engine. */
const MAX_VALUES = 10_000;

/** Reads a series from a file, or from text that was pasted. */
export async function readOwnSeries(file: File): Promise<OwnSeries> {
  const name = `The file “${file.name}”`;
  if (file.size > LARGEST_FILE) {
    throw new Error(
      `${name} has ${sizeInWords(file.size)}; this page takes up to ${sizeInWords(LARGEST_FILE)}.`,
    );
  }
  const text = await file.text();
  const { times, values, heads } = readText(text, name);
  if (values.length < MIN_VALUES || values.length > MAX_VALUES) {
    throw new Error(
      `${name} has ${count(values.length)} values; this page takes ${MIN_VALUES} to ${count(MAX_VALUES)}.`,
    );
  }
  if (times[0] === times.at(-1)) {
    throw new Error(
      `${name} has the same time in every row; the first of two columns has to be the times.`,
    );
  }
  const numbers = Float64Array.from(times.flatMap((time, n) => [time, values[n] ?? 0]));
  const timeName = heads?.length === 2 ? (heads[0] ?? '') : '';
  const isNumbered = times.every((time, n) => time === n + 1);
  const isYears = datesAsYears(text) !== text || /^years?$/i.test(timeName);
  return {
    name: file.name,
    times,
    values,
    timeName,
    valueName: heads?.at(-1) ?? '',
    unit: isYears ? YEARS : isNumbered ? STEPS : UNITS,
    id: await fileId({ dim: 2, numRows: values.length, bits: new Uint8Array(numbers.buffer) }),
  };
}

function readText(text: string, name: string) {
  try {
    return seriesOfText(text);
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : error}`);
  }
}
