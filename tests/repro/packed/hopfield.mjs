// What the experiments of the thesis's section 3.4 have in common: random
// patterns, many small jobs at a time, means over trials.

/** The learning rules, by their names in the thesis. Storkey's is not in it. */
export const RULES = {
  OPR: { kind: 'outerProduct' },
  Storkey: { kind: 'storkey' },
  PER: { kind: 'perceptron' },
  MPF: { kind: 'mpf' },
};

/** Their colours, and what they are called where pictures are explained. */
export const COLOURS = {
  OPR: [120, 120, 120],
  Storkey: [30, 150, 60],
  PER: [30, 70, 200],
  MPF: [200, 30, 30],
};

/** Jobs under way at a time: enough for workers that are not kept waiting for the next. */
const IN_FLIGHT = 8;

/** Rows of each chain that the random bits are drawn by: those of units without couplings are independent. */
const NUM_CHAINS = 500;

/**
 * Independent random bits, each set with the probability 1 / (1 + e^field).
 * @param dim bits a row, a multiple of 8
 * @returns a function that gives the next rows, so many at a time, as data
 */
export async function randomRows({ engine, dim, numRows, field = 0, seed }) {
  const couplings = new Float64Array(dim * dim);
  for (let site = 0; site < dim; site++) couplings[site * (dim + 1)] = field;
  const { draws } = await engine.sample({
    model: { kind: 'ising', dim, couplings },
    transition: { kind: 'gibbs' },
    numChains: NUM_CHAINS,
    numWarmup: 0,
    numDraws: Math.ceil(numRows / NUM_CHAINS),
    seed,
  });
  let used = 0;
  return (count) => {
    const bits = draws.bits.slice((used * dim) / 8, ((used + count) * dim) / 8);
    used += count;
    if (bits.length < (count * dim) / 8) throw new Error('there are no more random rows');
    return { kind: 'bits', dim, numRows: count, bits };
  };
}

/** What `action` makes of each item, some of them at a time, in the items' order. */
export async function eachOf(items, action) {
  const results = new Array(items.length);
  let next = 0;
  const turns = async () => {
    while (next < items.length) {
      const at = next++;
      results[at] = await action(items[at]);
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, turns));
  return results;
}

/** Stores patterns in a network of zeros. */
export function memorize({ engine, patterns, rule, noise, seed }) {
  const { dim } = patterns;
  const model = { kind: 'ising', dim };
  return engine.memorize({ model, patterns, rule, ...(noise && { noise }), seed });
}

/** Means and errors under the names of what they are of. */
export function shown(estimates) {
  return Object.fromEntries(
    Object.entries(estimates).flatMap(([key, { mean, error }]) => [
      [key, mean],
      [`${key}Error`, error],
    ]),
  );
}
