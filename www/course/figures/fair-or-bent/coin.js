/** Evidence of two models of a coin, in closed form. Plain JavaScript: the tests run it in Node. */

/**
 * ln C(n, k).
 * @param {number} n
 * @param {number} k
 */
export function logChoose(n, k) {
  let sum = 0;
  for (let i = 1; i <= k; i++) sum += Math.log((n - k + i) / i);
  return sum;
}

/**
 * How probable k heads of n tosses are with a fair coin.
 * @param {number} n
 * @param {number} k
 */
export function fair(n, k) {
  return Math.exp(logChoose(n, k) - n * Math.LN2);
}

/**
 * The same of a coin bent nobody knows how: averaged over θ, whose prior density is proportional to (θ(1 − θ))^{a−1}.
 * @param {number} n
 * @param {number} k
 * @param {number} a At least 1; 1 is a uniform prior.
 */
export function bent(n, k, a = 1) {
  // Tosses one after another: the next is heads with probability (heads + a) / (tosses + 2a).
  let sum = logChoose(n, k);
  for (let i = 0; i < k; i++) sum += Math.log((i + a) / (i + 2 * a));
  for (let i = 0; i < n - k; i++) sum += Math.log((i + a) / (k + i + 2 * a));
  return Math.exp(sum);
}

/**
 * How probable k heads of n are at each θ, and the prior's density there.
 * @param {number} n
 * @param {number} k
 * @param {number} a A whole number, at least 1.
 * @param {readonly number[]} thetas
 */
export function curves(n, k, a, thetas) {
  const height = Math.exp(logChoose(n, k));
  // 1 / B(a, a)
  const constant = (2 * a - 1) * Math.exp(logChoose(2 * a - 2, a - 1));
  const likelihood = thetas.map((theta) => height * theta ** k * (1 - theta) ** (n - k));
  const prior = thetas.map((theta) => constant * (theta * (1 - theta)) ** (a - 1));
  return { likelihood, prior, product: likelihood.map((value, n) => value * Number(prior[n])) };
}
