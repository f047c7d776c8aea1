/** Flows on small Ising models from seeds, and what their tests compare them with. */
import { ProbabilityFlow } from '../../www/lib/probability-flow.js';
import { normals, spinGlassCouplings } from '../../www/lib/random-models.js';

/** Data on about half of the states, in any numbers. */
function someData(dim, seed) {
  const normal = normals(seed + 100);
  const counts = Float64Array.from({ length: 2 ** dim }, () =>
    Math.max(0, Math.round(4 * normal())),
  );
  // At least one state is data, and one is not.
  counts[1] = 3;
  counts[2] = 0;
  const sum = counts.reduce((a, b) => a + b);
  return counts.map((count) => count / sum);
}

/** Spin glasses of 2 to 6 spins with both connectivities. */
export const CASES = [2, 3, 4, 5, 6].flatMap((dim) =>
  [false, true].map((allFlips) => {
    const seed = 10 * dim + Number(allFlips);
    const couplings = spinGlassCouplings(dim, 1.5, seed);
    for (let i = 0; i < dim; i++) couplings[i * dim + i] += 0.4 * i - 0.5;
    const start = someData(dim, seed);
    const flow = new ProbabilityFlow(couplings, dim, start, allFlips);
    return {
      name: `${dim} spins${allFlips ? ', all flips too' : ''}`,
      dim,
      allFlips,
      couplings,
      start,
      flow,
    };
  }),
);

/** exp(Γt), by scaling and squaring its series. */
export function exponential(rates, size, t) {
  const product = (a, b) => {
    const made = new Float64Array(size * size);
    for (let i = 0; i < size; i++)
      for (let k = 0; k < size; k++)
        for (let j = 0; j < size; j++) made[i * size + j] += a[i * size + k] * b[k * size + j];
    return made;
  };
  const largest = Math.max(...rates.map(Math.abs)) * t;
  const numSquarings = Math.max(0, Math.ceil(Math.log2(largest * 2 * size)));
  const small = rates.map((rate) => (rate * t) / 2 ** numSquarings);
  const identity = new Float64Array(size * size).map((_, n) => (n % (size + 1) === 0 ? 1 : 0));
  let sum = identity;
  let term = identity;
  for (let n = 1; n <= 18; n++) {
    term = product(term, small).map((value) => value / n);
    sum = sum.map((value, place) => value + term[place]);
  }
  for (let n = 0; n < numSquarings; n++) sum = product(sum, sum);
  return sum;
}
