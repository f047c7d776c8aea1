// @ts-check
/**
 * Univariate Gaussians as points (μ, σ) of a half-plane, whose distances are those of Fisher information (Grosse 2014,
 * section 8.4.2 and figure 8-4; Gelman and Meng 1998),
 *
 *   ds² = (dμ² + 2 dσ²) / σ²
 *
 * and three ways from N(0, 1) to N(d, 1). With the best schedule a way of the length ℓ costs ℓ²/2: log weights fall
 * short of the truth by ℓ²/2K on average where the number K of distributions is large and chains mix at once.
 *
 * - Geometric averages keep σ: ℓ = d.
 * - Averages of moments have σ² = 1 + β(1 − β)d², an arc of the circle of the radius A = √(1 + d²/4) about (d/2, 0). At
 *   the angle φ from its top ds = √(1 + 2 tan²φ) dφ, and it is d/2 = tan φ at the ends.
 * - The shortest way is an arc of the ellipse about (d/2, 0) with the half axes √2 R and R = √(1 + d²/8), for in
 *   (μ/√2, σ) it is a circle: ℓ = √2 arcosh(1 + d²/4).
 *
 * All three are given by s, the length from the middle. Plain JavaScript: Node tests it as it is.
 */

/** @typedef {import('./gaussian-paths.js').Point} Point */

/** @typedef {'geometric' | 'momentAverages' | 'geodesic'} Way */

/**
 * The length ℓ of a way from N(0, 1) to N(d, 1).
 * @param {Way} way
 * @param {number} d
 */
export function wayLength(way, d) {
  if (way === 'geometric') return d;
  if (way === 'momentAverages') return 2 * arcLength(d / 2);
  return Math.SQRT2 * Math.acosh(1 + (d * d) / 4);
}

/**
 * Half the square of the length: the cost with the best schedule.
 * @param {Way} way
 * @param {number} d
 */
export function wayCost(way, d) {
  return wayLength(way, d) ** 2 / 2;
}

/**
 * The point (μ, σ) of a way at the length s from its middle, −ℓ/2 to ℓ/2.
 * @param {Way} way
 * @param {number} d
 * @param {number} s
 * @returns {Point}
 */
export function wayPoint(way, d, s) {
  if (way === 'geometric') return [d / 2 + s, 1];
  if (way === 'momentAverages') {
    const radius = Math.sqrt(1 + (d * d) / 4);
    const angle = Math.atan(slopeAt(s, d / 2));
    return [d / 2 + radius * Math.sin(angle), radius * Math.cos(angle)];
  }
  const radius = Math.sqrt(1 + (d * d) / 8);
  const turn = s / Math.SQRT2;
  return [d / 2 + Math.SQRT2 * radius * Math.tanh(turn), radius / Math.cosh(turn)];
}

/**
 * The ball of a radius about a point: all that is as near or nearer. An ellipse, of which the point is not the centre.
 * @param {Point} point
 * @param {number} radius
 */
export function ballAbout([mu, sigma], radius) {
  const turn = radius / Math.SQRT2;
  const up = sigma * Math.sinh(turn);
  return {
    centre: /** @type {Point} */ ([mu, sigma * Math.cosh(turn)]),
    across: Math.SQRT2 * up,
    up,
  };
}

/**
 * The distance of two points, along the shortest way.
 * @param {Point} a
 * @param {Point} b
 */
export function distanceOf([mu, sigma], [otherMu, otherSigma]) {
  const squares = (otherMu - mu) ** 2 / 2 + (otherSigma - sigma) ** 2;
  return Math.SQRT2 * Math.acosh(1 + squares / (2 * sigma * otherSigma));
}

/**
 * Of the circle of averages of moments: the length from its top to the angle whose tangent is `slope`.
 * @param {number} slope
 */
function arcLength(slope) {
  const rest = slope / Math.sqrt(1 + 2 * slope * slope);
  return Math.SQRT2 * Math.asinh(Math.SQRT2 * slope) - Math.atanh(rest);
}

/**
 * The tangent of the angle at a length, by bisection.
 * @param {number} length
 * @param {number} most
 */
function slopeAt(length, most) {
  let [low, high] = [0, most];
  for (let n = 0; n < 60; n++) {
    const middle = (low + high) / 2;
    if (arcLength(middle) < Math.abs(length)) low = middle;
    else high = middle;
  }
  return Math.sign(length) * high;
}
