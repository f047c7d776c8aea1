import { choice, type Field, integer, real, type ValuesOf } from '../../lib/fields.js';
import { printPoints, readPoints, SHAPES } from '../../lib/plane-mixtures.js';

export type ShapeId = keyof typeof SHAPES;
export const SHAPE_IDS = Object.keys(SHAPES) as ShapeId[];

/** The two data sets, with their colours. */
export const SETS = [
  { id: 'a', name: 'A', colour: '--series-1' },
  { id: 'b', name: 'B', colour: '--series-2' },
] as const;
export type SetId = (typeof SETS)[number]['id'];

/** What is looked at and drawn from: one learned energy, or two made into one. */
export const TARGETS = [
  { id: 'a', name: 'A', short: 'A' },
  { id: 'b', name: 'B', short: 'B' },
  { id: 'and', name: 'A and B', short: 'A and B' },
  { id: 'or', name: 'A or B', short: 'A or B' },
] as const;
export type Target = (typeof TARGETS)[number]['id'];

export const METHOD_NAMES = {
  denoising: 'Denoising score matching',
  scoreMatching: 'Score matching',
  persistent: 'Persistent CD, replay buffer',
} as const;
export type Method = keyof typeof METHOD_NAMES;
export const METHODS = Object.keys(METHOD_NAMES) as Method[];

/** Most points drawn by hand, as they go into the address. */
export const MAX_POINTS = 100;

const points: Field<readonly number[]> = {
  initial: [],
  expects: `at most ${MAX_POINTS} points as this page writes them`,
  parse: (text) =>
    new RegExp(`^([0-9a-z]{4}){0,${MAX_POINTS}}$`).test(text) ? readPoints(text) : undefined,
  print: printPoints,
};

/** The state of the lab that a link carries. */
export const fields = {
  a: choice<ShapeId | 'drawn'>('moons', [...SHAPE_IDS, 'drawn']),
  b: choice<ShapeId | 'drawn' | 'none'>('ring', ['none', ...SHAPE_IDS, 'drawn']),
  /** What is drawn by hand, `[.., 2]`. */
  pointsA: points,
  pointsB: points,
  method: choice<Method>('denoising', METHODS),
  /** Noise of the first and of the last level, as standard deviations, and how many there are. */
  most: real(1, 0.05, 3),
  least: real(0.1, 0.02, 1),
  levels: integer(5, 1, 10),
  layers: integer(2, 1, 2),
  /** Units a layer. */
  units: integer(24, 4, 64),
  rows: integer(1000, 100, 5000),
  /** Updates a level. */
  updates: integer(2000, 10, 20_000),
  target: choice<Target>('a', ['a', 'b', 'and', 'or']),
  /** Langevin steps a level, and their size in parts of the noise. */
  steps: integer(60, 1, 500),
  step: real(0.5, 0.02, 1),
  particles: integer(400, 10, 2000),
  seed: integer(1, 0, 2 ** 52),
};

export type Settings = ValuesOf<typeof fields>;

/** Standard deviation about every point that is drawn by hand. */
export const BRUSH = 0.12;

/** The part of the plane that the pictures show. */
export const WINDOW = { centre: [0, 0] as const, reach: 2.6 };

/** The standard deviations of the noise, from the most to the least, each the same part of the one before. */
export function noisesOf({ method, most, least, levels }: Settings): number[] {
  if (method !== 'denoising') return [0];
  if (levels === 1) return [least];
  const [from, to] = [Math.max(most, least), Math.min(most, least)];
  return Array.from({ length: levels }, (_, n) =>
    Number((from * (to / from) ** (n / (levels - 1))).toPrecision(6)),
  );
}

/** The data sets in use. */
export function setsOf({ b }: Settings): readonly SetId[] {
  return b === 'none' ? ['a'] : ['a', 'b'];
}
