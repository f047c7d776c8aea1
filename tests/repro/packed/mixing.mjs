// Risteski's lecture on energy-based models (2021), its part on Markov chains: what a chain needs for its draws to be
// those of the model, and what keeps it from mixing. The lecture gives theorems and pictures and no figures; each is
// tried here where the truth is known.
//
// Langevin dynamics without rejections, x′ = x − η E′(x) + √(2η) ξ, leaves a Gaussian of variance 1 not unchanged: its
// own stationary variance is 1/(1 − η/2), from v = (1 − η)² v + 2η. In the engine's words ε² = 2η.
//
// From one well of E = h ((x/m)² − 1)² to the other: a crossing is counted when x has come from beyond one half of m to
// beyond the other. In the limit η → 0 the mean time is known, ∫ e^{E(y)} ∫_{−∞}^y e^{−E(z)} dz dy over y from −m/2 to m/2;
// for high barriers h it is Kramers' 2π m² e^h/(h √32).
//
// On a periodic lattice below the critical temperature a single flip at a time hardly ever turns the magnetization round;
// clusters do so every other step.
//
// The mixture is one of shifts of one log-concave density, as in the theorem of Ge, Lee and Risteski (2018).

import { estimate, mean } from './estimates.mjs';

export const name = 'mixing';
export const about =
  'what keeps chains from mixing, and what helps (lecture on energy-based models)';
export const source = 'Risteski 2021, Markov chains';
export const departures = [
  {
    of: 'claims',
    paper: 'theorems and pictures, without figures',
    ours: 'each on a model whose truth is known',
  },
  {
    of: 'swaps of simulated tempering',
    paper: 'to a temperature chosen at random',
    ours: 'to one drawn given the state (Gibbs), with weights found in warm-up',
  },
];

/** In standard errors over 50 chains and more; chance does it less than once in a million. */
const FAR = 6;
const STEPS = [0.2, 0.1, 0.05, 0.025];
const [HEIGHTS, MINIMUM, WELL_STEP] = [[4, 6, 8], 2, 0.1];
const [SIDE, COUPLING, NUM_SWEEPS] = [16, 0.6, 50];
const MIXTURE_STEP = 0.7;
const MIXTURE = { weights: [0.6, 0.3, 0.1], means: [-6, 0, 6, 0, 0, 8] };

const settings = (quick) => ({
  langevin: { numChains: 64, numDraws: quick ? 1000 : 10_000 },
  heights: quick ? HEIGHTS.slice(0, 2) : HEIGHTS,
  wells: { numChains: 200, numDraws: quick ? 600 : 10_000, numStepsPerDraw: 20 },
  lattice: { numChains: quick ? 50 : 200 },
  mixture: { numChains: 50, numDraws: quick ? 500 : 4000 },
});

export async function run({ engine, quick, seed, log }) {
  const sizes = settings(quick);
  const digests = [];
  const sample = async (spec) => {
    const result = await engine.sample({ numWarmup: 0, seed, ...spec });
    digests.push(result.digest);
    return result;
  };
  const biases = [];
  for (const eta of STEPS) biases.push(await varianceOfLangevin(sample, eta, sizes.langevin));
  log('variances of Langevin dynamics done');
  const crossings = [];
  for (const height of sizes.heights) crossings.push(await crossing(sample, height, sizes.wells));
  log('crossings of a barrier done');
  const flipped = {};
  for (const kind of ['gibbs', 'swendsenWang']) {
    flipped[kind] = await turnedRound(sample, kind, sizes.lattice);
  }
  const langevin = { kind: 'langevin', stepSize: MIXTURE_STEP };
  const shares = {
    langevin: await sharesBy(sample, langevin, sizes.mixture),
    tempering: await sharesBy(
      sample,
      {
        kind: 'simulatedTempering',
        transition: langevin,
        numRungs: 8,
        reference: { dim: 2, covariance: [40, 0, 0, 40] },
      },
      sizes.mixture,
    ),
  };
  return {
    rows: rows({ biases, crossings, flipped, shares }),
    checks: checks({ biases, crossings, flipped, shares }),
    settings: { numSweeps: NUM_SWEEPS, side: SIDE },
    digests,
  };
}

