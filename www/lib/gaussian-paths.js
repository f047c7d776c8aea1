// @ts-check
/**
 * Two Gaussians in the plane and the two paths between them (Grosse, Maddison and Salakhutdinov 2013): geometric
 * averages, along which the natural parameters Λμ and Λ are averaged (eq. 7), and moment averages, along which the
 * means and second moments are (eq. 8 to 10); and what annealing along them costs.
 *
 * Plain JavaScript: the pictures need it at every frame, and Node tests it as it is.
 */

/** @typedef {readonly [number, number]} Point */

/**
 * A Gaussian: its mean, and the entries xx, xy and yy of its covariance.
 * @typedef {{ mean: Point, covariance: readonly [number, number, number] }} Gaussian
 */

/** @typedef {'geometric' | 'momentAverages'} PathKind */

/**
 * The standard deviations along the two axes of a Gaussian's ellipses, and the angle of the first, in radians.
 * @typedef {{ first: number, second: number, angle: number }} Axes
 */

/**
 * log Z of the energy ½(x − μ)ᵀΛ(x − μ), in nats: log 2π + ½ log det Σ.
 * @param {Gaussian} gaussian
 */
export function logZ({ covariance }) {
  return Math.log(2 * Math.PI) + 0.5 * Math.log(determinant(covariance));
}

/**
 * The distribution at β of a path.
 * @param {PathKind} kind
 * @param {Gaussian} start
 * @param {Gaussian} target
 * @param {number} beta
 * @returns {Gaussian}
 */
export function intermediate(kind, start, target, beta) {
  // Their formulas would only round what is known.
  if (beta <= 0) return start;
  if (beta >= 1) return target;
  return kind === 'geometric'
    ? geometricAverage(start, target, beta)
    : momentAverage(start, target, beta);
}

/**
 * @param {Gaussian} start
 * @param {Gaussian} target
 * @param {number} beta
 * @returns {Gaussian}
 */
function geometricAverage(start, target, beta) {
  const [first, second] = [inverse(start.covariance), inverse(target.covariance)];
  const precision = mix(first, second, beta);
  const [a, b] = [multiply(first, start.mean), multiply(second, target.mean)];
  const covariance = inverse(precision);
  const mean = multiply(covariance, [
    (1 - beta) * a[0] + beta * b[0],
    (1 - beta) * a[1] + beta * b[1],
  ]);
  return { mean, covariance };
}

/**
 * Equations 9 and 10: the covariance is stretched along the line between the means.
 * @param {Gaussian} start
 * @param {Gaussian} target
 * @param {number} beta
 * @returns {Gaussian}
 */
function momentAverage(start, target, beta) {
  const across = target.mean[0] - start.mean[0];
  const up = target.mean[1] - start.mean[1];
  const stretch = beta * (1 - beta);
  const [xx, xy, yy] = mix(start.covariance, target.covariance, beta);
  return {
    mean: [start.mean[0] + beta * across, start.mean[1] + beta * up],
    covariance: [
      xx + stretch * across * across,
      xy + stretch * across * up,
      yy + stretch * up * up,
    ],
  };
}

/**
 * The Kullback–Leibler divergence from p to q, in nats.
 * @param {Gaussian} p
 * @param {Gaussian} q
 */
export function divergence(p, q) {
  const precision = inverse(q.covariance);
  /** @type {Point} */
  const apart = [q.mean[0] - p.mean[0], q.mean[1] - p.mean[1]];
  const [xx, xy, yy] = precision;
  const [a, b, c] = p.covariance;
  const trace = xx * a + 2 * xy * b + yy * c;
  const distance = inner(apart, multiply(precision, apart));
  const logRatio = Math.log(determinant(q.covariance) / determinant(p.covariance));
  return 0.5 * (trace - 2 + distance + logRatio);
}

/**
 * F, the cost of either path (eq. 17): half the inner product of the differences of natural parameters, Λμ and Λ, and
 * of moments, μ and −½(Σ + μμᵀ). With a linear schedule of K distributions and chains that mix at once, log weights
 * fall short of the truth by F/K on average where K is large.
 * @param {Gaussian} start
 * @param {Gaussian} target
 */
export function pathCost(start, target) {
  const [a, b] = [parameters(start), parameters(target)];
  const means = inner(
    [b.natural[0] - a.natural[0], b.natural[1] - a.natural[1]],
    [target.mean[0] - start.mean[0], target.mean[1] - start.mean[1]],
  );
  // Of a symmetric matrix the entry off the diagonal counts twice.
  const seconds = [1, 2, 1].reduce(
    (sum, times, n) =>
      sum +
      times *
        (Number(b.precision[n]) - Number(a.precision[n])) *
        (Number(b.second[n]) - Number(a.second[n])),
    0,
  );
  return 0.5 * (means - 0.5 * seconds);
}

