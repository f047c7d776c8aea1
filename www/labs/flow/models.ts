import { spinGlassCouplings } from '../../lib/random-models.js';
import type { Settings } from './settings.js';

/** J of the settings, row-major, without the digits that rounding leaves. */
export function couplingsOf(settings: Settings): Float64Array {
  return madeBy(settings).map((value) => Math.round(1e9 * value) / 1e9);
}

function madeBy({ spins, model, strength, bias, seed, couplings }: Settings): Float64Array {
  if (model === 'own') return fromParams(couplings, spins);
  if (model === 'random') {
    // Its couplings have a standard deviation of the strength.
    const made = spinGlassCouplings(spins, strength * Math.sqrt(spins), seed);
    for (let i = 0; i < spins; i++) made[i * spins + i] = (made[i * spins + i] ?? 0) - 2 * bias;
    return made;
  }
  // −strength Σ s_i s_j − bias Σ s_i in spins s = 2x − 1 of ±1, without the constant.
  const pair = model === 'ferromagnet' ? -2 * strength : 2 * strength;
  const diagonal = -pair * (spins - 1) - 2 * bias;
  return Float64Array.from({ length: spins * spins }, (_, n) =>
    n % (spins + 1) === 0 ? diagonal : pair,
  );
}

function fromParams(params: readonly number[], dim: number): Float64Array {
  const couplings = new Float64Array(dim * dim);
  placesOf(dim).forEach(([i, j], n) => {
    couplings[i * dim + j] = couplings[j * dim + i] = params[n] ?? 0;
  });
  return couplings;
}

/** J as it would be typed: to three decimals. */
export function paramsOf(couplings: ArrayLike<number>, dim: number): number[] {
  return placesOf(dim).map(([i, j]) => {
    const rounded = Math.round(1000 * (couplings[i * dim + j] ?? 0)) / 1000;
    return Math.max(-5, Math.min(5, rounded)) + 0;
  });
}

/** Rows and columns in the order of the numbers typed in: the diagonal, then pairs. */
export function placesOf(dim: number): [number, number][] {
  const sites = Array.from({ length: dim }, (_, i) => i);
  return [
    ...sites.map((i): [number, number] => [i, i]),
    ...sites.flatMap((i) => sites.slice(i + 1).map((j): [number, number] => [i, j])),
  ];
}