async function varianceOfLangevin(sample, eta, sizes) {
  const { draws } = await sample({
    model: { kind: 'gaussian', dim: 1, precision: [1] },
    transition: { kind: 'langevin', adjusted: false, stepSize: Math.sqrt(2 * eta) },
    start: { kind: 'exact' },
    ...sizes,
    numWarmup: 500,
  });
  const variance = overChains(draws, (values) => mean(values.map((x) => x * x)));
  return { eta, variance, theory: 1 / (1 - eta / 2) };
}

/** Langevin's time, η a step, from one crossing to the next. */
async function crossing(sample, height, sizes) {
  const { draws, chains } = await sample({
    model: { kind: 'doubleWell', dim: 1, barrier: height, minimum: MINIMUM },
    transition: { kind: 'langevin', stepSize: WELL_STEP },
    start: { kind: 'states', states: [-MINIMUM, MINIMUM] },
    ...sizes,
  });
  const counts = overChains(draws, (values) => {
    let [side, count] = [Math.sign(values[0]), 0];
    for (const x of values) {
      if (x * side < -MINIMUM / 2) [side, count] = [-side, count + 1];
    }
    return count;
  });
  const total = counts.mean * sizes.numChains;
  const time = (WELL_STEP ** 2 / 2) * sizes.numDraws * sizes.numStepsPerDraw;
  return {
    height,
    time: time / counts.mean,
    timeError: (time / counts.mean) * (counts.error / counts.mean),
    numCrossings: total,
    acceptance: mean([...chains.acceptance]),
    theory: meanTime(height),
  };
}

/** The mean time of the limit, by the trapezoid rule. */
function meanTime(height) {
  const energy = (x) => height * ((x / MINIMUM) ** 2 - 1) ** 2;
  const step = MINIMUM / 2000;
  let [below, time] = [0, 0];
  for (let x = -3 * MINIMUM; x < MINIMUM / 2; x += step) {
    below += step * Math.exp(-energy(x + step / 2));
    if (x >= -MINIMUM / 2) time += step * Math.exp(energy(x + step)) * below;
  }
  return time;
}

/** The share of chains from all ones whose majority is zeros in the end. */
async function turnedRound(sample, kind, sizes) {
  const dim = SIDE ** 2;
  const { draws } = await sample({
    model: {
      kind: 'ising',
      dim,
      pattern: { kind: 'lattice', numRows: SIDE, numCols: SIDE, periodic: true },
      uniform: { coupling: COUPLING },
    },
    transition: { kind },
    start: { kind: 'data', data: { kind: 'rows', rows: [Array(dim).fill(1)] } },
    ...sizes,
    numWarmup: NUM_SWEEPS - 1,
    numDraws: 1,
    moments: false,
  });
  const width = dim / 8;
  const turned = Array.from({ length: sizes.numChains }, (_, chain) => {
    const row = draws.bits.subarray(chain * width, (chain + 1) * width);
    return row.reduce((sum, byte) => sum + ones(byte), 0) < dim / 2 ? 1 : 0;
  });
  return estimate(turned);
}

/** Which part of the draws is nearest to each component's mean. */
async function sharesBy(sample, transition, sizes) {
  const { draws } = await sample({
    model: { kind: 'mixture', dim: 2, ...MIXTURE },
    transition,
    start: { kind: 'states', states: MIXTURE.means.slice(0, 2) },
    ...sizes,
    numWarmup: 2000,
  });
  return MIXTURE.weights.map((_, component) =>
    overChains(draws, (values) => {
      let count = 0;
      for (let at = 0; at < values.length; at += 2) {
        count += nearest(values[at], values[at + 1]) === component ? 1 : 0;
      }
      return (2 * count) / values.length;
    }),
  );
}

