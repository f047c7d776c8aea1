// Compositional importance sampling, chapter 6 of Grosse's thesis (2014): the evidence of low rank with clustered loadings,
// G(GMᵀ + G) + G, from runs of low rank and of clustering alone. The bias of one sample, δ = ln p(Y) − E[ln p̂(Y)], is
// bounded by 3γK²D/2λN (6.11), so that it falls as 1/N, grows as D, and stays where D/N does. The thesis has no
// experiment. Ours are two: δ by the Gaussian approximations of its derivation (6.27), and by the estimator itself on
// simulated tables, whose evidence annealing in both directions closes in on.
//
// The signal has variance 1, the noise 1/λ = 1, γ = 4; K = 3 factors, 4 clusters.

import { gaussianBias } from './gaussian-bias.mjs';
import { mean, withError } from './packed/estimates.mjs';

export const name = 'compositional-sampling';
export const about =
  'bias of compositional importance sampling against its bound (Grosse 2014, chapter 6)';
export const source = 'Grosse 2014, section 6.2.3';

export const departures = [
  {
    of: 'covariances of the loadings',
    paper: 'any, with a prior that is invariant to linear maps',
    ours: 'a multiple of the identity that is known, which is invariant to rotations alone',
  },
  {
    of: 'the ratio of variances between and within clusters',
    paper: 'inverse gamma',
    ours: 'known',
  },
];

const NUM_FACTORS = 3;
const NUM_CLUSTERS = 4;
const GAMMA = 4;

/** Sizes [N, D] for the approximation. */
const APPROXIMATED = [
  [50, 40],
  [100, 40],
  [200, 40],
  [400, 40],
  [100, 80],
  [200, 80],
  [400, 160],
];

/** Sizes [N, D] for the estimator. */
const ESTIMATED = [
  [50, 20],
  [100, 20],
  [200, 20],
  [50, 40],
  [100, 40],
];

const settings = (quick) =>
  quick
    ? {
        approximated: APPROXIMATED.slice(0, 3),
        estimated: ESTIMATED.slice(0, 2),
        numTables: 3,
        numTrials: 10,
        numDistributions: 300,
      }
    : {
        approximated: APPROXIMATED,
        estimated: ESTIMATED,
        numTables: 8,
        numTrials: 15,
        numDistributions: 3000,
      };

const bound = ([numRows, numCols]) => (3 * GAMMA * NUM_FACTORS ** 2 * numCols) / (2 * numRows);

const labelOf = ([numRows, numCols]) => `N = ${numRows}, D = ${numCols}`;

export async function run({ engine, quick, seed, log }) {
  const set = settings(quick);
  const rows = [];
  const digests = [];
  const add = (label, measured) => {
    rows.push({ label, measured, paper: {} });
    log(`${label}: ${JSON.stringify(measured)}`);
  };
  for (const size of set.approximated)
    add(`approximated, ${labelOf(size)}`, approximate(size, seed));
  for (const size of set.estimated) {
    add(`estimated, ${labelOf(size)}`, await estimateBias({ engine, size, seed, set, digests }));
  }
  return { rows, checks: checks(rows, set), digests };
}

/** Means over three draws of U, V and Y. */
function approximate([numRows, numCols], seed) {
  const runs = [0, 1, 2].map((at) =>
    gaussianBias({
      numRows,
      numCols,
      numFactors: NUM_FACTORS,
      numClusters: NUM_CLUSTERS,
      lambda: 1,
      gamma: GAMMA,
      seed: 10 * (seed % 2 ** 28) + at,
    }),
  );
  const of = (term) => mean(runs.map((one) => one[term]));
  return {
    volumes: of('volumes'),
    variances: of('variances'),
    means: of('means'),
    bias: of('bias'),
    bound: of('bound'),
    share: of('bias') / of('bound'),
  };
}

