import {
  choice,
  type Field,
  formula,
  integer,
  MAX_FORMULA,
  text,
  type ValuesOf,
} from '../../lib/fields.js';
import { FILE_ID } from '../../lib/packed-rows.js';
import { EXAMPLE_IDS, EXAMPLES } from './examples.js';

/** How a fit goes: what the methods are called, and which data they are for. */
export const METHODS = {
  scoreMatching: {
    name: 'Score matching',
    suits: 'numbers',
    unit: 'of the squared score, dimensions as the data’s⁻²',
    about: 'Compares where the density grows, ∇E, with where the data are; no Z (Hyvärinen 2005).',
  },
  ballFlow: {
    name: 'Minimum probability flow',
    suits: 'numbers',
    unit: 'K, dimensionless',
    about: 'How fast probability would flow from the data to points nearby.',
  },
  mpf: {
    name: 'Minimum probability flow',
    suits: 'bits',
    unit: 'K, dimensionless',
    about: 'How fast probability would flow from the data to states one bit away.',
  },
  pseudolikelihood: {
    name: 'Pseudolikelihood',
    suits: 'bits',
    unit: 'nats a row',
    about: 'How probable every bit is given all others (Besag 1975).',
  },
  noiseContrastive: {
    name: 'Noise-contrastive estimation',
    suits: 'both',
    unit: 'nats a row',
    about: 'How well rows can be told from noise; finds log Z, too (Gutmann and Hyvärinen 2012).',
  },
  maximumLikelihood: {
    name: 'Maximum likelihood',
    suits: 'bits',
    unit: 'nats a row',
    about: 'With the exact Z, a sum over all states.',
  },
} as const;

export type Method = keyof typeof METHODS;
const METHOD_IDS = Object.keys(METHODS) as Method[];

export function methodsFor(isBinary: boolean): Method[] {
  return METHOD_IDS.filter((method) => suits(method, isBinary));
}

/** Whether a method is for such data. */
export function suits(method: Method, isBinary: boolean): boolean {
  const { suits } = METHODS[method];
  return suits === 'both' || suits === (isBinary ? 'bits' : 'numbers');
}

export const MAX_ROWS = 20_000;
export const REPEAT_COUNTS = [0, 20, 100, 400] as const;

/** A parameter's value at the start of a fit, and whether it is to be greater than 0. */
export interface Start {
  name: string;
  value: number;
  positive: boolean;
}

const START = /^([A-Za-z_]\w{0,19}):(-?\d{1,15}(?:\.\d{1,15})?(?:e[+-]?\d{1,2})?)(\+?)$/i;

/** The state of the lab that a link carries. */
export const fields = {
  data: choice('banana', [...EXAMPLE_IDS, 'own']),
  formula: {
    ...formula(EXAMPLES.banana.formula),
    expects: `a formula of at most ${MAX_FORMULA} characters`,
  } satisfies Field<string>,
  /** Values to start from: a:1+,m:0, with a plus where a parameter is greater than 0. */
  starts: {
    initial: EXAMPLES.banana.starts as string,
    expects: 'names with values to start from, such as a:1+,m:0',
    parse: (given) => (given.length <= 800 && readStarts(given) ? given : undefined),
    print: (value) => value,
  } satisfies Field<string>,
  method: choice('scoreMatching', METHOD_IDS),
  rows: integer(1000, 50, MAX_ROWS),
  /** Fits more, to other data. */
  repeats: integer(100, 0, 1000),
  seed: integer(1, 0, 2 ** 53 - 1 - 1000),
  /** Rows, columns and fingerprint of the visitor's file. */
  file: text(FILE_ID, 'the size and the fingerprint of a file'),
  /** The beginning of the digest that the maker of the link got. */
  digest: text(/^[0-9a-f]{16}$/, 'the first 16 digits of a digest'),
};

export type Settings = ValuesOf<typeof fields>;

/** The starts in a text; undefined where it is not one of them. */
export function readStarts(given: string): Start[] | undefined {
  if (given === '') return [];
  const starts: Start[] = [];
  for (const part of given.split(',')) {
    const [, name, value, plus] = START.exec(part) ?? [];
    if (name === undefined) return undefined;
    starts.push({ name, value: Number(value), positive: plus === '+' });
  }
  return starts;
}

export function printStarts(starts: readonly Start[]): string {
  return starts
    .map(({ name, value, positive }) => `${name}:${value}${positive ? '+' : ''}`)
    .join(',');
}

/** A start for each of these parameters: the one that is known, or 1. */
export function startsFor(names: readonly string[], known: readonly Start[]): Start[] {
  return names.map(
    (name) => known.find((start) => start.name === name) ?? { name, value: 1, positive: false },
  );
}
