/**
 * R̂ and effective sample size of draws that are still coming in: quick enough for a page to compute while it draws.
 * Split chains, without the ranks of the engine's own figures. Plain JavaScript, so that the tests run it in Node.
 */

/**
 * @typedef {object} Layout
 * @property {number} [firstDraw]  the first draw of each chain to look at; 0 if absent
 * @property {number} numDraws  how many there are of each chain
 * @property {number} numChains
 * @property {number} dim
 * @property {number} entry  which entry of the state
 */

/** Chains that the autocorrelations are taken of; where there are more, the result is scaled up. */
const MAX_CHAINS = 16;

/**
 * Split R̂ and effective sample size: eq. 1 to 3 and 10 to 13 of Vehtari, Gelman, Simpson, Carpenter and Bürkner
 * (2021), "Rank-normalization, folding, and localization: an improved R̂", with neither ranks nor folding. NaN where
 * there are fewer than eight draws or nothing varies. With them the mean and the variance of all draws.
 *
 * @param {ArrayLike<number>} values  draws, `[.., numChains, dim]`
 * @param {Layout} layout
 * @returns {{ rhat: number, ess: number, mean: number, variance: number }}
 */
export function liveDiagnostics(values, { firstDraw = 0, numDraws, numChains, dim, entry }) {
  const length = Math.floor(numDraws / 2);
  if (length < 4) {
    return { rhat: Number.NaN, ess: Number.NaN, mean: Number.NaN, variance: Number.NaN };
  }
  const starts = [firstDraw, firstDraw + numDraws - length];
  const { within, total, mean, variance } = spreadOf(values, {
    starts,
    length,
    numChains,
    dim,
    entry,
  });
  const rhat = Math.sqrt(total / within);

  // Chains are alike, so that a few stand for all.
  const numUsed = Math.min(numChains, MAX_CHAINS);
  const size = 2 ** Math.ceil(Math.log2(2 * length));
  const power = new Float64Array(size);
  const re = new Float64Array(size);
  const im = new Float64Array(size);
  for (let chain = 0; chain < numUsed; chain++) {
    for (const first of starts) {
      const at = (/** @type {number} */ n) =>
        Number(values[((first + n) * numChains + chain) * dim + entry]);
      let middle = 0;
      for (let n = 0; n < length; n++) middle += at(n) / length;
      re.fill(0);
      im.fill(0);
      for (let n = 0; n < length; n++) re[n] = at(n) - middle;
      fourier(re, im);
      for (let k = 0; k < size; k++) power[k] += (re[k] ** 2 + im[k] ** 2) / (2 * numUsed);
    }
  }
  // The power spectrum's transform is the autocovariance; it is symmetric, so that forwards is backwards.
  re.set(power);
  im.fill(0);
  fourier(re, im);
  const rho = (/** @type {number} */ lag) => 1 - (within - re[lag] / (size * (length - 1))) / total;

  // Geyer's initial monotone sequence of sums of neighbours.
  let sum = 1 + rho(1);
  let least = sum;
  for (let lag = 2; lag + 1 < length; lag += 2) {
    const pair = rho(lag) + rho(lag + 1);
    if (!(pair > 0)) break;
    least = Math.min(least, pair);
    sum += least;
  }
  const count = 2 * length * numChains;
  const ess = Math.min(count / (2 * sum - 1), count * Math.log10(count));
  return { rhat, ess: ess > 0 ? ess : Number.NaN, mean, variance };
}

/**
 * Variance within the halves of the chains and the total one, var⁺, and the moments of all halves together.
 * @param {ArrayLike<number>} values
 * @param {{ starts: number[], length: number, numChains: number, dim: number, entry: number }} layout
 */
function spreadOf(values, { starts, length, numChains, dim, entry }) {
  const numHalves = starts.length * numChains;
  const sums = new Float64Array(numHalves);
  const squares = new Float64Array(numHalves);
  // About the first value, so that squares do not cancel.
  const origin = Number(values[Number(starts[0]) * numChains * dim + entry]);
  starts.forEach((start, half) => {
    for (let draw = start; draw < start + length; draw++) {
      let place = draw * numChains * dim + entry;
      for (let n = half * numChains; n < (half + 1) * numChains; n++, place += dim) {
        const value = Number(values[place]) - origin;
        sums[n] += value;
        squares[n] += value * value;
      }
    }
  });
  let within = 0;
  let sum = 0;
  let sumOfSquares = 0;
  for (let n = 0; n < numHalves; n++) {
    const mean = sums[n] / length;
    within += (squares[n] - length * mean * mean) / (length - 1) / numHalves;
    sum += mean;
    sumOfSquares += mean * mean;
  }
  const middle = sum / numHalves;
  const spread = sumOfSquares / numHalves - middle ** 2;
  const between = (spread * numHalves) / (numHalves - 1);
  return {
    within,
    total: ((length - 1) / length) * within + between,
    mean: origin + middle,
    variance: (within * (length - 1)) / length + spread,
  };
}

/**
 * The discrete Fourier transform in place, by halves (Cooley and Tukey 1965). The length is a power of two.
 * @param {Float64Array} re
 * @param {Float64Array} im
 */
export function fourier(re, im) {
  const size = re.length;
  for (let n = 1, reversed = 0; n < size; n++) {
    let bit = size >> 1;
    for (; reversed & bit; bit >>= 1) reversed ^= bit;
    reversed ^= bit;
    if (n < reversed) {
      [re[n], re[reversed]] = [re[reversed], re[n]];
      [im[n], im[reversed]] = [im[reversed], im[n]];
    }
  }
  for (let half = 1; half < size; half *= 2) {
    for (let k = 0; k < half; k++) {
      const cos = Math.cos((Math.PI * k) / half);
      const sin = -Math.sin((Math.PI * k) / half);
      for (let n = k; n < size; n += 2 * half) {
        const m = n + half;
        const turnedRe = re[m] * cos - im[m] * sin;
        const turnedIm = re[m] * sin + im[m] * cos;
        re[m] = re[n] - turnedRe;
        im[m] = im[n] - turnedIm;
        re[n] += turnedRe;
        im[n] += turnedIm;
      }
    }
  }
}