function nearest(x, y) {
  const distances = MIXTURE.weights.map((_, k) =>
    Math.hypot(x - MIXTURE.means[2 * k], y - MIXTURE.means[2 * k + 1]),
  );
  return distances.indexOf(Math.min(...distances));
}

/** The mean over chains of a function of a chain's values, and its standard error. */
function overChains({ values, dim, numChains, numDraws }, f) {
  const each = Array.from({ length: numChains }, (_, chain) => {
    const own = [];
    for (let draw = 0; draw < numDraws; draw++) {
      const start = (draw * numChains + chain) * dim;
      own.push(...values.subarray(start, start + dim));
    }
    return f(own);
  });
  return estimate(each);
}

const ones = (byte) => byte.toString(2).replaceAll('0', '').length;

function rows({ biases, crossings, flipped, shares }) {
  const both = (key, { mean, error }) => ({ [key]: mean, [`${key}Error`]: error });
  return [
    ...biases.map(({ eta, variance, theory }) => ({
      label: `Langevin without rejections, step ${eta}`,
      measured: { ...both('variance', variance), theory },
      paper: {},
    })),
    ...crossings.map(({ height, ...measured }) => ({
      label: `barrier of ${height} nats`,
      measured,
      paper: {},
    })),
    ...Object.entries(flipped).map(([kind, share]) => ({
      label: `magnetization turned round, ${kind}`,
      measured: both('share', share),
      paper: {},
    })),
    ...Object.entries(shares).map(([how, estimates]) => ({
      label: `shares of the components, ${how}`,
      measured: Object.assign({}, ...estimates.map((each, k) => both(`component${k + 1}`, each))),
      paper: {},
    })),
  ];
}

function checks({ biases, crossings, flipped, shares }) {
  const near = ({ mean, error }, to) => Math.abs(mean - to) < FAR * error;
  const [first, last] = [crossings[0], crossings.at(-1)];
  const slope = Math.log(last.time / first.time) / (last.height - first.height);
  return [
    {
      claim: `Langevin dynamics leaves exp(−f) unchanged in the limit η → 0: at each η the variance is 1/(1 − η/2) times the model’s, within ${FAR} standard errors`,
      source: `${source}, Langevin dynamics`,
      holds: biases.every(({ variance, theory }) => near(variance, theory)),
    },
    {
      claim:
        'the time from one mode to another can be exponential: with each nat of the barrier it grows by a factor between 2 and 3.5',
      source: `${source}, Why multimodality is trouble`,
      holds: slope > Math.log(2) && slope < Math.log(3.5),
    },
    {
      claim: `the time from one mode to another is that of the limit η → 0, within a tenth and ${FAR} standard errors`,
      source: `${source}, Why multimodality is trouble`,
      holds: crossings.every(
        ({ time, timeError, theory }) => Math.abs(time - theory) < 0.1 * theory + FAR * timeError,
      ),
    },
    {
      claim: `below the critical temperature no chain of Gibbs sampling turns its magnetization round in ${NUM_SWEEPS} sweeps`,
      source: `${source}, Gibbs sampling`,
      holds: flipped.gibbs.mean === 0,
    },
    {
      claim: `Swendsen–Wang has turned it round in half of the chains by then, within ${FAR} standard errors`,
      source: `${source}, Gibbs sampling`,
      holds: near(flipped.swendsenWang, 0.5),
    },
    {
      claim: 'Langevin dynamics alone stays in the component of a mixture that it starts in',
      source: `${source}, When does this work?`,
      holds: shares.langevin[0].mean === 1,
    },
    {
      claim: `with simulated tempering the shares of the components are their weights, within ${FAR} standard errors`,
      source: `${source}, When does this work?`,
      holds: shares.tempering.every((share, k) => near(share, MIXTURE.weights[k])),
    },
  ];
}
