// What is left as a radius r falls to 0: by r, with its slope on logarithmic axes, and extrapolated.
// Radii fall by halves; all estimates at all radii have the same seeds.

import { estimate } from './estimates.mjs';

/**
 * Slopes of f(r) − f(r/2), from every radius to the next: what is constant in r, noise of the draws
 * too, is not in it. Their error by the jackknife over seeds.
 */
function slopesOf(numRadii, numSeeds, sizeOf) {
  const slopeAt = (at, seeds) => Math.log2(sizeOf(at, seeds) / sizeOf(at + 1, seeds));
  const all = Array.from({ length: numSeeds }, (_, n) => n);
  return Array.from({ length: numRadii - 2 }, (_, at) => {
    const without = all.map((left) =>
      slopeAt(
        at,
        all.filter((n) => n !== left),
      ),
    );
    const { error } = estimate(without);
    return { mean: slopeAt(at, all), error: (numSeeds - 1) * error };
  });
}

/** What the scaled flow, by radius and seed, has to do with score matching. */
export function valuesOf(radii, scaled, limit) {
  const mean = (values, seeds) => seeds.reduce((sum, n) => sum + values[n], 0) / seeds.length;
  const step = (at, seeds) => Math.abs(mean(scaled[at], seeds) - mean(scaled[at + 1], seeds));
  const [coarse, fine] = scaled.slice(-2);
  return {
    gaps: scaled.map((values) => estimate(values.map((value) => value - limit))),
    slopes: slopesOf(radii.length, scaled[0].length, step),
    /** Richardson's extrapolation to r = 0, less the limit. */
    atZero: estimate(fine.map((value, n) => (4 * value - coarse[n]) / 3 - limit)),
  };
}

/** The same of the parameters: distances of the means over seeds. */
export function distancesOf(radii, params, limit) {
  const numSeeds = params[0].length;
  const mean = (each, seeds) =>
    limit.map((_, j) => seeds.reduce((sum, n) => sum + each[n][j], 0) / seeds.length);
  const distance = (a, b) => Math.hypot(...a.map((value, j) => value - b[j]));
  const all = Array.from({ length: numSeeds }, (_, n) => n);
  const noise = (differences) =>
    Math.hypot(...limit.map((_, j) => estimate(differences.map((each) => each[j])).error));
  const [coarse, fine] = params.slice(-2);
  const extrapolated = fine.map((each, n) =>
    each.map((value, j) => (4 * value - coarse[n][j]) / 3 - limit[j]),
  );
  return {
    gaps: params.map((each) => ({ mean: distance(mean(each, all), limit), error: noise(each) })),
    slopes: slopesOf(radii.length, numSeeds, (at, seeds) =>
      distance(mean(params[at], seeds), mean(params[at + 1], seeds)),
    ),
    atZero: { mean: Math.hypot(...mean(extrapolated, all)), error: noise(extrapolated) },
  };
}
