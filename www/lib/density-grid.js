/**
 * A density over a square window of the plane, from energies on a grid: for its picture, its marginals and its
 * moments. Plain JavaScript, so that the tests run it in Node.
 */

/**
 * A square: its centre and half its side.
 * @typedef {{ centre: readonly [number, number], reach: number }} Window
 */

/**
 * The middles of size² equal cells, row by row from the top, each row from the left: `[size², 2]`.
 * @param {Window} window
 * @param {number} size
 */
export function gridStates({ centre, reach }, size) {
  const states = new Float64Array(2 * size * size);
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const cell = 2 * (row * size + column);
      states[cell] = centre[0] + reach * ((2 * column + 1) / size - 1);
      states[cell + 1] = centre[1] - reach * ((2 * row + 1) / size - 1);
    }
  }
  return states;
}

/**
 * What the energies, in nats, at `gridStates` say of the density inside the window. Where an energy is no number or
 * infinite, the density is 0.
 *
 * @param {ArrayLike<number>} energies
 * @param {Window} window
 * @param {number} size
 * @returns {{
 *   window: Window, size: number,
 *   relative: Float32Array,
 *   marginals: [Float64Array, Float64Array],
 *   means: [number, number], sds: [number, number],
 *   edge: number, logZ: number,
 * } | undefined} `relative` to the highest density; `marginals` as densities, ascending in x and in y; `edge`, the
 *   part of the mass in the outermost cells; `logZ`, of the density inside the window, in nats. Undefined where the density is 0 everywhere or has no highest value.
 */
export function densityOf(energies, window, size) {
  let least = Number.POSITIVE_INFINITY;
  for (let cell = 0; cell < size * size; cell++) {
    const energy = Number(energies[cell]);
    if (energy === Number.NEGATIVE_INFINITY) return undefined;
    if (energy < least) least = energy;
  }
  if (!Number.isFinite(least)) return undefined;
  const relative = new Float32Array(size * size);
  const across = new Float64Array(size);
  const up = new Float64Array(size);
  let sum = 0;
  let edge = 0;
  for (let row = 0; row < size; row++) {
    for (let column = 0; column < size; column++) {
      const weight = Math.exp(least - Number(energies[row * size + column]));
      if (!(weight > 0)) continue;
      relative[row * size + column] = weight;
      across[column] += weight;
      up[size - 1 - row] += weight;
      sum += weight;
      const isEdge = row === 0 || column === 0 || row === size - 1 || column === size - 1;
      if (isEdge) edge += weight;
    }
  }
  const cellSide = (2 * window.reach) / size;
  const [x, y] = [across, up].map((masses, axis) => {
    const at = (/** @type {number} */ n) =>
      window.centre[axis] + window.reach * ((2 * n + 1) / size - 1);
    let mean = 0;
    for (let n = 0; n < size; n++) mean += (masses[n] / sum) * at(n);
    let variance = 0;
    for (let n = 0; n < size; n++) variance += (masses[n] / sum) * (at(n) - mean) ** 2;
    return { mean, sd: Math.sqrt(variance), marginal: masses.map((mass) => mass / sum / cellSide) };
  });
  return {
    window,
    size,
    relative,
    marginals: [x.marginal, y.marginal],
    means: [x.mean, y.mean],
    sds: [x.sd, y.sd],
    edge: edge / sum,
    logZ: Math.log(sum) + 2 * Math.log(cellSide) - least,
  };
}
