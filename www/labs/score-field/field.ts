import type { Engine, FittedModel, ModelSpec } from 'unnorm';
import { densityOf, gridStates } from '../../lib/density-grid.js';
import type { Density } from '../../lib/plane-density.js';
import { eitherOf, noisy } from '../../lib/plane-mixtures.js';
import { type Judged, judge } from '../../lib/score-error.js';
import { type Target, WINDOW } from './settings.js';

/** Cells on a side of the grid, and how many of them there are to an arrow. */
export const GRID = 126;
export const STRIDE = 6;
/** The grid over which e^{−E} is summed up: wide enough for the most noise. */
const WIDE = { window: { centre: [0, 0] as const, reach: 7 }, size: 240 };

/** Energies and their gradients on the grid of the pictures. */
export interface Field {
  energies: Float64Array;
  gradients: Float64Array;
}

/** What has been learned at one level, beside what is true there. */
export interface Compared {
  target: Target;
  noise: number;
  model: ModelSpec;
  learned: Field;
  exact: Field;
  density: Density | undefined;
  /** How far the learned field is from the exact one. */
  judged: Judged;
  /** log Z of both, where they were needed. */
  logZ: readonly number[];
}

/** A network as a fit gives it. */
export type Network = FittedModel<'neural'>;

type Shape = { means: number[]; sd: number };

/** Networks and shapes of A and B, as far as the target needs them. */
export interface Ingredients {
  target: Target;
  noise: number;
  networks: readonly Network[];
  shapes: readonly Shape[];
}

async function fieldAt(engine: Engine, model: ModelSpec, states: Float64Array): Promise<Field> {
  const { energies, gradients } = await engine.energies({ model, states, gradients: true });
  return { energies, gradients };
}

/** Both of two energies, or either of them. What is learned of an energy leaves its constant open: OR needs log Z of each. */
export function combined(
  target: 'and' | 'or',
  models: readonly ModelSpec[],
  logZ: readonly number[],
): ModelSpec {
  if (target === 'and')
    return { kind: 'combined', how: 'sum', parts: models.map((model) => ({ model })) };
  const parts = models.map((model, n) => ({ model, logZ: logZ[n] ?? 0 }));
  return { kind: 'combined', how: 'either', parts };
}

/** The model to draw from: a network, or one that two are combined to. */
export async function modelOf(
  engine: Engine,
  { target, networks }: Ingredients,
): Promise<{ model: ModelSpec; logZ: readonly number[] }> {
  const [first, second] = networks;
  if (!first) throw new Error('Nothing has been learned yet.');
  if ((target !== 'and' && target !== 'or') || !second) return { model: first, logZ: [] };
  const logZ =
    target === 'or'
      ? await Promise.all([first, second].map((network) => logZOf(engine, network)))
      : [];
  return { model: combined(target, [first, second], logZ), logZ };
}

/** log ∫ e^{−E}, by a sum over cells. */
export async function logZOf(engine: Engine, network: Network): Promise<number> {
  const { window, size } = WIDE;
  const states = gridStates(window, size);
  const { energies } = await engine.energies({ model: network, states });
  const logZ = densityOf(energies, window, size)?.logZ ?? Number.NaN;
  // Functions of Math differ in the last bits between browsers; these digits do not.
  return Number(logZ.toPrecision(10));
}

/** The learned field, the exact one, and how far they are apart. */
export async function compare(engine: Engine, ingredients: Ingredients): Promise<Compared> {
  const { target, noise } = ingredients;
  const { model, logZ } = await modelOf(engine, ingredients);
  const states = gridStates(WINDOW, GRID);
  const learned = await fieldAt(engine, model, states);
  const exact = await exactAt(engine, ingredients, states);
  const density = densityOf(learned.energies, WINDOW, GRID);
  const judged = judge(learned, exact, GRID);
  return { target, noise, model, learned, exact, density, judged, logZ };
}

/** What would be there if it had been learned without error: the shapes with the noise. */
export async function exactAt(
  engine: Engine,
  { target, noise, shapes }: Ingredients,
  states: Float64Array,
): Promise<Field> {
  const [first, second] = shapes;
  if (!first) throw new Error('There are no data.');
  if (target === 'or' && second) return fieldAt(engine, eitherOf(first, second, noise), states);
  const models = shapes.map((shape) => noisy(shape, noise));
  const model = target === 'and' && second ? combined('and', models, []) : noisy(first, noise);
  return fieldAt(engine, model, states);
}