/** @param {Gaussian} gaussian */
function parameters({ mean, covariance }) {
  const precision = inverse(covariance);
  const [x, y] = mean;
  return {
    precision,
    natural: multiply(precision, mean),
    second: [covariance[0] + x * x, covariance[1] + x * y, covariance[2] + y * y],
  };
}

/**
 * How far log weights fall short of the truth on average, if chains mix at once (eq. 3): the sum of the divergences
 * from every distribution to the next.
 * @param {PathKind} kind
 * @param {Gaussian} start
 * @param {Gaussian} target
 * @param {ArrayLike<number>} betas From 0 to 1.
 */
export function shortfall(kind, start, target, betas) {
  let sum = 0;
  let before = start;
  for (let k = 1; k < betas.length; k++) {
    const next = intermediate(kind, start, target, Number(betas[k]));
    sum += divergence(before, next);
    before = next;
  }
  return sum;
}

/**
 * @param {Gaussian['covariance']} covariance
 * @returns {Axes} The longer axis first, its angle from −90° to 90°.
 */
export function axesOf([xx, xy, yy]) {
  const middle = (xx + yy) / 2;
  const apart = Math.hypot((xx - yy) / 2, xy);
  const greater = middle + apart;
  return {
    first: Math.sqrt(greater),
    second: Math.sqrt((xx * yy - xy * xy) / greater),
    angle: apart === 0 ? 0 : 0.5 * Math.atan2(2 * xy, xx - yy),
  };
}

/**
 * @param {Axes} axes
 * @returns {Gaussian['covariance']}
 */
export function covarianceOf({ first, second, angle }) {
  const [c, s] = [Math.cos(angle), Math.sin(angle)];
  const [a, b] = [first * first, second * second];
  return [a * c * c + b * s * s, (a - b) * c * s, a * s * s + b * c * c];
}

/**
 * A standard normal point as one of the Gaussian, by the Cholesky factor of its covariance.
 * @param {Gaussian} gaussian
 * @param {Point} point
 * @returns {Point}
 */
export function colour({ mean, covariance }, [x, y]) {
  const [across, tilt, up] = factor(covariance);
  return [mean[0] + across * x, mean[1] + tilt * x + up * y];
}

/**
 * The other way: a point of the Gaussian as a standard normal one.
 * @param {Gaussian} gaussian
 * @param {Point} point
 * @returns {Point}
 */
export function whiten({ mean, covariance }, [x, y]) {
  const [across, tilt, up] = factor(covariance);
  const first = (x - mean[0]) / across;
  return [first, (y - mean[1] - tilt * first) / up];
}

/**
 * Points of the ellipse so many standard deviations about the mean, the last the same as the first.
 * @param {Gaussian} gaussian
 * @param {number} radius
 * @param {number} numPoints
 * @returns {Point[]}
 */
export function ellipse(gaussian, radius, numPoints = 96) {
  return Array.from({ length: numPoints + 1 }, (_, n) => {
    const angle = (2 * Math.PI * n) / numPoints;
    return colour(gaussian, [radius * Math.cos(angle), radius * Math.sin(angle)]);
  });
}

/**
 * @param {Gaussian['covariance']} covariance
 * @returns {[number, number, number]} Its lower Cholesky factor: xx, yx, yy.
 */
function factor([xx, xy, yy]) {
  const across = Math.sqrt(xx);
  const tilt = xy / across;
  return [across, tilt, Math.sqrt(yy - tilt * tilt)];
}

/** @param {Gaussian['covariance']} matrix */
function determinant([xx, xy, yy]) {
  return xx * yy - xy * xy;
}

/**
 * @param {Gaussian['covariance']} matrix
 * @returns {[number, number, number]}
 */
function inverse(matrix) {
  const size = determinant(matrix);
  return [matrix[2] / size, -matrix[1] / size, matrix[0] / size];
}

/**
 * @param {Gaussian['covariance']} matrix
 * @param {Point} vector
 * @returns {Point}
 */
function multiply([xx, xy, yy], [x, y]) {
  return [xx * x + xy * y, xy * x + yy * y];
}

/**
 * @param {Gaussian['covariance']} a
 * @param {Gaussian['covariance']} b
 * @param {number} share
 * @returns {[number, number, number]}
 */
function mix(a, b, share) {
  return [
    (1 - share) * a[0] + share * b[0],
    (1 - share) * a[1] + share * b[1],
    (1 - share) * a[2] + share * b[2],
  ];
}

/**
 * @param {Point} a
 * @param {Point} b
 */
function inner(a, b) {
  return a[0] * b[0] + a[1] * b[1];
}
