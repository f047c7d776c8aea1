/**
 * How far a learned field of scores is from the exact one, over the density that is exact. Plain JavaScript, so that
 * the tests run it in Node.
 */

/** The part of the mass in the region that samples should be in. */
export const REGION = 0.95;

/**
 * @typedef {{ energies: ArrayLike<number>, gradients: ArrayLike<number> }} Field At the middles of the cells of a grid.
 *
 * @typedef {{
 *   relative: number, relativeError: number,
 *   angle: number, angleError: number,
 *   variation: number,
 *   level: number,
 * }} Judged `relative`, √(E|ŝ − s|² / E|s|²); `angle` between both, in degrees, averaged with the weight |s|; both over
 *   the exact density, with how much they differ on the coarser grid of every second cell. `variation`, the total
 *   variation between both densities on the grid. `level`, the exact energy below which `REGION` of the mass is.
 */

/**
 * @param {Field} learned
 * @param {Field} exact
 * @param {number} size Cells on a side.
 * @returns {Judged}
 */
export function judge(learned, exact, size) {
  const weights = densities(exact.energies);
  const fine = errors(learned, exact, weights, size, 1);
  const coarse = errors(learned, exact, weights, size, 2);
  const others = densities(learned.energies);
  let variation = 0;
  weights.forEach((weight, cell) => {
    variation += 0.5 * Math.abs(weight - Number(others[cell]));
  });
  return {
    relative: fine.relative,
    relativeError: Math.abs(fine.relative - coarse.relative),
    angle: fine.angle,
    angleError: Math.abs(fine.angle - coarse.angle),
    variation,
    level: levelOf(exact.energies, weights),
  };
}

/**
 * Masses of the cells, which sum to 1.
 * @param {ArrayLike<number>} energies
 */
function densities(energies) {
  const all = Float64Array.from(energies);
  const least = all.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);
  const weights = all.map((energy) => Math.exp(least - energy));
  const sum = weights.reduce((a, b) => a + b, 0);
  return weights.map((weight) => weight / sum);
}

/**
 * @param {Field} learned
 * @param {Field} exact
 * @param {Float64Array} weights
 * @param {number} size
 * @param {number} stride
 */
function errors(learned, exact, weights, size, stride) {
  let [off, whole, turned, lengths] = [0, 0, 0, 0];
  for (let row = 0; row < size; row += stride) {
    for (let column = 0; column < size; column += stride) {
      const cell = row * size + column;
      const weight = Number(weights[cell]);
      const [x, y] = [Number(exact.gradients[2 * cell]), Number(exact.gradients[2 * cell + 1])];
      const [u, v] = [Number(learned.gradients[2 * cell]), Number(learned.gradients[2 * cell + 1])];
      off += weight * ((u - x) ** 2 + (v - y) ** 2);
      whole += weight * (x * x + y * y);
      const length = weight * Math.hypot(x, y);
      turned += length * Math.abs(Math.atan2(u * y - v * x, u * x + v * y));
      lengths += length;
    }
  }
  return { relative: Math.sqrt(off / whole), angle: (180 / Math.PI) * (turned / lengths) };
}

/**
 * @param {ArrayLike<number>} energies
 * @param {Float64Array} weights
 */
function levelOf(energies, weights) {
  const order = Array.from(weights.keys()).sort(
    (a, b) => Number(energies[a]) - Number(energies[b]),
  );
  let sum = 0;
  for (const cell of order) {
    sum += Number(weights[cell]);
    if (sum >= REGION) return Number(energies[cell]);
  }
  return Number(energies[Number(order.at(-1))]);
}

/**
 * The share of states where the exact density has `REGION` of its mass, with its standard error.
 * @param {ArrayLike<number>} energies Exact ones of the states.
 * @param {number} level Of `judge`.
 */
export function shareInside(energies, level) {
  const all = Float64Array.from(energies);
  const share = all.filter((energy) => energy <= level).length / all.length;
  const variance = Math.max(share * (1 - share), 1 / all.length);
  return { share, error: Math.sqrt(variance / all.length) };
}