/** The bias of one trial, over tables, with what it has to tell apart. */
async function estimateBias({ engine, size, seed, set, digests }) {
  const [numRows, dim] = size;
  const variances = { kind: 'fixed', signal: 1 / NUM_FACTORS, noise: 1 };
  const lowRank = { kind: 'lowRank', dim, numFactors: NUM_FACTORS, variances };
  const model = {
    ...lowRank,
    kind: 'clusteredLowRank',
    numClusters: NUM_CLUSTERS,
    between: 1 - 1 / GAMMA,
  };
  const { numTrials, numDistributions } = set;
  const evidenceOf = async (spec) => {
    const result = await engine.evidence({ numTrials, ...spec });
    digests.push(result.digest);
    return result;
  };
  const biases = [];
  const gains = [];
  const gaps = [];
  for (let table = 0; table < set.numTables; table++) {
    const of = { seed: seed + table };
    const annealing = { kind: 'annealing', numDistributions };
    const truth = await evidenceOf({ ...of, model, simulate: { numRows }, estimator: annealing });
    const { states } = truth.simulated;
    const estimator = { kind: 'compositional', numDistributions };
    const composed = await evidenceOf({ ...of, model, states, estimator });
    const plain = await evidenceOf({
      ...of,
      model: lowRank,
      states,
      estimator: { ...annealing, reverse: false },
    });
    biases.push(truth.logZ - mean([...composed.trials]));
    gains.push(truth.logZ - plain.logZ);
    gaps.push(truth.reverse.logZ.value - mean([...truth.trials]));
  }
  return {
    ...withError('bias', biases),
    bound: bound(size),
    share: mean(biases) / bound(size),
    ...withError('gain', gains),
    ...withError('gapOfAnnealing', gaps),
  };
}

/** Claims of section 6.2.3, tested on our numbers. */
function checks(rows, set) {
  const of = (how, size) => rows.find((row) => row.label === `${how}, ${labelOf(size)}`)?.measured;
  const approximated = set.approximated.map((size) => of('approximated', size));
  const estimated = set.estimated.map((size) => of('estimated', size));
  const certainly = ({ bias, biasError, bound: most }) => bias - 3 * biasError < most;
  const claims = [
    {
      claim: 'the bias by Gaussian approximations is below 3D tr Λ / 2λN, at every size',
      source: 'Grosse 2014, equation 6.10',
      holds: approximated.every(({ bias, bound: most }) => bias < most),
    },
    {
      claim: 'the bias of the estimator is below 3γK²D / 2λN, at every size',
      source: 'Grosse 2014, equation 6.11',
      holds: estimated.every(({ bias, bound: most }) => bias < most) && estimated.every(certainly),
    },
    {
      claim:
        'N → ∞: the bias by Gaussian approximations falls as 1/N, by 1.6 to 2.6 for twice the rows',
      source: 'Grosse 2014, section 6.2.3',
      holds: pairs(set.approximated, (a, b) => b[0] === 2 * a[0] && b[1] === a[1]).every(([a, b]) =>
        between(of('approximated', a).bias / of('approximated', b).bias, 1.6, 2.6),
      ),
    },
    {
      claim: 'N → ∞: the bias of the estimator falls as N grows',
      source: 'Grosse 2014, section 6.2.3',
      holds: pairs(set.estimated, (a, b) => b[0] === 2 * a[0] && b[1] === a[1]).every(
        ([a, b]) => of('estimated', b).bias < of('estimated', a).bias,
      ),
    },
  ];
  if (set.estimated.length < ESTIMATED.length) return claims;
  return [
    ...claims,
    {
      claim:
        'D → ∞: the bias by Gaussian approximations grows as D, by 1.6 to 2.6 for twice the columns',
      source: 'Grosse 2014, section 6.2.3',
      holds: pairs(APPROXIMATED, (a, b) => b[0] === a[0] && b[1] === 2 * a[1]).every(([a, b]) =>
        between(of('approximated', b).bias / of('approximated', a).bias, 1.6, 2.6),
      ),
    },
    {
      claim: 'D/N constant: the bias by Gaussian approximations stays, within a factor of 1.6',
      source: 'Grosse 2014, section 6.2.3',
      holds: pairs(APPROXIMATED, (a, b) => b[0] === 2 * a[0] && b[1] === 2 * a[1]).every(([a, b]) =>
        between(of('approximated', b).bias / of('approximated', a).bias, 1 / 1.6, 1.6),
      ),
    },
    {
      claim: 'D/N constant: the bias of the estimator stays, within a factor of 1.6',
      source: 'Grosse 2014, section 6.2.3',
      holds: between(
        of('estimated', [100, 40]).bias / of('estimated', [50, 20]).bias,
        1 / 1.6,
        1.6,
      ),
    },
    {
      claim:
        'the estimator tells the two models apart: its bias is below ln p(Y) − ln q(Y), at every size',
      source: 'Grosse 2014, section 6.2.3',
      holds: estimated.every(({ bias, gain }) => bias < gain),
    },
  ];
}

const between = (value, low, high) => value > low && value < high;

const pairs = (sizes, isPair) =>
  sizes.flatMap((a) => sizes.filter((b) => isPair(a, b)).map((b) => [a, b]));
